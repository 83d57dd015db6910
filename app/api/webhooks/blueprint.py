"""The blueprint of webhooks, and the API errors for the exceptions of its views."""

from flask import Blueprint, Response

from app.api.error_response import error_response
from app.api.errors import ApiError, not_found_error, too_many_error
from app.api.problems import describe_value
from app.delivery.records import NoSecretError, NoSuchWebhookError, TooManyWebhooksError

blueprint = Blueprint("webhooks", __name__)


@blueprint.errorhandler(NoSuchWebhookError)
def handle_no_such_webhook(error: NoSuchWebhookError) -> Response:
    """Return 404, the same whether the webhook belongs to another account or does not exist."""
    remedy = "GET /webhooks lists the webhooks of the account, PUT /webhooks/{name} creates one"
    return error_response(not_found_error(f"webhook {describe_value(error.name)!r}", remedy))


@blueprint.errorhandler(TooManyWebhooksError)
def handle_too_many_webhooks(error: TooManyWebhooksError) -> Response:
    """Return 400 with the number of webhooks allowed."""
    return error_response(too_many_error("webhooks", error.limit, "WEBHOOKS_PER_ACCOUNT"))


@blueprint.errorhandler(NoSecretError)
def handle_no_secret(error: NoSecretError) -> Response:
    """Return 400: there is nothing to rotate."""
    issue = f"{error}, so the webhook has no secret; send the format standard with PUT, which "
    return error_response(ApiError(400, "There is no secret", {"issue": f"{issue}returns one"}))


def webhook_in_use_error(name: str, monitors: list[str]) -> ApiError:
    """Return the response to the deletion of a webhook that monitors name."""
    issue = (
        f"monitors send their alerts to {name!r}: give these monitors another webhook or none with "
        "PUT /monitors/{name}, or delete them (those that a query feeds through the query); then "
        "delete the webhook"
    )
    return ApiError(409, "The webhook is in use", {"issue": issue, "monitors": monitors})
