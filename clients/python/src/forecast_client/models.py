"""The models of the service: their names, numbers and ids."""

import re
from collections.abc import Sequence

from forecast_client.errors import DataError

Model = int | str
MODELS = {
    "General": "forecast-model-1",
    "Fast": "forecast-model-2",
    "Seasonal": "forecast-model-3",
    "Robust": "forecast-model-4",
}
NAIVE = "seasonal_naive"
_ID = re.compile(r"[\w.-]+", re.ASCII)  # what a header can hold
_NAMED = {name.lower(): model_id for name, model_id in MODELS.items()}


def model_id(model: Model) -> str:
    """Return the id of a model, given by its name in any case, its number, or its id."""
    text = str(model)
    if text.lower() in _NAMED:
        return _NAMED[text.lower()]
    if _ID.fullmatch(text) is None:
        raise DataError(f"unknown {model!r}: send one of {', '.join(MODELS)}, or 1 to 4", "model")
    return f"forecast-model-{text}" if text.isdigit() else text


def model_ids(models: Sequence[Model]) -> list[str]:
    """Return the ids of several models; raise DataError if one is not a model."""
    if isinstance(models, str) or not hasattr(models, "__iter__"):
        raise DataError(f"{models!r}: send a list, such as [{models!r}]", "models")
    return [model_id(model) for model in models]


def name_of(model_id: str) -> str:
    """Return the name of a model, such as Fast; the id if it has none."""
    if model_id == NAIVE:
        return "Seasonal naive"
    return next((name for name, id_ in MODELS.items() if id_ == model_id), model_id)
