"""The endpoints of TimeGPT that the service does not offer: each response says what to use."""

from collections.abc import Callable
from typing import NoReturn

from marshmallow import Schema, fields

from app.api.dialects.timegpt.declaration import declare
from app.api.dialects.timegpt.response_schemas import TimeGptFinetunedModelsSchema
from app.api.errors.api_error import ApiError, not_found_error
from app.api.responses.json import Json
from app.api.serving.decorator import View
from app.identity.accounts.permissions import Permission

_TASKS = ("finetune", "simulate", "explain", "execute_step")


class TimeGptTaskSchema(Schema):
    task = fields.String(required=True, metadata={"description": f"One of {', '.join(_TASKS)}."})


class TimeGptIdSchema(Schema):
    model_id = fields.String(required=True, metadata={"description": "Any id: there are none."})


@declare("GET", "v2/finetuned_models", TimeGptFinetunedModelsSchema(), permission=Permission.READ)
def finetuned_models() -> Json:
    """List the fine-tuned models: there are none."""
    return {"finetuned_models": []}


def _declare_model(method: str) -> Callable[[View], View]:
    return declare(
        method,
        "v2/finetuned_models/<model_id>",
        None,
        permission=Permission.READ,
        variables=TimeGptIdSchema(),
        other_errors=frozenset({404}),
    )


@_declare_model("GET")
def finetuned_model(model_id: str) -> NoReturn:
    """Show a fine-tuned model: there is none."""
    raise _no_model_error(model_id)


@_declare_model("DELETE")
def delete_finetuned_model(model_id: str) -> NoReturn:
    """Delete a fine-tuned model: there is none."""
    raise _no_model_error(model_id)


def _declare_rejected(path: str, *other_errors: int) -> Callable[[View], View]:
    return declare(
        "POST",
        path,
        None,
        permission=Permission.READ,
        variables=TimeGptTaskSchema(),
        other_errors=frozenset({422, *other_errors}),
    )


@_declare_rejected(f"v2/<any({', '.join(_TASKS)}):task>", 404)
def reject_task(task: str) -> NoReturn:
    """Reject a task that the service does not offer."""
    raise _not_offered_error(task)


@_declare_rejected("v2/<task>/async")
def reject_job(task: str) -> NoReturn:
    """Reject a job that would be polled."""
    raise _not_offered_error(f"{task}/async")


def _no_model_error(model_id: str) -> ApiError:
    return not_found_error(
        f"fine-tuned model {model_id[:100]!r}", "every call fits its own; leave it out"
    )


def _not_offered_error(task: str) -> ApiError:
    issue = (
        f"{task[:100]} is not offered, as there is no fine-tuning, simulation, explanation or "
        "job that is polled; use forecast, cross_validation, detect_anomalies or "
        "detect_anomalies_online, with num_partitions for many series"
    )
    return ApiError(422, "Not offered", issue)
