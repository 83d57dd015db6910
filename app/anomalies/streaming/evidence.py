"""From the improbability of single points to the evidence that something new begins."""

# The share of the evidence that stays from point to point.
_KEPT = 0.5
# Evidence above this is a peak. For so many points after it only one so much higher is new; the
# points between count a share.
_NOTABLE, _HOLD, _NEW_HEIGHT, _BELOW, _HELD = 4.6, 100, 1.5, 0.4, 0.1
# Each peak of the last so many points takes this share from the next: a series that is often
# surprising counts less each time.
_REMEMBERED, _WORN = 4000, 0.05


class Evidence:
    """Improbability summed over the last points."""

    def __init__(self) -> None:
        self.total = self.height = self.heights = 0.0
        self.since_height = _HOLD

    def weigh(self, improbabilities: list[float]) -> float:
        """Add a point, -log10 of its p-values; return the evidence for something new.

        The two most improbable count, with their mean, so that one odd statistic is not enough.
        """
        first, second = sorted((0.0, 0.0, *improbabilities), reverse=True)[:2]
        self.total = _KEPT * self.total + (first + second) / 2
        self.since_height += 1
        self.heights *= 1 - 1 / _REMEMBERED
        evidence = self.total / (1 + _WORN * self.heights)
        if self.since_height <= _HOLD and self.total <= _NEW_HEIGHT * self.height:
            return _HELD * evidence
        if self.total <= _NOTABLE:
            return _BELOW * evidence
        self.heights += self.since_height > _HOLD
        self.height, self.since_height = self.total, 0
        return evidence
