"""From the improbability of single points to the evidence that something new begins."""

# Evidence of so many times what a point usually adds opens an event: at most one in 2,000 clean
# points, in any series. Few points do not show what is one in 2,000: half as
# much counts after ``_YOUNG`` of them.
OPENING, _YOUNG = 8.0, 200
# What a point of a calm series adds; how long the usual is remembered, and how many points it
# counts as at the start.
_USUAL, _USUAL_MEMORY, _USUAL_WEIGHT = 0.6, 2000, 200
# The share of the evidence that stays from point to point.
_KEPT = 0.68
# Evidence above this is a peak. For so many points after it only one so much higher is new.
_NOTABLE, _HOLD, _NEW_HEIGHT = 4.6, 100, 1.4
# Each peak of the last so many points takes this share from the next: a series that is often
# surprising counts less each time.
_REMEMBERED, _WORN = 4000, 0.04
# The share of the evidence that counts without a new peak.
_BETWEEN = 0.1
# Above this the last points are still improbable together.
_LOUD = 3.0


class Evidence:
    """Improbability summed over the last points."""

    def __init__(self) -> None:
        self.total = 0.0
        self.height = 0.0
        self.since_height = _HOLD
        self.heights = 0.0
        self.usual = _USUAL
        self.points = 0
        # The evidence for opening an event, in multiples of what a point usually adds.
        self.times_usual = 0.0

    @property
    def is_enough(self) -> bool:
        """Whether the last points together open an event, flagged or not."""
        return self.times_usual > OPENING

    @property
    def is_loud(self) -> bool:
        """Whether the last points together are still improbable."""
        return self.total > _LOUD

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

    def forget_height(self) -> None:
        """Forget the evidence of the last points."""
        self.total = self.height = 0.0
        self.since_height = _HOLD
