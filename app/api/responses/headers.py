"""Headers that views add: notices, and the model and engine of a forecast."""

from collections.abc import Sequence
from typing import Any

from app.api.responses.json import Json
from app.forecasting.model_ids import MODEL_IDS, SEASONAL_NAIVE

NOTICE = "X-Forecast-Notice"
_NOTICE_SEPARATOR = "; "
# Kept in step with pyproject.toml: a checkout that is not installed has no package metadata.
_ENGINE_VERSION = "2.0.0"


def header(description: str, *, required: bool = False, **schema: Any) -> Json:
    """Return the declaration of a header, by default a string."""
    declared: Json = {"description": description, "schema": {"type": "string"} | schema}
    return declared | ({"required": True} if required else {})


NOTICE_HEADER = {
    NOTICE: header(
        "Notices about this response, if any. On a forecast: the series is shorter "
        "than recommended, its level has changed, it has an upper bound, or a simpler model took "
        "over. On a detection: the series is too short for so low a false alarm rate. On both: "
        "what was set aside. On a backtest: windows were left out, a simpler model took over, the "
        "seasonal naive has a smaller error than every model, or the level changed before the last "
        "window. On forecasts and backtests: which holidays were used, or why none. Several "
        f"notices are separated by `{_NOTICE_SEPARATOR}`.",
        examples=[
            "series has 12 points, 30 are recommended for Daily data",
            "spikes before the last point were set aside: 1",
        ],
    )
}
FORECAST_HEADERS = {
    "X-Model-Id": header(
        "The model that made the forecast.", required=True, enum=[*MODEL_IDS, SEASONAL_NAIVE]
    ),
    "X-Engine": header(
        "The release whose engine made the forecast. The same request gets the same "
        "numbers from it; another release may forecast differently.",
        required=True,
        examples=[_ENGINE_VERSION],
    ),
} | NOTICE_HEADER


def notice_headers(notices: Sequence[str]) -> dict[str, str]:
    """Return the header; a separator within a notice, as in a name, becomes a comma."""
    joined = _NOTICE_SEPARATOR.join(notice.replace(_NOTICE_SEPARATOR, ", ") for notice in notices)
    return {NOTICE: joined} if notices else {}


def forecast_headers(model_id: str, notices: Sequence[str]) -> dict[str, str]:
    return {"X-Model-Id": model_id, "X-Engine": _ENGINE_VERSION} | notice_headers(notices)
