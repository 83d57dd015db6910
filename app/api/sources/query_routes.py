"""The queries of a source: create, change, show, delete and replay them."""

from app.api.callers.current_caller import current_actor, current_caller
from app.api.computing.engine_jobs import run_job
from app.api.endpoints.endpoint import Result, Success
from app.api.endpoints.record_schemas import response_schema
from app.api.errors.api_error import ApiError, unavailable_error
from app.api.errors.validation import field_error
from app.api.examples.recorded import EXAMPLES
from app.api.responses.headers import NOTICE_HEADER, notice_headers
from app.api.service import current_settings
from app.api.sources.blueprint import QUERY_RESOURCE
from app.api.sources.schemas import QueryReplayRequestSchema, QueryRequestSchema
from app.api.webhooks.schemas import no_webhook_error
from app.core.http.errors import HttpError
from app.delivery.webhook_records import NoSuchWebhookError
from app.watching.sources import query_registry, query_replay, source_checks, source_reader
from app.watching.sources.query_replay import (
    MAX_JUDGED_POINTS,
    MAX_READ_SAMPLES,
    MAX_REPLAYED_POINTS,
    QueryReplay,
)
from app.watching.sources.source_checks import CheckBusyError
from app.watching.sources.source_records import (
    QueryFixedError,
    QueryRejectedError,
    QuerySettings,
    UnreadableCredentialsError,
)

_PUT_DESCRIPTION = """\
Creates a query, or replaces the settings of the one with this name and of its monitors. The
names of the monitors begin with that of the query; if another source of the account has a query of
this name, with that of the source before it. Fields left out are reset to their defaults.

The worker reads the history, learns it, and then reads each step `delay` seconds after it. Each
series is a monitor, which only the query feeds. A series that is not returned for five steps is
`absent`, and forgotten after seven days; if it returns earlier, the same monitor continues.

The source parses a new query first: one that it rejects is `422` with its own words. If it does not
respond within two seconds, the query is stored.

Thresholds, `muted_until` and `webhook` apply to all monitors of the query from the next point."""
_REPLAY_SCHEMA = response_schema(QueryReplay)()
_BUSY_SECONDS = 5  # the Retry-After of a replay that waits for others
_REPLAY_DESCRIPTION = f"""\
Replays the last `days` with the settings in the body, those of `PUT`, and stores nothing: each
series learns the `history` before them, then its points are judged one by one, as the worker would
have done. So the events are those that live monitors would have had, but for the kinds `overdue`,
`limit_ahead` and `limit_reached`. `muted_until`, `webhook` and `limit` are ignored. The query need
not exist.

All series may have at most {MAX_READ_SAMPLES:,} points together, history included; of them the
first are replayed, with at most {MAX_REPLAYED_POINTS:,} points, of which {MAX_JUDGED_POINTS:,} are
judged. A replay takes some seconds; an account has one at a time."""


@QUERY_RESOURCE.put_endpoint(
    description=_PUT_DESCRIPTION,
    body=QueryRequestSchema(),
    example=EXAMPLES.success("query", "The requests per second of each service"),
)
def put_query(query_settings: QuerySettings, source: str, query: str) -> Result:
    """Create a query, or change it."""
    account = current_caller().account_id
    if problem := source_checks.new_query_problem(
        current_settings(), account, source, query, query_settings.query
    ):
        raise field_error(QueryRequestSchema(), "query", problem, query_settings.query)
    try:
        is_new = query_registry.put_query(
            current_settings(), current_actor(), account, source, query, query_settings
        )
    except QueryFixedError as error:
        raise _query_fixed_error(error.field, getattr(query_settings, error.field)) from None
    except NoSuchWebhookError as error:
        raise no_webhook_error(QueryRequestSchema(), error.name) from None
    record = source_reader.get_query(account, source, query)
    return Result(record, status=201 if is_new else 200)


def _query_fixed_error(field: str, value: object) -> ApiError:
    issue = (
        "cannot change: the query has monitors, which have learned from it; send the value that it "
        "has, or another name for a new query"
    )
    # The value itself is valid, so this is a 400.
    return field_error(QueryRequestSchema(), field, issue, value, may_be_data=False)


QUERY_RESOURCE.declare_get(
    source_reader.get_query, "Shows a query, its state, and what looks wrong about its series."
)
QUERY_RESOURCE.declare_delete(
    lambda account_id, source, query: query_registry.delete_query(
        current_actor(), account_id, source, query
    ),
    "Deletes a query with its monitors, and everything that these have learned.",
    effect=" and everything that it feeds",
)


@QUERY_RESOURCE.endpoint(
    "POST",
    "/sources/<source>/queries/<query>/trial",
    body=QueryReplayRequestSchema(),
    successes={200: Success("What would have been sent.", _REPLAY_SCHEMA, NOTICE_HEADER)},
    example=EXAMPLES.success("query-replay", "Three days of a query"),
    description=_REPLAY_DESCRIPTION,
    errors=[422],
)
def replay_query(sent: tuple[QuerySettings, int], source: str, query: str) -> Result:
    """Replay a query: which alerts its settings would have sent."""
    query_settings, days = sent
    account_id = current_caller().account_id
    try:
        replay = query_replay.replay_query(
            current_settings(), account_id, source, query_settings, days, run_job
        )
        return Result(replay, notice_headers(replay.notices))
    except CheckBusyError as error:
        raise unavailable_error("Service is busy", str(error), _BUSY_SECONDS) from None
    except QueryRejectedError as error:
        schema = QueryReplayRequestSchema()
        raise field_error(schema, "query", str(error), query_settings.query) from None
    except (HttpError, UnreadableCredentialsError) as error:
        raise ApiError(422, "The query cannot be replayed", str(error)) from None
