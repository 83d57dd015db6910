"""What a detector stores about a series, and its bytes: a version and numbers, no pickle."""

import math
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from app.anomalies.results import HALF_SEVERITY_EVIDENCE
from app.anomalies.streaming.event_tracker import EventTracker
from app.anomalies.streaming.evidence import Evidence, Widening
from app.anomalies.streaming.fit import StreamFit
from app.anomalies.streaming.forecaster import Forecaster
from app.anomalies.surges import CurrentSurge

MIN_FIT_POINTS = 20  # points that the first fit needs

# The model is wrong if more of the last points are flagged than this multiple of the false alarm
# rate, and than this fraction.
_MIN_RATE_RATIO = 10
_MIN_FLAGGED_FRACTION = 0.02
_HEALTH_WINDOW_POINTS = 500
# A series that is flagged too often in spite of a new fit has changed for good after this many
# points. The number doubles each time that the series was relearned before, up to this often.
_MIN_LASTING_POINTS, _MAX_DOUBLINGS = 20, 6
# After a second repair within this many points, and for as many, no value counts as an anomaly in
# a fit.
_UNCERTAIN_POINTS = 5_000

# Increase this whenever the stored attributes, their order or their meaning change. A test compares
# it with the names of the attributes.
_VERSION = 16.0

# A run is stuck if it has this many points, and is this many times as long as the longest so far.
_MIN_STUCK_POINTS = 12
_MIN_STUCK_LENGTH_RATIO = 3
_MIN_POINTS_BEFORE_STUCK = 50  # of the stream: earlier, the typical lengths are unknown
# A run is certainly stuck, with severity 50, if it has this many points and is this many times as
# long as the longest: at the turn of a smooth rounded wave it is at most 4.9 times as long as those
# before.
_MIN_CERTAIN_POINTS = 15
_CERTAIN_LENGTH_RATIO = 5
_MAX_STUCK_POINTS = 300  # after this many points a stuck value becomes the normal one


@dataclass
class Health:
    """Whether the model still fits: the points flagged since the last repair.

    Times are numbers of steps, as `Forecaster.time`.
    """

    flagged_times: list[float] = field(default_factory=list)
    # At the first of repairs that each follow the one before within the window: the time of the
    # first flagged point, or of the start of the open event.
    failing_since: int = -_HEALTH_WINDOW_POINTS
    # Time of the last repair since the last relearning.
    repaired_since_relearning_at: int = -_HEALTH_WINDOW_POINTS
    uncertain_until: int = 0  # before this time, what looks like an anomaly may be normal
    relearnings: int = 0  # how often the series was relearned
    last_repaired_at: int = -_UNCERTAIN_POINTS  # time of the last repair of any kind

    def record_point(self, time: int, is_flagged: bool) -> None:
        while self.flagged_times and self.flagged_times[0] <= time - _HEALTH_WINDOW_POINTS:
            del self.flagged_times[0]
        if is_flagged:
            self.flagged_times.append(time)

    def is_failing(self, rate: float) -> bool:
        """Return whether the number of flagged points shows that the model is wrong."""
        fraction = max(_MIN_RATE_RATIO * rate, _MIN_FLAGGED_FRACTION)
        return len(self.flagged_times) > fraction * _HEALTH_WINDOW_POINTS

    def record_repair(self, time: int, event_start: int | None) -> bool:
        """Record a repair; return whether to relearn the series from ``failing_since`` on.

        ``event_start`` is the time of the open event's first point, None without an event.
        """
        is_again = time - self.repaired_since_relearning_at < _HEALTH_WINDOW_POINTS
        if not is_again:
            self.failing_since = int(self.flagged_times[0]) if event_start is None else event_start
        self.flagged_times = []
        self.repaired_since_relearning_at = time
        if time - self.last_repaired_at < _UNCERTAIN_POINTS:
            self.uncertain_until = time + _UNCERTAIN_POINTS
        self.last_repaired_at = time
        needed = _MIN_LASTING_POINTS * 2 ** min(self.relearnings, _MAX_DOUBLINGS)
        if not is_again or time - self.failing_since < needed:
            return False
        self.relearnings += 1
        self.repaired_since_relearning_at = -_HEALTH_WINDOW_POINTS
        return True


@dataclass
class FlatRunTracker:
    """The current run of equal values, and how long such runs typically are."""

    last: float = math.nan  # NaN before the first value
    length: int = 0  # repetitions of ``last``
    longest: int = 0  # the longest run that did not count as stuck
    longest_stuck: int = 0  # the longest one that did
    repeats: int = 0  # repetitions among the ``points`` before the run
    points: int = 0
    is_stuck: bool = False

    def add(self, value: float, rate: float) -> bool:
        """Add the next value; return whether a stuck value becomes the normal one."""
        if value == self.last:
            self.length += 1
        else:
            if self.is_stuck:
                self.longest_stuck = max(self.longest_stuck, self.length)
            elif not math.isnan(self.last):
                self.longest = max(self.longest, self.length)
                self.repeats += self.length
                self.points += self.length + 1
            self.last, self.length = value, 0
        becomes_normal = self.is_stuck and self.length >= _MAX_STUCK_POINTS
        self.is_stuck = (
            self.points >= _MIN_POINTS_BEFORE_STUCK
            and _MIN_STUCK_POINTS <= self.length < _MAX_STUCK_POINTS
            and self.length >= _MIN_STUCK_LENGTH_RATIO * self.longest
            and self._run_evidence > -math.log10(rate)
        )
        return becomes_normal

    @property
    def evidence(self) -> float:
        """The evidence that the value is stuck, 0 if it is not.

        Half the evidence of the run, because other events need two statistics. It is capped in
        proportion to the run's length: `HALF_SEVERITY_EVIDENCE` if it is just certainly stuck.
        """
        if not self.is_stuck:
            return 0.0
        # After a stuck run, the next one as long is less surprising.
        longest = max(self.longest, self.longest_stuck // _MIN_STUCK_LENGTH_RATIO)
        certain = max(_MIN_CERTAIN_POINTS, _CERTAIN_LENGTH_RATIO * longest)
        return min(self._run_evidence / 2, HALF_SEVERITY_EVIDENCE * self.length / certain)

    @property
    def _run_evidence(self) -> float:
        """-log10 of the probability of the run, by the rule of succession."""
        return -self.length * math.log10((self.repeats + 1) / (self.points + 2))


@dataclass
class PreEventState:
    """The scale, the level and the width before the open event, restored when it ends."""

    scale: float = 0.0  # 0 until recorded: a new fit, with other units, forgets it
    spread: float = 0.0
    level: float = 0.0
    log_factor: float = 0.0  # both are those of the `Widening`
    log_tail_factor: float = 0.0
    size: float = 0.0  # the median error, in units of the scale

    def record(self, forecaster: Forecaster, widening: Widening) -> None:
        self.scale, self.spread, self.level = forecaster.scale, forecaster.spread, forecaster.level
        self.log_factor, self.log_tail_factor = widening.log_factor, widening.log_tail_factor
        self.size = median(forecaster.sizes)

    def restore(self, forecaster: Forecaster, widening: Widening) -> None:
        """Restore what was recorded before the event, unless it has become smaller."""
        forecaster.shift_level(self.level)
        forecaster.scale = min(forecaster.scale, self.scale)
        forecaster.spread = min(forecaster.spread, self.spread)
        forecaster.sizes = [min(size, self.size) for size in forecaster.sizes]
        widening.log_factor = min(widening.log_factor, self.log_factor)
        widening.log_tail_factor = min(widening.log_tail_factor, self.log_tail_factor)


@dataclass
class StreamState:
    """Everything that a detector stores about a series; names that end in ``_at`` are times.

    `StreamStepper.judge` says which of its parts a point changes, in which order.
    """

    judging_starts_at: int
    history_starts_at: int = 0  # the next fit learns from the points since
    next_fit_at: int = MIN_FIT_POINTS
    level_starts_at: int = -1  # at the first point at a new level, -1 without one
    current_surge: CurrentSurge = field(default_factory=CurrentSurge)
    before_event: PreEventState = field(default_factory=PreEventState)
    health: Health = field(default_factory=Health)
    flat_run: FlatRunTracker = field(default_factory=FlatRunTracker)
    evidence: Evidence = field(default_factory=Evidence)
    widening: Widening = field(default_factory=Widening)
    event: EventTracker = field(default_factory=EventTracker)
    forecaster: Forecaster = field(default_factory=Forecaster)
    has_fit: bool = False
    fit: StreamFit = field(default_factory=StreamFit)


def pack(component: object) -> bytes:
    """Return all attributes: numbers, lists of floats, tuples of integers, and components."""
    numbers = [_VERSION]
    _append_numbers(component, numbers)
    return array("d", numbers).tobytes()


def _append_numbers(component: object, numbers: list[float]) -> None:
    for value in vars(component).values():
        if isinstance(value, (bool, int, float)):
            numbers.append(value)
        elif isinstance(value, (list, tuple)):
            numbers.append(len(value))
            numbers.extend(value)
        else:
            _append_numbers(value, numbers)


def unpack(packed: bytes, component: object) -> None:
    """Restore ``packed`` into a new component of the same class.

    Raise ValueError if it was packed by another version, or is not a state.
    """
    numbers = array("d")
    if len(packed) % numbers.itemsize:
        raise ValueError("not a state: its length is not that of numbers")
    numbers.frombytes(packed)
    if not numbers or numbers[0] != _VERSION:
        raise ValueError(f"not a state of version {_VERSION:g}")
    following = iter(numbers.tolist()[1:])
    try:
        _restore_attributes(component, following)
    except (StopIteration, OverflowError):  # a length may be infinite
        raise ValueError("the state is truncated or damaged") from None
    if next(following, None) is not None:
        raise ValueError("the state is longer than its attributes")


def _restore_attributes(component: Any, numbers: Iterator[float]) -> None:
    for name, value in list(vars(component).items()):
        if isinstance(value, (bool, int, float)):
            setattr(component, name, type(value)(next(numbers)))
        elif isinstance(value, (list, tuple)):
            items = [next(numbers) for _ in range(int(next(numbers)))]
            setattr(component, name, tuple(map(int, items)) if isinstance(value, tuple) else items)
        else:
            _restore_attributes(value, numbers)
