"""From the improbability of single points to events: one for one thing."""

from app.anomalies.results import Direction, EventKind
from app.anomalies.streaming.statistics import Sign
from app.anomalies.streaming.verdict import Closing, EventNews, Stage

# Evidence of so many times what a point usually adds opens an event: at most one in 2,000 clean
# points, whatever the series is like. Of few points nobody can tell what is one in 2,000: half as
# much counts after ``_YOUNG`` of them.
OPENING, _YOUNG = 8.0, 200
# So does a single point of this severity: its p-value is below 1e-5.
_GRAVE = 41.7
# What a point of a calm series adds; how long what is usual is remembered, and the points that it
# counts for at the start.
_USUAL, _USUAL_MEMORY, _USUAL_WEIGHT = 0.6, 2000, 200
# The share of the evidence that stays from point to point.
_KEPT = 0.68
# Evidence above this is a height. For so many points after it only one so much above it is new.
_NOTABLE, _HOLD, _NEW_HEIGHT = 4.6, 100, 1.4
# Each height of the last so many points takes this share from the next: a series that is often
# surprising says less each time.
_REMEMBERED, _WORN = 4000, 0.04
# The share of the evidence that counts where there is no new height.
_BETWEEN = 0.1
# An event ends after so many points in a row with evidence below this.
_QUIET, _QUIET_POINTS = 3.0, 5
_KINDS = tuple(EventKind)


class Evidence:
    """Improbability summed over the last points, and the event that it opened."""

    def __init__(self) -> None:
        self.total = 0.0
        self.height = 0.0
        self.since_height = _HOLD
        self.heights = 0.0
        self.usual = _USUAL
        self.points = 0
        # The evidence for opening an event, in times of what a point usually adds.
        self.times_usual = 0.0
        self.is_open = False
        self.kind = 0
        self.is_up = False
        self.started = self.peak = self.quiet = 0
        self.severity = 0.0

    def weigh(self, improbabilities: list[float]) -> float:
        """Add a point, -log10 of its p-values; return the evidence for something new.

        The two most improbable count, with their mean, so that one odd statistic is not enough.
        """
        first, second = sorted((0.0, 0.0, *improbabilities), reverse=True)[:2]
        added = (first + second) / 2
        self.total = _KEPT * self.total + added
        usual = max(_USUAL, self.usual)
        self.points += 1
        self.usual += (added - self.usual) / min(_USUAL_MEMORY, _USUAL_WEIGHT + self.points)
        self.times_usual = 0.0
        self.since_height += 1
        self.heights *= 1 - 1 / _REMEMBERED
        held = self.since_height <= _HOLD and self.total <= _NEW_HEIGHT * self.height
        if self.total <= _NOTABLE or held:
            return _BETWEEN * self.total
        self.times_usual = self.total / usual * self.points / (self.points + _YOUNG)
        evidence = self.total / (1 + _WORN * self.heights)
        self.heights += self.since_height > _HOLD
        self.height, self.since_height = self.total, 0
        return evidence

    def forget_event(self) -> None:
        """Go on as if no event were under way and nothing had just happened."""
        self.is_open = False
        self.total = self.height = 0.0
        self.since_height = _HOLD

    def follow(self, strongest: Sign, severity: float, believed: bool) -> EventNews | None:
        """Open, continue or close the event; ``believed``: the new level is the normal one now."""
        if not self.is_open:
            is_flat = strongest.kind is EventKind.FLAT
            if self.times_usual <= OPENING and severity < _GRAVE and not is_flat:
                return None
            self.is_open, self.kind = True, _KINDS.index(strongest.kind)
            self.is_up, self.severity = strongest.is_up, severity
            self.started = self.peak = self.quiet = 0
            return self._news(Stage.OPENED)
        self.started += 1
        self.peak += 1
        if severity > self.severity:
            self.severity, self.peak = severity, 0
        if believed:
            if _KINDS[self.kind] is not EventKind.FLAT:
                self.kind, self.is_up = _KINDS.index(EventKind.LEVEL_SHIFT), strongest.is_up
            return self._close(Closing.NEW_LEVEL)
        if strongest.kind is EventKind.FLAT:
            self.kind, self.quiet = _KINDS.index(EventKind.FLAT), 0
        else:
            self.quiet = 0 if self.total > _QUIET else self.quiet + 1
        if self.quiet >= _QUIET_POINTS:
            return self._close(Closing.ENDED)
        return self._news(Stage.CONTINUES)

    def _close(self, closing: Closing) -> EventNews:
        self.is_open = False
        return self._news(Stage.CLOSED, closing)

    def _news(self, stage: Stage, closing: Closing | None = None) -> EventNews:
        direction = Direction.UP if self.is_up else Direction.DOWN
        kind = _KINDS[self.kind]
        return EventNews(stage, kind, direction, self.severity, self.started, self.peak, closing)
