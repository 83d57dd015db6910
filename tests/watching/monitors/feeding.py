"""Create and feed monitors."""

import datetime as dt
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sqlalchemy import insert, update

from app.anomalies.results import Direction
from app.compute import jobs
from app.compute.jobs import Job
from app.core.database import db
from app.delivery import webhook_registry
from app.delivery.formats import DEFAULT_FORMAT
from app.identity.accounts.models import Account
from app.timeseries.calendar.fit import fit_calendar
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.timestamps import ParsedTimestamps, format_timestamps, parse_timestamps
from app.timeseries.series import Series
from app.watching.monitors.queries.monitor_queries import read_events, read_points
from app.watching.monitors.settings.monitor_records import (
    AppendResult,
    EventRecord,
    Point,
    PointStatus,
    PutResult,
)
from app.watching.monitors.settings.monitor_settings import MonitorSettings
from app.watching.monitors.storage.compat_1_2 import mirror_webhook
from app.watching.monitors.storage.row_conversion import STATES
from tests.support.keys import ACTOR
from tests.support.watching import append, put_monitor

ACCOUNT = 1
NAME = "cpu"
URL = "https://example.com/hook"
NOW = dt.datetime(2026, 5, 1, 12, 0, tzinfo=dt.UTC)
START = np.datetime64("2026-05-01T00:00:00", "s")
HOURLY = MonitorSettings(Frequency.HOURS, 1, 0.001, Direction.BOTH)
LEARN = Job("app.anomalies.streaming.learning:learn_history", noun="history")


def learn(*arguments: Any) -> Any:
    return jobs.call_job_function(LEARN, *arguments)


def other_account() -> None:
    """Create the account 2."""
    with db.engine.begin() as connection:
        connection.execute(insert(Account).values(id=2, name="acme", created_at=NOW))


def make(
    name: str = NAME,
    account: int = ACCOUNT,
    history: Series | None = None,
    webhook: str | None = None,
    **settings: Any,
) -> PutResult:
    return put_monitor(account, name, replace(HOURLY, webhook=webhook, **settings), history, learn)


def put_webhook(
    name: str = "ops", url: str = URL, form: str = DEFAULT_FORMAT, account: int = ACCOUNT
) -> str:
    """Create or change a webhook as the endpoint does; return its name."""
    with db.engine.begin() as connection:
        put = webhook_registry.put_webhook(connection, ACTOR, account, name, url, form, 100)
        mirror_webhook(connection, put.row.id)
    return name


def hours(indices: ArrayLike, suffix: str = "Z") -> ParsedTimestamps:
    return parse_timestamps(
        format_timestamps(START + 3_600 * np.array(indices, dtype=np.int64), suffix)
    )


def send(
    indices: ArrayLike,
    values: ArrayLike,
    name: str = NAME,
    account: int = ACCOUNT,
    suffix: str = "Z",
) -> AppendResult:
    """Append hourly points at these indices after the start."""
    return append(account, name, hours(indices, suffix), np.array(values, dtype=np.float64))


def send_in_batches(
    sent: Sequence[tuple[int, float]], cuts: Iterable[int], name: str
) -> list[Point]:
    """Append indices and values in batches, which end after these numbers of points."""
    bounds = [0, *sorted({cut for cut in cuts if cut < len(sent)}), len(sent)]
    return [
        point
        for start, end in itertools.pairwise(bounds)
        for point in send(*zip(*sent[start:end], strict=True), name=name).points
    ]


def send_at(*timestamps: str, name: str = NAME) -> AppendResult:
    """Append points of value 1 at timestamps."""
    return append(ACCOUNT, name, parse_timestamps(timestamps), np.ones(len(timestamps)))


def waves(count: int, seed: int = 0) -> list[float]:
    """Return the values of a calm daily wave."""
    noise = np.random.default_rng(seed).normal(size=count)
    return (10 + np.sin(np.arange(count) / 24 * 2 * np.pi) + 0.1 * noise).tolist()


def history(
    count: int,
    seed: int = 0,
    frequency: Frequency = Frequency.HOURS,
    start: np.datetime64 = START,
    seconds: int = 3_600,
) -> Series:
    times = start + seconds * np.arange(-count, 0)
    return Series(np.array(waves(count, seed)), fit_calendar(times, frequency), "Z")


def history_at(timestamps: Sequence[str], frequency: Frequency) -> Series:
    sent = parse_timestamps(timestamps)
    return Series(
        np.arange(len(timestamps)) % 7.0, fit_calendar(sent.times, frequency), sent.suffix
    )


def points(name: str = NAME, account: int = ACCOUNT) -> Sequence[Point]:
    return read_points(account, name, None, 100_000, False).items


def events(name: str = NAME, account: int = ACCOUNT) -> Sequence[EventRecord]:
    return read_events(account, name, None, 100_000, False).items


def statuses(appended: AppendResult) -> list[str]:
    return [str(point.status) for point in appended.points]


def are_all_judged(appended: AppendResult) -> bool:
    return {point.status for point in appended.points} == {PointStatus.JUDGED}


def make_states_foreign() -> None:
    with db.engine.begin() as connection:
        connection.execute(update(STATES).values(state=b"\0" * 800))
