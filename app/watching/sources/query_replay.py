"""Replay the last days of a query with given settings: which alerts there would have been.

The URL of the endpoint calls it a trial.
"""

import datetime as dt
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from app.anomalies.results import EVENT_DIRECTIONS, EventKind
from app.compute.jobs import Job
from app.core.database import utcnow
from app.core.http.errors import HttpError
from app.core.record_fields import TIMESTAMP_FORMAT, described_field
from app.core.settings import Settings
from app.timeseries.seconds import DAY_SECONDS
from app.timeseries.types import BoolArray, FloatArray, IntArray
from app.watching.monitors.settings.monitor_records import EventRecord
from app.watching.sources.backfill import NO_SERIES
from app.watching.sources.backward_reads import (
    MAX_SERIES_REASON,
    HistoryColumns,
    HistorySteps,
    read_backwards,
    series_count_problem,
)
from app.watching.sources.client import PrometheusClient
from app.watching.sources.responses import SourceResponse
from app.watching.sources.source_checks import RunJob, open_check_client
from app.watching.sources.source_records import Labels, QuerySettings, SourceError
from app.watching.sources.steps import newest_complete_step

DEFAULT_DAYS, MAX_DAYS = 3, 14
_REPLAY_SECONDS = 20.0  # all requests of a replay together
_MAX_REPLAY_SECONDS = 45.0  # a replay with its jobs, for which it keeps its slot
_MIN_JOB_SECONDS = 1.0  # for a job that begins when the time is over
# Samples of all series that a replay reads, learned and judged, in at most five requests.
MAX_READ_SAMPLES = 500_000
# Points of all series that a replay learns and judges, and that it judges: 6 s of a core.
MAX_REPLAYED_POINTS, MAX_JUDGED_POINTS = 100_000, 50_000
# Events that are returned: of all series, and of one series its newest.
MAX_REPLAY_EVENTS, MAX_SERIES_EVENTS = 1_000, 100
_REMEDY = "send the request again with fewer days, fewer series or a shorter history"
_READ_JOB = Job(
    "app.watching.sources.replay_jobs:read_chunk",
    noun="replay",
    remedy=_REMEDY,
    is_low_priority=True,
)
REPLAY_JOB = Job(
    "app.watching.sources.replay_jobs:replay_series",
    noun="replay",
    remedy=_REMEDY,
    seconds_per_point=8e-5,
    is_low_priority=True,
)


@dataclass(frozen=True)
class JudgedSteps:
    """The steps of a series that were judged, ``times`` Unix times; each array has shape (n,).

    ``expected`` and the bounds are NaN where there is no verdict.
    """

    times: IntArray
    values: FloatArray
    expected: FloatArray
    lower: FloatArray
    upper: FloatArray


class EventMeasures(NamedTuple):
    """What is compared with the thresholds; ``relative`` is a fraction of the expected value."""

    severity: float
    deviation: float | None
    relative: float | None
    duration_steps: int


@dataclass(frozen=True, kw_only=True)
class ReplayedEvent(EventRecord):
    """An event that a monitor would have had; responses lack what only live events have."""

    id: int
    cursor: int
    kind: str = described_field("As of the events of a monitor.", enum=[*EventKind])
    direction: str = described_field("As in `POST /anomalies`.", enum=[*EVENT_DIRECTIONS])
    end: str | None = described_field(
        "Timestamp of the last point; null if it would be open now.", format=TIMESTAMP_FORMAT
    )
    reached_at: str | None
    severity: float = described_field("As in `POST /anomalies`.", minimum=0, maximum=100)
    deviation: float = described_field(
        "Distance of the value from the expected one at the peak, in the values' unit.", minimum=0
    )
    is_alert: bool = described_field(
        "Whether it would have fulfilled `alert_severity`, `alert_min_deviation`, "
        "`alert_min_relative` and `alert_for`. Only alerts would have been sent."
    )
    closed_as: str | None = described_field(
        "As of the events of a monitor; null if it would be open now."
    )
    opened_at: dt.datetime
    closed_at: dt.datetime | None
    alerted_at: str | None = described_field(
        "Timestamp of the point at which it would have been sent; null if it would not.",
        format=TIMESTAMP_FORMAT,
    )


@dataclass(frozen=True, kw_only=True)
class SeriesReplay:
    """The verdicts and events that a monitor of a series would have had.

    Attributes:
        judged: What was judged.
        measures: What the thresholds are compared with, for each of all events.
        verdict_count: The number of steps that had a verdict; the first ones of a young series have
            none.
        learned_count: The number of points before them, which it learned.
    """

    labels: Labels = described_field("The labels of the series.")
    points: int = described_field("Points that were judged.", minimum=0)
    alerts: int = described_field("Events that would have been sent.", minimum=0)
    events: Sequence[ReplayedEvent] = described_field(
        "Oldest first, also those that would not have been sent: the newest "
        f"{MAX_SERIES_EVENTS:,} of a series, and of all series at most {MAX_REPLAY_EVENTS:,}."
    )
    judged: JudgedSteps
    measures: Sequence[EventMeasures]
    verdict_count: int
    learned_count: int


@dataclass(frozen=True, kw_only=True)
class QueryReplay:
    """A replay of a query.

    ``history_steps`` is the number of steps before ``start``, which the server may have in part.
    """

    start: dt.datetime = described_field("The first step that was judged.")
    end: dt.datetime = described_field("The last step that was judged.")
    series: int = described_field("Series in the newest response.", minimum=0)
    replayed: int = described_field("How many of them were replayed: the first.", minimum=0)
    alerts: int = described_field("Alerts of all replayed series.", minimum=0)
    results: Sequence[SeriesReplay] = described_field("The replayed series.")
    history_steps: int

    @property
    def notices(self) -> list[str]:
        return [] if self.series else [NO_SERIES]


class ReplayPlan(NamedTuple):
    """The steps of a replay: the first ones are learned, the others, up to ``end``, are judged.

    ``step`` is in seconds, ``end`` a Unix time.
    """

    history_steps: int
    judged_steps: int
    end: int
    step: int


class ReplayedValues(NamedTuple):
    """A series of n steps: its values, shape (n,), NaN where there is none.

    ``is_partial``, shape (n,): whether the window of a step reaches over a gap: a missing point.
    """

    labels: Labels
    values: FloatArray
    is_partial: BoolArray


def replay_query(
    settings: Settings,
    account_id: int,
    source: str,
    query_settings: QuerySettings,
    days: int,
    run: RunJob,
) -> QueryReplay:
    """Replay the last ``days`` of a query: each series learns its history, then is judged.

    Raise NoSuchSourceError, UnreadableCredentialsError, or HttpError, also if there is too much to
    read.
    """
    judged_steps = max(1, days * DAY_SECONDS // query_settings.step)
    run_in_time = partial(_run_until, run, time.monotonic() + _MAX_REPLAY_SECONDS)
    unmuted = replace(query_settings.monitor_settings, muted_until=None)
    with open_check_client(settings, account_id, source, _REPLAY_SECONDS) as client:
        now = utcnow().timestamp() + client.clock_offset_seconds()
        end = newest_complete_step(now, query_settings.step, query_settings.delay)
        plan = ReplayPlan(query_settings.history, judged_steps, end, query_settings.step)
        count = client.count_series(query_settings.query, end)
        _reject_too_much(count, query_settings.max_series, plan.history_steps + judged_steps)
        series = (
            _read_series(client, query_settings.query, plan, count, run_in_time) if count else []
        )
        points = len(series) * (plan.history_steps + judged_steps)
        kept = settings.monitor_points_kept
        results = run_in_time(REPLAY_JOB, series, plan, unmuted, kept, points=points)
    start = end - (judged_steps - 1) * query_settings.step
    return QueryReplay(
        start=dt.datetime.fromtimestamp(start, dt.UTC),
        end=dt.datetime.fromtimestamp(end, dt.UTC),
        series=count,
        replayed=len(results),
        alerts=sum(replay.alerts for replay in results),
        results=results,
        history_steps=query_settings.history,
    )


def _run_until(run: RunJob, ends_at: float, job: Job, *arguments: Any, points: int = 0) -> Any:
    """Run a job within the time that a replay has left by the monotonic clock."""
    seconds = max(_MIN_JOB_SECONDS, ends_at - time.monotonic())
    return run(job, *arguments, points=points, timeout_seconds=seconds)


def _reject_too_much(count: int, max_series: int, step_count: int) -> None:
    if count > max_series:
        raise SourceError(series_count_problem(count, max_series, MAX_SERIES_REASON))
    if count * step_count > MAX_READ_SAMPLES:
        raise SourceError(
            f"{count:,} series of {step_count:,} steps, learned and judged, are more than the "
            f"{MAX_READ_SAMPLES:,} points that a replay reads: send fewer days or a shorter history"
        )


def _read_series(
    client: PrometheusClient, query: str, plan: ReplayPlan, count: int, run: RunJob
) -> list[ReplayedValues]:
    """Return the first series in the newest response, as many as may be replayed."""
    total = plan.history_steps + plan.judged_steps
    max_series = max(1, min(MAX_REPLAYED_POINTS // total, MAX_JUDGED_POINTS // plan.judged_steps))
    history = HistorySteps(total, plan.end, plan.step)
    columns = HistoryColumns(history)

    def read(first: int, last: int) -> SourceResponse:
        return client.query_range_response(query, first, last, plan.step)

    for part in read_backwards(read, history, count):
        width = part.positions.stop - part.positions.start
        keys = None if part.is_newest else [*columns.by_key]
        matrix = run(_READ_JOB, part.response, part.first, plan.step, width, keys, max_series)
        if isinstance(matrix, HttpError):
            raise matrix
        columns.add(part, matrix.series, matrix.is_empty)
    partial_steps = columns.partial_steps(query)
    return [ReplayedValues(*column, partial_steps) for column in columns.by_key.values()]
