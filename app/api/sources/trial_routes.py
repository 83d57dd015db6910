"""POST /sources/{source}/queries/{query}/trial: which alerts the settings of a query would send."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from marshmallow import post_load, validate

from app.anomalies.results import EVENT_DIRECTIONS, EventKind
from app.api.callers.current_caller import current_caller
from app.api.computing.engine_jobs import run_job
from app.api.endpoints.endpoint import Result, Success
from app.api.endpoints.record_schemas import response_schema
from app.api.errors.api_error import ApiError, unavailable_error
from app.api.errors.validation import field_error
from app.api.examples.recorded import EXAMPLES
from app.api.requests.fields import StrictInteger
from app.api.responses.headers import NOTICE_HEADER, notice_headers
from app.api.service import current_settings
from app.api.sources.blueprint import QUERY_RESOURCE
from app.api.sources.schemas import QueryRequestSchema
from app.core.http.errors import HttpError
from app.core.record_fields import TIMESTAMP_FORMAT, described_field
from app.watching.monitors.monitor_records import EventRecord
from app.watching.sources.query_replay import (
    DEFAULT_DAYS,
    MAX_DAYS,
    MAX_JUDGED_POINTS,
    MAX_READ_SAMPLES,
    MAX_REPLAY_EVENTS,
    MAX_REPLAYED_POINTS,
    MAX_SERIES_EVENTS,
    QueryReplay,
    SeriesReplay,
    replay_query,
)
from app.watching.sources.source_checks import CheckBusyError
from app.watching.sources.source_records import (
    Labels,
    QueryRejectedError,
    QuerySettings,
    UnreadableCredentialsError,
)

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


@dataclass(frozen=True, kw_only=True)
class ReplayedEvent:
    """An event that a monitor would have had."""

    kind: str = described_field("As of the events of a monitor.", enum=[*EventKind])
    direction: str = described_field("The side.", enum=[*EVENT_DIRECTIONS])
    start: str = described_field("Timestamp of the first point.", format=TIMESTAMP_FORMAT)
    end: str | None = described_field(
        "Timestamp of the last point; null if it would be open now.", format=TIMESTAMP_FORMAT
    )
    peak_timestamp: str = described_field(
        "Timestamp of the point that is farthest from its expected value.", format=TIMESTAMP_FORMAT
    )
    severity: float = described_field(minimum=0, maximum=100)
    deviation: float = described_field(
        "Distance of the value from the expected one at the peak, in the values' unit.", minimum=0
    )
    is_alert: bool = described_field("Whether it would have been sent.")
    alerted_at: str | None = described_field(
        "Timestamp of the point at which it would have been sent; null if it would not.",
        format=TIMESTAMP_FORMAT,
    )
    closed_as: str | None = described_field(
        "As of the events of a monitor; null if it would be open now."
    )


_EVENT_FIELDS = {field.name for field in fields(ReplayedEvent)} - {"alerted_at"}


@dataclass(frozen=True, kw_only=True)
class ReplayedSeries:
    labels: Labels = described_field("The labels of the series.")
    points: int = described_field("Points that were judged.", minimum=0)
    alerts: int = described_field("Events that would have been sent.", minimum=0)
    events: Sequence[ReplayedEvent] = described_field(
        "Oldest first, also those that would not have been sent: the newest "
        f"{MAX_SERIES_EVENTS:,} of a series, and of all series at most {MAX_REPLAY_EVENTS:,}."
    )


@dataclass(frozen=True, kw_only=True)
class QueryTrial:
    start: dt.datetime = described_field("The first step that was judged.")
    end: dt.datetime = described_field("The last step that was judged.")
    series: int = described_field("Series in the newest response.", minimum=0)
    replayed: int = described_field("How many of them were replayed: the first.", minimum=0)
    alerts: int = described_field("Alerts of all replayed series.", minimum=0)
    results: Sequence[ReplayedSeries] = described_field("The replayed series.")


_TRIAL_SCHEMA = response_schema(QueryTrial, "Trial")()


def query_trial(replay: QueryReplay) -> QueryTrial:
    return QueryTrial(
        start=dt.datetime.fromtimestamp(replay.start, dt.UTC),
        end=dt.datetime.fromtimestamp(replay.end, dt.UTC),
        series=replay.series_count,
        replayed=len(replay.replayed),
        alerts=replay.alert_count,
        results=[
            ReplayedSeries(
                labels=replayed.labels,
                points=len(replayed.steps.times),
                alerts=replayed.alert_count,
                events=[_replayed_event(replayed, event) for event in replayed.events],
            )
            for replayed in replay.replayed
        ],
    )


def _replayed_event(replay: SeriesReplay, event: EventRecord) -> ReplayedEvent:
    values = {name: value for name, value in vars(event).items() if name in _EVENT_FIELDS}
    return ReplayedEvent(**values, alerted_at=replay.alerted_at.get(event.id))


@QUERY_RESOURCE.endpoint(
    "POST",
    "/sources/<source>/queries/<query>/trial",
    body=QueryTrialRequestSchema(),
    successes={200: Success("What would have been sent.", _TRIAL_SCHEMA, NOTICE_HEADER)},
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
        return Result(query_trial(replay), notice_headers(replay.notices))
    except CheckBusyError as error:
        raise unavailable_error("Service is busy", str(error), _BUSY_SECONDS) from None
    except QueryRejectedError as error:
        schema = QueryTrialRequestSchema()
        raise field_error(schema, "query", str(error), query_settings.query) from None
    except (HttpError, UnreadableCredentialsError) as error:
        raise ApiError(422, "The query cannot be tried", str(error)) from None
