"""The headers of a response with a forecast: its model, its engine and its notices."""

from collections.abc import Sequence

from app.api.declaration import Json
from app.api.notices import NOTICE_HEADER, notice_headers
from app.forecasting.model_ids import MODEL_IDS, SEASONAL_NAIVE

# Kept in step with pyproject.toml: a checkout that is not installed has no package metadata.
ENGINE_VERSION = "1.2.0"
FORECAST_HEADERS: dict[str, Json] = {
    "X-Model-Id": {
        "description": "The model that made the forecast.",
        "required": True,
        "schema": {"type": "string", "enum": [*MODEL_IDS, SEASONAL_NAIVE]},
    },
    "X-Engine": {
        "description": "The release whose engine made the forecast. The same request gets the same "
        "numbers from it; another release may forecast differently.",
        "required": True,
        "schema": {"type": "string", "examples": [ENGINE_VERSION]},
    },
} | NOTICE_HEADER


def forecast_headers(model_id: str, notices: Sequence[str]) -> dict[str, str]:
    """Return the headers of a forecast by this model with these notices."""
    return {"X-Model-Id": model_id, "X-Engine": ENGINE_VERSION} | notice_headers(notices)
