"""The evidence of a series' last points that something new begins."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from app.anomalies.streaming.bounds import Loss

# The fraction of the evidence that remains from point to point, and of that of losses.
_MEMORY, _LOSS_MEMORY = 0.4, 0.7
# A sum above this is a peak; a smaller one is multiplied by the fraction.
_MIN_PEAK, _BELOW_PEAK_FRACTION = 4.2, 0.4
# For this many points after a peak, a sum is new only if it is this many times as high as the peak.
# Any other sum counts with the fraction.
_HOLD_POINTS, _NEW_PEAK_RATIO, _HELD_FRACTION = 100, 1.7, 0.1
# Once the event of the peak has ended, a sum of at least this, and this many times as high, is new:
# so a second outage is reported. With a lower minimum, noise and aftershocks in the series of NAB
# would be reported too.
_MIN_NEXT_PEAK, _NEXT_PEAK_RATIO = 8.0, 0.3
# Each peak lowers the evidence after it by this fraction, and is forgotten after about this many
# points: the surprises of a series that often surprises count less.
_HABITUATION, _PEAK_MEMORY_POINTS = 0.05, 4000

_LOG_10 = math.log(10.0)


@dataclass
class Evidence:
    """The evidence that something new begins: the improbability of the last points, summed.

    With the two most improbable statistics of point t, p1 and p2, and ``recent_peaks`` r::

        total(t) = 0.4 total(t - 1) - (log10 p1 + log10 p2) / 2
        evidence(t) = f total(t) / (1 + 0.05 r)

    The factor f is 1 for a new peak, 0.4 for what is below all peaks, and 0.1 within 100 points of
    a peak. The constants were chosen on the series of NAB: `docs/developing/anomaly-figures.md` has
    its score with constants chosen without each category of them.
    """

    total: float = 0.0
    peak: float = 0.0  # the total at the last peak
    recent_peaks: float = 0.0  # the number of peaks, older ones counting less
    lost: float = 0.0  # the same sum of the losses of a rate
    since_peak: int = _HOLD_POINTS  # points since the last peak
    is_peak_over: bool = False  # the event that had the peak has ended

    @property
    def current(self) -> float:
        """The evidence of the last points, new or not."""
        return self.total / (1 + _HABITUATION * self.recent_peaks)

    def add_loss(self, loss: Loss) -> float:
        """Add a point's loss; return -log10 of the p-value of the last ones together.

        One near 0 may be chance where noise has heavy tails; the next one says that it lasts.
        """
        self.lost = _LOSS_MEMORY * self.lost - loss.log_p / _LOG_10
        return self.lost

    def add_point(self, improbabilities: Iterable[float], min_total: float = 0.0) -> float:
        """Add a point, -log10 of its p-values; return the evidence for something new.

        The mean of the two most improbable counts, so that one odd statistic is not enough; the sum
        is at least ``min_total``.
        """
        first, second = sorted((0.0, 0.0, *improbabilities), reverse=True)[:2]
        self.total = max(_MEMORY * self.total + (first + second) / 2, min_total)
        self.since_peak += 1
        self.recent_peaks *= 1 - 1 / _PEAK_MEMORY_POINTS
        evidence = self.current
        max_held = _NEW_PEAK_RATIO * self.peak  # the largest sum that is not new soon after a peak
        if self.is_peak_over:
            max_held = min(max_held, max(_MIN_NEXT_PEAK, _NEXT_PEAK_RATIO * self.peak))
        if self.since_peak <= _HOLD_POINTS and self.total <= max_held:
            return _HELD_FRACTION * evidence
        if self.total <= _MIN_PEAK:
            return _BELOW_PEAK_FRACTION * evidence
        self.recent_peaks += self.since_peak > _HOLD_POINTS
        self.peak, self.since_peak, self.is_peak_over = self.total, 0, False
        return evidence

    def end_event(self, steps: int) -> None:
        """Forget the evidence of an event that began some steps ago and has ended."""
        self.total = 0.0
        self.is_peak_over |= self.since_peak <= steps
