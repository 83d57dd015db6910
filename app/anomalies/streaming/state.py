"""What a detector stores about a series."""

import math
from collections.abc import Callable, Iterable
from statistics import median

from app.anomalies.results import EventKind
from app.anomalies.streaming.bounds import JobRun, Loss
from app.anomalies.streaming.event_tracker import EventTracker
from app.anomalies.streaming.events import Closing, EventPoint, EventUpdate
from app.anomalies.streaming.fit import StreamFit
from app.anomalies.streaming.forecaster import Forecaster

# Points that are learned after a lasting change, before judging begins.
_RELEARNING_POINTS = 50

MIN_FIT_POINTS = 20
"""Points that the first fit needs."""

# Flagged points that make a model wrong: more than this multiple of the false alarm rate, and this
# share, of the last points.
_MIN_RATE_RATIO, _MIN_FLAGGED_SHARE, _HEALTH_WINDOW_POINTS = 10, 0.02, 500
# A series that is flagged too often in spite of a new fit has changed for good after this many
# points. The number doubles each time that the series was relearned before.
_MIN_LASTING_POINTS, _MAX_DOUBLINGS = 20, 6
# After a second repair within this many points, and for as many, no value counts as an anomaly in
# a fit.
_UNCERTAIN_POINTS = 5_000

# A run counts as stuck if it is this many times the longest one so far, and at least this long.
# The usual length is known from this many points on.
_MIN_LENGTH_RATIO, _MIN_STUCK_POINTS, _MIN_LEARNED_POINTS = 3, 12, 50
# After this many points a stuck value becomes the normal one.
_MAX_STUCK_POINTS = 300

# The band is widened or narrowed until these shares of the points are outside: the gain is how far
# one point moves the logarithm of the width, within the bounds.
_NEAR_RATE, _NEAR_GAIN, _MIN_NEAR, _MAX_NEAR = 0.05, 0.02, -0.4, 0.7
_FAR_RATE, _FAR_GAIN, _MIN_FAR, _MAX_FAR = 0.01, 0.03, -0.1, 0.5
_LOG_10 = math.log(10.0)
_LOG_NEAR, _LOG_FAR = math.log(_NEAR_RATE), math.log(_FAR_RATE)
# A p-value depends on a width that depends on the p-value: fixed-point iterations.
_ITERATIONS = 2


class Health:
    """Whether the model still fits: the points flagged since the last repair.

    Attributes:
        flagged: Times of the flagged points.
        failing_since: Time of the first point that led to the last repair.
        repaired: Time of the last repair since the series was relearned; far in the past if none.
        uncertain_until: Until then what looks like an anomaly may be normal.
        relearned: How often the series was relearned.
        last_repaired: Time of the last repair of any kind.
    """

    def __init__(self) -> None:
        self.flagged: list[float] = []
        self.failing_since = self.repaired = -_HEALTH_WINDOW_POINTS
        self.uncertain_until = self.relearned = 0
        self.last_repaired = -_UNCERTAIN_POINTS

    def is_failing(self, time: int, is_flagged: bool, rate: float) -> bool:
        """Add a point; return whether the share of flagged points shows that the model is wrong."""
        if self.flagged and self.flagged[0] <= time - _HEALTH_WINDOW_POINTS:
            del self.flagged[0]
        if is_flagged:
            self.flagged.append(time)
        share = max(_MIN_RATE_RATIO * rate, _MIN_FLAGGED_SHARE)
        return len(self.flagged) > share * _HEALTH_WINDOW_POINTS

    def record_repair(self, time: int, began: int | None) -> bool:
        """Record a repair; return whether to relearn the series from ``failing_since`` on.

        ``began`` is the time of the open event's first point, None without an event.
        """
        is_again = time - self.repaired < _HEALTH_WINDOW_POINTS
        if not is_again:
            self.failing_since = int(self.flagged[0]) if began is None else began
        self.flagged = []
        self.repaired = time
        if time - self.last_repaired < _UNCERTAIN_POINTS:
            self.uncertain_until = time + _UNCERTAIN_POINTS
        self.last_repaired = time
        needed = _MIN_LASTING_POINTS * 2 ** min(self.relearned, _MAX_DOUBLINGS)
        if not is_again or time - self.failing_since < needed:
            return False
        self.relearned += 1
        self.repaired = -_HEALTH_WINDOW_POINTS
        return True


class Runs:
    """The current run of equal values, and the usual length of runs: a sensor that is stuck.

    Attributes:
        last: The value.
        length: The number of its repetitions.
        longest: The longest run that did not count as stuck.
        repeats: Repetitions among the ``points`` before the run.
    """

    def __init__(self) -> None:
        self.last = 0.0
        self.length = self.longest = self.repeats = self.points = 0
        self.is_stuck = False

    def add(self, value: float, rate: float) -> bool:
        """Add the next value; return whether a stuck value becomes the normal one."""
        if value == self.last:
            self.length += 1
        else:
            if not self.is_stuck:
                self.longest = max(self.longest, self.length)
                self.repeats += self.length
                self.points += self.length + 1
            self.last, self.length = value, 0
        becomes_normal = self.is_stuck and self.length >= _MAX_STUCK_POINTS
        self.is_stuck = self.length < _MAX_STUCK_POINTS and self._is_unusual(rate)
        return becomes_normal

    def _is_unusual(self, rate: float) -> bool:
        if self.points < _MIN_LEARNED_POINTS or self.length < max(
            _MIN_STUCK_POINTS, _MIN_LENGTH_RATIO * self.longest
        ):
            return False
        return self.length * math.log((self.repeats + 1) / (self.points + 2)) < math.log(rate)


class Evidence:
    """Improbability summed over the last points: the evidence that something new begins.

    Attributes:
        memory: The share of the sum that remains from point to point; ``loss_memory`` that of the
            losses of a rate.
        min_peak: A larger sum is a peak; of a smaller one ``below_peak_share`` counts.
        hold_points: For this long after a peak, only a sum ``new_peak_ratio`` times as high is new;
            of others ``held_share`` counts.
        habituation: Each recent peak lowers the next ones by this share: a series that often
            surprises counts less. Peaks are forgotten with a memory of ``peak_memory_points``.
    """

    memory, min_peak, hold_points, new_peak_ratio, habituation = 0.4, 4.2, 100, 1.7, 0.05
    below_peak_share, held_share, peak_memory_points = 0.4, 0.1, 4000
    loss_memory = 0.7

    def __init__(self) -> None:
        self.total = self.peak = self.recent_peaks = self.lost = 0.0
        self.since_peak = self.hold_points

    @property
    def current(self) -> float:
        """The evidence of the last points, new or not."""
        return self.total / (1 + self.habituation * self.recent_peaks)

    def add_loss(self, loss: Loss) -> float:
        """Add a point's loss; return -log10 of the p-value of the last ones together.

        One near 0 may be chance where noise has heavy tails; the next one says that it lasts.
        """
        self.lost = self.loss_memory * self.lost - loss.log_p / _LOG_10
        return self.lost

    def add_point(self, improbabilities: Iterable[float], least: float = 0.0) -> float:
        """Add a point, -log10 of its p-values; return the evidence for something new.

        The mean of the two most improbable counts, so that one odd statistic is not enough; the sum
        is at least ``least``.
        """
        first, second = sorted((0.0, 0.0, *improbabilities), reverse=True)[:2]
        self.total = max(self.memory * self.total + (first + second) / 2, least)
        self.since_peak += 1
        self.recent_peaks *= 1 - 1 / self.peak_memory_points
        evidence = self.current
        if self.since_peak <= self.hold_points and self.total <= self.new_peak_ratio * self.peak:
            return self.held_share * evidence
        if self.total <= self.min_peak:
            return self.below_peak_share * evidence
        self.recent_peaks += self.since_peak > self.hold_points
        self.peak, self.since_peak = self.total, 0
        return evidence


class Widening:
    """The logarithm of the factor of the band's width: ``near`` for all, ``far`` for its tail.

    Ranks promise a rate where errors are exchangeable. Where they drift, the width follows the
    observed rate (adaptive conformal inference, Gibbs and Candès 2021).
    """

    def __init__(self) -> None:
        self.near = self.far = 0.0

    def log_factor(self, log_p: float) -> float:
        """Return the logarithm of the factor at a p-value, given by its logarithm."""
        share = (_LOG_NEAR - log_p) / (_LOG_NEAR - _LOG_FAR)
        return self.near + min(1.0, max(0.0, share)) * self.far

    def solve(self, near_log_p: float, log_p_of: Callable[[float], float]) -> float:
        """Return the logarithm of the p-value of a surprise.

        Args:
            near_log_p: Its logarithm with the width of ``near`` alone.
            log_p_of: Returns it for a factor of the width.
        """
        log_p = near_log_p
        for _ in range(_ITERATIONS):
            log_p = log_p_of(math.exp(self.log_factor(log_p)))
        return log_p

    def learn(self, near_log_p: float, log_p: float) -> None:
        """Learn from a point whose p-values have these logarithms."""
        moved = self.near + _NEAR_GAIN * ((near_log_p < _LOG_NEAR) - _NEAR_RATE)
        self.near = max(_MIN_NEAR, min(_MAX_NEAR, moved))
        moved = self.far + _FAR_GAIN * ((log_p < _LOG_FAR) - _FAR_RATE)
        self.far = max(_MIN_FAR, min(_MAX_FAR, moved))


class CalmState:
    """The scale, the level and the width before the open event, to return to when it ends."""

    def __init__(self) -> None:
        self.scale = self.spread = self.level = self.near = self.far = self.size = 0.0

    def record(self, forecaster: Forecaster, widening: Widening) -> None:
        self.scale, self.spread, self.level = forecaster.scale, forecaster.spread, forecaster.level
        self.near, self.far, self.size = widening.near, widening.far, median(forecaster.sizes)

    def restore(self, forecaster: Forecaster, widening: Widening) -> None:
        forecaster.reset_after_event(self.scale, self.spread, self.level, self.size)
        widening.near, widening.far = min(widening.near, self.near), min(widening.far, self.far)


class StreamState:
    """Everything that a detector stores about a series; what moves with each point comes first."""

    def __init__(self, judges_from: int) -> None:
        self.began, self.judges_from = 0, judges_from
        self.next_fit = MIN_FIT_POINTS
        self.level_from = -1  # time of the first point at a new level, -1 without one
        self.job_run = JobRun()
        self.calm = CalmState()
        self.health = Health()
        self.runs = Runs()
        self.evidence = Evidence()
        self.widening = Widening()
        self.event = EventTracker()
        self.forecaster = Forecaster()
        self.has_fit = False
        self.fit = StreamFit()

    @property
    def is_uncertain(self) -> bool:
        """Whether the model was wrong recently: a fit must not regard any point as an anomaly."""
        return self.forecaster.time < self.health.uncertain_until

    def update_event(
        self, shown: EventPoint, is_told: bool, stuck_is_normal: bool, rate: float
    ) -> tuple[EventUpdate | None, bool]:
        """Open, continue or close an event.

        Returns:
            Its update, if there is one, and whether the series has changed for good and is
            relearned.
        """
        event, forecaster, time = self.event, self.forecaster, self.forecaster.time
        was_uncertain = self.is_uncertain
        update = None
        if event.is_open and not (event.is_silent and is_told):
            update = event.add_point(shown, stuck_is_normal)
            if update.closing is Closing.ENDED and self.calm.scale:
                # The event says nothing about the noise without one.
                self.calm.restore(forecaster, self.widening)
                self.evidence.total = 0.0
            elif update.closing is Closing.NEW_LEVEL:
                self.level_from = time - event.started - 1
                self.next_fit = time
                if update.kind is EventKind.LEVEL_SHIFT:
                    forecaster.shift_level(event.level)
                elif update.kind in (EventKind.FLAT, EventKind.BURST):
                    # The points before say nothing about the noise from here on.
                    self.began, self.widening = self.level_from, Widening()
        elif is_told or shown.is_silent:
            if not event.is_open:  # else the calm before the silent event is still the last
                self.calm.record(forecaster, self.widening)
            update = event.begin(shown)
        began = time - 1 - event.started if event.is_open else None
        if not self.health.is_failing(time, shown.is_anomaly, rate):
            return update, False
        self.next_fit = time
        if not self.health.record_repair(time, began):
            return update, False
        if not was_uncertain:
            self.began = self.health.failing_since
        self.judges_from = self.next_fit = max(time, self.began + _RELEARNING_POINTS)
        self.evidence = Evidence()
        return event.accept_as_normal() if event.is_open else update, True
