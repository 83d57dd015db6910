"""The fit of a stream: everything about a series that does not move from point to point."""

import math
from array import array
from bisect import bisect_right
from typing import NamedTuple

from app.anomalies.phases import phase_of
from app.anomalies.tail import fit_tail
from app.timeseries.types import FloatArray

# Distances from the centre, in units, are clipped to this.
_MAX_DISTANCE_UNITS = 1e9
# The range of nearly all values, in usual distances from the centre.
_RANGE_UNITS = 4.0
MAX_FLOAT, MIN_FLOAT = 1.7e308, 2.3e-308

MAX_LEARNED_POINTS = 10_000
"""Of a longer history the last points are learned from."""

HIDDEN_SHARE = 0.0025
"""The share of a sample that may be anomalies: what is more frequent is normal for the series."""


class StreamTail:
    """The upper tail of one statistic: `app.anomalies.tail.Tail` for one value at a time.

    Attributes:
        knots: Ascending values of the statistic.
        log_shares: Logarithms of the shares of values at least as large as the knots.
        scale: Scale of the generalised Pareto distribution beyond the last knot, above 0.
        shape: Its shape, above 0.
        is_bare: Whether the sample ends where its tail would begin, as zeros below counts do.
    """

    def __init__(self) -> None:
        self.knots = [0.0]
        self.log_shares = [0.0]
        self.scale = self.shape = 1.0
        self.is_bare = False

    def log_p(self, value: float) -> float:
        """Return the logarithm of the probability of a value at least as large, at most 0."""
        knots, shares = self.knots, self.log_shares
        if value >= knots[-1]:
            excess = (value - knots[-1]) / self.scale
            return shares[-1] - math.log1p(self.shape * excess) / self.shape
        right = bisect_right(knots, value)
        if not right:
            return 0.0
        left = knots[right - 1]
        share = (value - left) / (knots[right] - left)
        return shares[right - 1] + share * (shares[right] - shares[right - 1])

    def quantile(self, log_p: float) -> float:
        """Return the value whose probability has this logarithm: ``log_p`` inverted."""
        knots, shares = self.knots, self.log_shares
        if log_p < shares[-1]:
            ratio = math.expm1(self.shape * (shares[-1] - log_p)) / self.shape
            return knots[-1] + self.scale * ratio
        right = next(i for i, share in enumerate(shares) if share <= log_p)
        if not right:
            return knots[0]
        share = (log_p - shares[right - 1]) / (shares[right] - shares[right - 1])
        return knots[right - 1] + share * (knots[right] - knots[right - 1])


def fit_stream_tail(sample: FloatArray, hidden_share: float = HIDDEN_SHARE) -> StreamTail:
    """Fit the upper tail of a sample (n,); a share of ``hidden_share`` may be anomalies."""
    fitted, tail = fit_tail(sample, hidden_share), StreamTail()
    tail.knots, tail.log_shares = fitted.knots.tolist(), fitted.log_shares.tolist()
    tail.scale, tail.shape = fitted.cautious_parameters
    tail.is_bare = fitted.is_bare
    return tail


class RecurringJob(NamedTuple):
    """What returns at fixed times: by step of its window, in values above what is usual beside it.

    Attributes:
        period: Steps from run to run.
        begin: The phase of its window's first step, from the fit's origin.
        low: The least excess.
        usual: The usual one.
        high: The greatest one.
        least: The least sum of a whole run.
        most: The greatest one.
    """

    period: int
    begin: int
    low: list[float]
    usual: list[float]
    high: list[float]
    least: float
    most: float


class JobStep(NamedTuple):
    """One step of a window, ``position`` steps after its first, otherwise as ``RecurringJob``."""

    position: int
    is_last: bool
    low: float
    usual: float
    high: float
    least: float
    most: float


class StreamFit:
    """What was learned from the stored points.

    Attributes:
        origin: The time of the first point learned from; seasons begin there.
        centre: The median of the values or of their logarithms.
        unit: Their usual distance from it.
        base: The level that the autoregression returns to, in units.
        min_scale: The least scale of errors, in units, above 0.
        is_log: Whether logarithms are used.
        periods: Seasonal periods in steps, shortest first.
        profile: The profiles of the periods, concatenated, in units.
        jobs: Period, begin and length of each job's window.
        job_bands: Their other numbers, concatenated.
        lags: Lags of the autoregression, ascending from 1.
        weights: Their weights.
        phases: The ratio of the size of errors in each part of the shortest season to the usual.
        up: The tail of scaled errors.
        down: The tail of their negatives.
        burst: The tail of the sum of the last errors.
        drift: The tail of the distance from the slow level.
        persistence: The tail of the sum of distances that persist.
        high: The tail of the values.
        low: The tail of their negatives.
        lowest: The least value that is possible, ``-MAX_FLOAT`` if none is known.
        highest: The greatest one, ``MAX_FLOAT`` if none is known.
        least: The least usual value.
        quantum: The least difference of two values.
        min_level: The least level of a rate that losses are counted from.
        has_loss: Whether the series is a rate: without negative values.
        loss_power: Losses shrink with this power of the level.
        loss: The tail of the losses of a rate, see `app.anomalies.streaming.bounds`.
    """

    def __init__(self) -> None:
        self.origin = 0
        self.centre, self.unit, self.base, self.min_scale = 0.0, 1.0, 0.0, 1.0
        self.is_log = False
        self.periods = array("q")
        self.profile = [0.0] * 0
        self.jobs, self.job_bands = array("q"), [0.0] * 0
        self.lags, self.weights = array("q", [1]), [1.0]
        self.phases = [1.0]
        self.up, self.down = StreamTail(), StreamTail()
        self.burst, self.drift = StreamTail(), StreamTail()
        self.persistence = StreamTail()
        self.high, self.low = StreamTail(), StreamTail()
        self.lowest, self.highest = -MAX_FLOAT, MAX_FLOAT
        self.least = self.quantum = self.min_level = 0.0
        self.has_loss, self.loss_power = False, 0.0
        self.loss = StreamTail()

    @property
    def usual_size(self) -> float:
        """How large values usually are; of a series around 0 the range of nearly all of them."""
        if self.is_log:
            return self.to_values(0.0)
        return max(abs(self.centre), _RANGE_UNITS * self.unit)

    def to_units(self, value: float) -> float:
        """Return a value in units, clipped where it is absurdly far."""
        own = math.log(max(value, MIN_FLOAT)) if self.is_log else value
        # Halved first: the difference of values near the largest numbers could overflow.
        distance = (own / 2 - self.centre / 2) / (self.unit / 2)
        return max(-_MAX_DISTANCE_UNITS, min(_MAX_DISTANCE_UNITS, distance))

    def to_values(self, units: float) -> float:
        """Return the value of a number of units, within the range of floating-point numbers."""
        own = self.unit * units + self.centre
        if self.is_log:
            return math.exp(min(own, math.log(MAX_FLOAT)))
        return max(-MAX_FLOAT, min(MAX_FLOAT, own))

    def observe_bounds(self, value: float) -> None:
        """Forget a bound that a value is beyond."""
        if value < self.lowest:
            self.lowest, self.has_loss = -MAX_FLOAT, False
        elif value > self.highest:
            self.highest = MAX_FLOAT

    def season_at(self, time: int) -> float:
        """Return the sum of the profiles at a step, in units."""
        season, begin, since = 0.0, 0, time - self.origin
        for period in self.periods:
            season += self.profile[begin + since % period]
            begin += period
        return season

    def phase_at(self, time: int) -> float:
        """Return the ratio of the size of errors at a step to the usual size."""
        if len(self.phases) == 1:
            return self.phases[0]
        return self.phases[phase_of(time - self.origin, self.periods[0])]

    def add_job(self, job: RecurringJob) -> None:
        """Add a job, whose window overlaps no other."""
        self.jobs.extend((job.period, job.begin, len(job.low)))
        self.job_bands += [*job.low, *job.usual, *job.high, job.least, job.most]

    def job_at(self, time: int) -> JobStep | None:
        """Return the step of the job in whose window a time is, if any."""
        bands, offset = self.job_bands, 0
        for index in range(0, len(self.jobs), 3):
            period, begin, length = self.jobs[index : index + 3]
            position = (time - self.origin - begin) % period
            end = offset + 3 * length
            if position < length:
                low, usual, high = bands[offset + position : end : length]
                is_last = position == length - 1
                return JobStep(position, is_last, low, usual, high, bands[end], bands[end + 1])
            offset = end + 2
        return None
