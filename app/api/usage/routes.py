"""GET /usage: the calls of an account by hour or day, key, endpoint and status class."""

from flask import Blueprint

from app.api.callers.current_caller import current_caller
from app.api.endpoints.endpoint import Endpoint, Success, Tag
from app.api.errors.api_error import INVALID_PARAMETERS, ApiError, defect_error
from app.api.examples.recorded import EXAMPLES
from app.api.responses.json import Json
from app.api.serving.decorator import endpoint
from app.api.usage.schemas import UsageQuerySchema, UsageResponseSchema
from app.core.database import iso_string
from app.identity.accounts.permissions import Permission
from app.identity.usage.rows import Span, TooManyRowsError, usage_row_body, usage_rows
from app.identity.usage.sweep import RETENTION_DAYS

blueprint = Blueprint("usage", __name__)

MAX_ROWS = 50_000  # 6 MB of JSON
_USAGE_TAG = Tag("Usage", "How often the keys of the account were used.")
_DESCRIPTION = f"""\
Returns how often the keys of the account were used: the number of calls by hour or day, key,
endpoint and status class. A call with many series counts as several, as for the rate limits. A call
appears a few seconds after its response; the last {RETENTION_DAYS} days are kept. `since` and
`until` are extended to whole hours or days.

Needs the permission `admin`. A response has at most {MAX_ROWS:,} rows. A request for more gets
400: request a shorter period or use `interval=day`."""


@endpoint(
    blueprint,
    Endpoint(
        "GET",
        "/usage",
        permission=Permission.ADMIN,
        query=UsageQuerySchema(),
        successes={200: Success("The calls in this period.", UsageResponseSchema())},
        tag=_USAGE_TAG,
        operation_id="readUsage",
        description=_DESCRIPTION,
        example=EXAMPLES.success("usage", "A key that was used in two hours"),
    ),
)
def read_usage(span: Span) -> Json:
    """Show how often the keys of the account were used."""
    try:
        rows = usage_rows(current_caller().account_id, span, MAX_ROWS)
    except TooManyRowsError:
        raise _too_many_rows_error(span) from None
    return {
        "since": iso_string(span.since),
        "until": iso_string(span.until),
        "interval": span.interval,
        "usage": [usage_row_body(row) for row in rows],
    }


def _too_many_rows_error(span: Span) -> ApiError:
    issue = (
        f"too many rows: more than {MAX_ROWS:,} by {span.interval} from "
        f"{iso_string(span.since)} to {iso_string(span.until)}; send a later since, an earlier "
        "until, or interval=day"
    )
    return defect_error(*INVALID_PARAMETERS, "since", issue, iso_string(span.since))
