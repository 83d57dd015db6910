"""The 34 faults: 17 in the replayed days, 17 in the live hours, each in a series of its own.

They were written down before any detector had judged them, and follow what operators report.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from app.timeseries.types import FloatArray
from benchmarks.faults.shapes import DAY, HOUR, MINUTE, RATE_SECONDS, Runs
from benchmarks.faults.shop import BEGIN, REPLAYED_SECONDS, SHAPES, Drawn, draw, lead_steps

# Steps after a fault within which an alert still counts as an alert about it: one that comes later
# reports its end.
GRACE_STEPS = 1

# Returns the faulty values for the right ones while a fault lasts, shape (n,).
Change = Callable[[FloatArray], FloatArray]
# Returns the runs that happen instead of the one from the first to the second time.
ChangeRun = Callable[[int, int], Runs]


@dataclass(frozen=True)
class Fault:
    """A fault of one series.

    Attributes:
        series: The name of the series.
        description: What happens.
        at: Seconds from `BEGIN` to the fault: the first faulty step is then or just after.
        lasts: Seconds that it lasts.
        change: What it makes of the values; None for a fault of a job.
        change_run: What it makes of the job's run at ``run_at``; None for others.
        run_at: Seconds from `BEGIN` to the due time of that run.
        ends_series: Whether the series has no value while it lasts: its own state shows that.
        has_nan: Whether it has NaN then, and not no sample.
    """

    series: str
    description: str
    at: int
    lasts: int
    change: Change | None = None
    change_run: ChangeRun | None = None
    run_at: int = 0
    ends_series: bool = False
    has_nan: bool = False

    @property
    def is_live(self) -> bool:
        return self.at >= REPLAYED_SECONDS

    @property
    def drawn(self) -> Drawn:
        """The series, as drawn without the fault."""
        return draw(next(shape for shape in SHAPES if shape.name == self.series))

    def values(self, drawn: Drawn) -> FloatArray:
        """Return all values with the fault, shape (n,)."""
        if self.change_run is None:
            values = drawn.values(drawn.base, drawn.runs)
            now = drawn.times - BEGIN
            during = (now >= self.at) & (now < self.at + self.lasts)
            values[during] = self.change(values[during]) if self.change else values[during]
            shape = drawn.shape
            values = np.clip(values, shape.low, shape.high)
            return values if shape.digits is None else np.round(values, shape.digits)
        runs: Runs = []
        for begin, end in drawn.runs:
            is_hit = abs(begin - BEGIN - self.run_at) <= MINUTE
            runs += self.change_run(begin, end) if is_hit else [(begin, end)]
        return drawn.values(drawn.base, runs)

    def window(self, drawn: Drawn) -> tuple[int, int]:
        """Return the first and last judged step at which an alert is about it.

        Steps are counted from the history's first. The last one allows `GRACE_STEPS`, and the
        window of a rate.
        """
        now = drawn.times[lead_steps(drawn.shape) :] - BEGIN
        first = int(np.searchsorted(now, self.at))
        trail = RATE_SECONDS if drawn.shape.is_counter else 0
        last = int(np.searchsorted(now, self.at + self.lasts + trail))
        return first, min(len(now) - 1, last + GRACE_STEPS)


def on(day: int, hour: int, minute: int = 0) -> int:
    """Return a time of a day, in seconds from `BEGIN`; day 3 has the live hours."""
    return day * DAY + hour * HOUR + minute * MINUTE


def scale(factor: float) -> Change:
    return lambda values: factor * values


def add(amount: float) -> Change:
    return lambda values: values + amount


def climb(per_step: float) -> Change:
    """Add more at each step."""
    return lambda values: values + per_step * np.arange(1, len(values) + 1)


def keep_at(value: float) -> Change:
    """Replace by one value."""
    return lambda values: np.full(len(values), value)


def freeze(values: FloatArray) -> FloatArray:
    """Keep the first value."""
    return np.full(len(values), values[0])


def missing_run(series: str, description: str, due: int, lasts: int) -> Fault:
    """Return the fault that a run does not happen."""
    return Fault(series, description, due, lasts, change_run=lambda _begin, _end: [], run_at=due)


def late_run(series: str, description: str, due: int, lasts: int, by: int) -> Fault:
    """Return the fault that a run begins ``by`` seconds late."""
    return Fault(
        series,
        description,
        due,
        by + lasts,
        change_run=lambda begin, end: [(begin + by, end + by)],
        run_at=due,
    )


def doubled_run(series: str, description: str, due: int, lasts: int) -> Fault:
    """Return the fault that a run takes twice as long; it begins where the run usually ends.

    It is a minute shorter, as runs begin up to a minute late: an alert about its end is too late.
    """
    return Fault(
        series,
        description,
        due + lasts,
        lasts - MINUTE,
        change_run=lambda begin, end: [(begin, 2 * end - begin)],
        run_at=due,
    )


def halved_run(series: str, description: str, due: int, lasts: int) -> Fault:
    """Return the fault that a run ends after half of its time; it begins there."""
    return Fault(
        series,
        description,
        due + lasts // 2,
        lasts // 2,
        change_run=lambda begin, end: [(begin, (begin + end) // 2)],
        run_at=due,
    )


FAULTS = (
    # In the replayed days: Sunday is 0, Monday 1.
    Fault("requests/cart", "outage beside hourly bursts", on(1, 10, 20), 10 * MINUTE, scale(0)),
    Fault("requests/partner", "x 0.3 beside hourly bursts", on(1, 14, 5), 15 * MINUTE, scale(0.3)),
    Fault("orders", "0 for six steps, log-normal", on(1, 11, 0), 6 * MINUTE, scale(0)),
    missing_run("nightly/backup", "nightly run missing", on(1, 2), 45 * MINUTE),
    late_run("nightly/report", "nightly run two hours late", on(1, 3), 20 * MINUTE, 2 * HOUR),
    doubled_run("nightly/export", "nightly run takes twice as long", on(2, 1), 2 * HOUR),
    halved_run("nightly/index", "nightly run ends halfway", on(2, 4), 10 * MINUTE),
    missing_run("hourly/sync", "hourly run of one step missing", on(1, 13, 5), MINUTE),
    Fault("nightly/ledger", "noon x 3 beside a nightly job", on(1, 12), 15 * MINUTE, scale(3)),
    Fault("p99/cart", "x 1.5 for an hour", on(1, 15), HOUR, scale(1.5)),
    Fault("connections/web", "x 1.5 for an hour", on(2, 9, 30), HOUR, scale(1.5)),
    Fault("users", "+ 7.6 for a day", on(1, 12), DAY, add(7.6)),
    Fault("temperature/room", "drift of 0.4 a day", on(1, 0), 2 * DAY, climb(0.4 * MINUTE / DAY)),
    Fault("queue/mail", "grows by 1 a step", on(2, 16), 40 * MINUTE, climb(1)),
    missing_run("weekly/batch", "weekly run missing", on(1, 4), 2 * HOUR),
    late_run("weekly/invoices", "weekly run three hours late", on(1, 6), HOUR, 3 * HOUR),
    Fault("up/cart", "down for ten steps", on(2, 11), 10 * MINUTE, keep_at(0)),
    # In the live hours: Wednesday, 0:00 to 12:00.
    Fault("requests/catalog", "outage, rhythm", on(3, 9, 10), 10 * MINUTE, scale(0)),
    Fault("requests/images", "outage, heavy tails", on(3, 10, 0), 10 * MINUTE, scale(0)),
    Fault("requests/mobile", "x 0.3, deep nights", on(3, 10, 30), 20 * MINUTE, scale(0.3)),
    Fault("requests/checkout", "outage, counts", on(3, 8, 40), 10 * MINUTE, scale(0)),
    Fault("p99/checkout", "x 3 for ten steps, log-normal", on(3, 9, 0), 10 * MINUTE, scale(3)),
    missing_run("nightly/snapshot", "nightly run missing, log-normal", on(3, 2), 30 * MINUTE),
    late_run(
        "hourly/clean-up", "hourly run 20 minutes late", on(3, 7, 15), 3 * MINUTE, 20 * MINUTE
    ),
    doubled_run("hourly/warm-up", "hourly run takes twice as long", on(3, 8, 45), 6 * MINUTE),
    Fault("errors/share", "x 10 for ten steps", on(3, 9, 50), 10 * MINUTE, scale(10)),
    Fault("disk/data", "fills by 0.1 % a step", on(3, 10, 20), HOUR, climb(0.001)),
    Fault("cpu/web", "saturated for 15 steps", on(3, 6, 20), 15 * MINUTE, keep_at(1.0)),
    Fault("temperature/disk", "stuck for an hour", on(3, 9, 20), HOUR, freeze),
    Fault("queue/orders", "consumer stopped, + 35 a step", on(3, 10, 5), 20 * MINUTE, climb(35)),
    Fault("cache/hits", "0.5 for ten steps", on(3, 7, 50), 10 * MINUTE, keep_at(0.5)),
    Fault("visitors", "half for an hour, weeks", on(3, 9), HOUR, scale(0.5)),
    Fault(
        "temperature/cpu",
        "NaN",
        on(3, 10, 40),
        15 * MINUTE,
        keep_at(np.nan),
        ends_series=True,
        has_nan=True,
    ),
    Fault(
        "connections/db", "absent", on(3, 10, 50), 15 * MINUTE, keep_at(np.nan), ends_series=True
    ),
)
