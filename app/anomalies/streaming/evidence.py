"""From the improbability of single points to the evidence that something new begins."""

from collections.abc import Iterable


class Evidence:
    """Improbability summed over the last points.

    Attributes:
        kept: The share of the evidence that stays from point to point.
        notable: Evidence above this is a peak; below, a share counts.
        hold: For so many points after a peak only one that is ``new_height`` times as high is new;
            of others a smaller share counts.
        new_height: That factor.
        worn: Each peak of the last points takes this share from the next: a series that is often
            surprising counts less each time.
    """

    kept, notable, hold, new_height, worn = 0.4, 4.2, 100, 1.7, 0.05
    _below, _held, _remembered = 0.4, 0.1, 4000

    def __init__(self) -> None:
        self.total = self.height = self.heights = 0.0
        self.since_height = self.hold

    @property
    def height_now(self) -> float:
        """The evidence of the last points, held or not."""
        return self.total / (1 + self.worn * self.heights)

    def add_point(self, improbabilities: Iterable[float]) -> float:
        """Add a point, -log10 of its p-values; return the evidence for something new.

        The two most improbable count, with their mean, so that one odd statistic is not enough.
        """
        first, second = sorted((0.0, 0.0, *improbabilities), reverse=True)[:2]
        self.total = self.kept * self.total + (first + second) / 2
        self.since_height += 1
        self.heights *= 1 - 1 / self._remembered
        evidence = self.height_now
        if self.since_height <= self.hold and self.total <= self.new_height * self.height:
            return self._held * evidence
        if self.total <= self.notable:
            return self._below * evidence
        self.heights += self.since_height > self.hold
        self.height, self.since_height = self.total, 0
        return evidence
