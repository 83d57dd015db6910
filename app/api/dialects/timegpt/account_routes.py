"""The endpoints of TimeGPT for the key and the models: they count against no limit."""

from functools import partial

from app.api.callers.limiter import current_budget_state
from app.api.dialects.timegpt.declaration import declare
from app.api.dialects.timegpt.fields import TimeGptFrequencyField, model_field
from app.api.dialects.timegpt.models import HORIZON, INPUT_SIZE, TIMEGPT_MODELS
from app.api.dialects.timegpt.response_schemas import (
    TimeGptKeySchema,
    TimeGptModelSchema,
    TimeGptModelsSchema,
    TimeGptUsageSchema,
)
from app.api.endpoints.endpoint import CallCost
from app.api.requests.query import StrictQuerySchema
from app.api.responses.json import Json
from app.identity.limits.tiers import WINDOW_NAMES

_declare_free = partial(declare, "GET", permission=None, cost=CallCost.NOTHING)


class TimeGptModelQuerySchema(StrictQuerySchema):
    model = model_field()
    freq = TimeGptFrequencyField()


@_declare_free("validate_api_key", TimeGptKeySchema())
def validate_api_key() -> Json:
    """Show that the key is valid."""
    return {"detail": "API key is valid"}


@_declare_free(
    "model_params",
    TimeGptModelSchema(),
    query=TimeGptModelQuerySchema(),
    other_errors=frozenset({422}),
)
def model_params(_query: Json) -> Json:
    """Show how many points and steps a model uses."""
    return {"detail": {"input_size": INPUT_SIZE, "horizon": HORIZON}}


@_declare_free("usage", TimeGptUsageSchema())
def usage() -> Json:
    """Show how much of the key's limits is used."""
    return {
        WINDOW_NAMES[window.seconds]: {"usage": window.used, "limit": window.limit}
        for window in current_budget_state().windows
    }


@_declare_free("v2/models", TimeGptModelsSchema())
def models() -> Json:
    """List the names of models."""
    return {"models": [{"name": name} for name in TIMEGPT_MODELS]}
