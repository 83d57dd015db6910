"""POST /sources/{source}/queries/{query}/trial: which alerts the settings of a query would send."""

from typing import Any

from marshmallow import post_load, validate

from app.api.callers.current_caller import current_caller
from app.api.computing.engine_jobs import run_job
from app.api.endpoints.endpoint import Result, Success
from app.api.endpoints.record_schemas import response_schema
from app.api.errors.api_error import ApiError, unavailable_error
from app.api.errors.problems import field_error
from app.api.examples.recorded import EXAMPLES
from app.api.requests.fields import StrictInteger
from app.api.responses.headers import NOTICE_HEADER, notice_headers
from app.api.service import current_settings
from app.api.sources.blueprint import QUERY_RESOURCE
from app.api.sources.schemas import QueryRequestSchema
from app.core.http.errors import HttpError
from app.watching.sources.query_replay import (
    DEFAULT_DAYS,
    MAX_DAYS,
    MAX_JUDGED_POINTS,
    MAX_READ_SAMPLES,
    MAX_REPLAYED_POINTS,
    QueryReplay,
    replay_query,
)
from app.watching.sources.source_checks import CheckBusyError
from app.watching.sources.source_records import (
    QueryRejectedError,
    QuerySettings,
    UnreadableCredentialsError,
)

_REPLAY_SCHEMA = response_schema(QueryReplay)()
_BUSY_SECONDS = 5  # the Retry-After of a trial that was refused because of others
_DESCRIPTION = f"""\
Replays the last `days` with the settings in the body, those of `PUT`, and stores nothing: each
series learns the `history` before them, then its points are judged one by one, as the worker would
have done. So the events are those that live monitors would have had, but for the kinds `overdue`,
`limit_ahead` and `limit_reached`. `muted_until`, `webhook` and `limit` are ignored. The query need
not exist.

All series may have at most {MAX_READ_SAMPLES:,} points together, history included; of them the
first are replayed, with at most {MAX_REPLAYED_POINTS:,} points, of which {MAX_JUDGED_POINTS:,} are
judged. A trial takes some seconds; an account has one at a time."""


class QueryTrialRequestSchema(QueryRequestSchema):
    """The body of a trial; loads into the settings and the number of days."""

    data_message = "Invalid trial"

    days = StrictInteger(
        load_default=DEFAULT_DAYS,
        validate=validate.Range(1, MAX_DAYS, error=f"Must be between 1 and {MAX_DAYS}"),
        metadata={"description": "Days before now that are replayed.", "default": DEFAULT_DAYS},
    )

    @post_load
    def load_record(self, data: dict[str, Any], **_kwargs: Any) -> Any:
        days = data.pop("days")
        return QuerySettings(**data), days


@QUERY_RESOURCE.endpoint(
    "POST",
    "/sources/<source>/queries/<query>/trial",
    body=QueryTrialRequestSchema(),
    successes={200: Success("What would have been sent.", _REPLAY_SCHEMA, NOTICE_HEADER)},
    example=EXAMPLES.success("query-trial", "Three days of a query"),
    description=_DESCRIPTION,
    errors=[422],
)
def try_query(sent: tuple[QuerySettings, int], source: str, query: str) -> Result:
    """Try a query: which alerts its settings would have sent."""
    query_settings, days = sent
    account_id = current_caller().account_id
    try:
        replay = replay_query(current_settings(), account_id, source, query_settings, days, run_job)
        return Result(replay, notice_headers(replay.notices))
    except CheckBusyError as error:
        raise unavailable_error("Service is busy", str(error), _BUSY_SECONDS) from None
    except QueryRejectedError as error:
        schema = QueryTrialRequestSchema()
        raise field_error(schema, "query", str(error), query_settings.query) from None
    except (HttpError, UnreadableCredentialsError) as error:
        raise ApiError(422, "The query cannot be tried", str(error)) from None
