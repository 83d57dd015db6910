"""The header with the notices of a 200 response."""

from collections.abc import Sequence

from app.api.declaration import Json

NOTICE = "X-Forecast-Notice"
NOTICE_HEADER: dict[str, Json] = {
    NOTICE: {
        "description": "Notices about this response, if any. On a forecast: the series is shorter "
        "than recommended, its level has changed, it has an upper bound, or a simpler model took "
        "over. On a detection: the series is too short for so low a false alarm rate. On both: "
        "what was set aside. On a backtest: windows were left out, a simpler model took over, the "
        "seasonal naive has a smaller error than every model, or the level changed before the last "
        "window. On forecasts and backtests: which holidays were used, or why none. Several "
        "notices are separated by `; `.",
        "schema": {
            "type": "string",
            "examples": [
                "series has 12 points, 30 are recommended for Daily data",
                "spikes before the last point were set aside: 1",
            ],
        },
    },
}


def notice_headers(notices: Sequence[str]) -> dict[str, str]:
    """Return the headers of a response with these ``notices``."""
    return {NOTICE: "; ".join(notices)} if notices else {}
