"""The seasons for which a history is long enough, and how members model them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.periods import exact_year
from app.timeseries.phases import phase_medians
from app.timeseries.running_median import running_median
from app.timeseries.types import FloatArray

WEEKS_PER_YEAR = 52
# A longer season is described by Fourier terms instead of an indicator for each phase.
_MAX_DUMMIES = 48
# A long season of more short ones is a year: it has Fourier terms, not a state for each phase.
_MAX_SHORT_PER_LONG = 10
# All constants below were chosen on past origins.
_MAX_LAG_CYCLES = 7  # short cycles that lags reach back
_MIN_CYCLES_FOR_TWO = 3.2  # long cycles that a history needs for lags of two of them
_MAX_LAG_FRACTION = 0.45  # of the history, for the longest lag
# Weeks of history beyond which lags of quarters, of a year and of two years are added, and the
# longest lag of weeks as a fraction of the history.
_YEARLY_LAGS = ((150, (8, 13)), (170, (26, 51, 52, 53)), (330, (104,)))
_MAX_YEARLY_LAG_FRACTION = 0.3
# Sine-cosine pairs.
_SHORT_PAIRS = 10  # of a short season that is too long for indicators
_LONG_PAIRS = 3  # of a long season

# Periods in steps, and how many sine-cosine pairs describe each.
FourierTerms = tuple[tuple[float, int], ...]


@dataclass(frozen=True)
class Seasonality:
    """The seasonal periods of which a history has two cycles, in steps: 0 where there is none.

    Only ``frequency`` says whether one of them is a calendar year: 52 hours are not.
    """

    short: int
    long: int
    frequency: Frequency | None = None

    @property
    def period(self) -> int:
        """The short period, 1 where there is none."""
        return self.short or 1

    @property
    def is_year_of_weeks(self) -> bool:
        """Whether the short period is a year of weeks, of which few histories show many."""
        return self.frequency is Frequency.WEEKLY and self.short == WEEKS_PER_YEAR

    @property
    def year(self) -> float:
        """The exact length of a year of weeks, or of one of days above a week; 0.0 without one."""
        return exact_year(self.frequency, self.short if self.is_year_of_weeks else self.long)

    @property
    def long_in_short_cycles(self) -> int:
        """The long period, rounded to whole short ones: 364 for days, which is whole weeks."""
        return round(self.long / self.short) * self.short if self.long else 0

    @property
    def state_period(self) -> int:
        """The long period where it is a few whole short ones (a week of days), else 0."""
        is_multiple = self.long and self.long % self.short == 0
        return self.long if is_multiple and self.long <= _MAX_SHORT_PER_LONG * self.short else 0

    @property
    def dummy_period(self) -> int:
        """The period with one indicator per phase, or 0."""
        return self.short if self.short <= _MAX_DUMMIES else 0

    @property
    def fourier_terms(self) -> FourierTerms:
        """The Fourier terms for the periods without indicators."""
        terms: FourierTerms = ()
        if self.short > _MAX_DUMMIES:
            terms += ((self._exact(self.short), _SHORT_PAIRS),)
        if self.long and not self.state_period:
            terms += ((self._exact(self.long), _LONG_PAIRS),)
        return terms

    def _exact(self, period: int) -> float:
        return exact_year(self.frequency, period) or float(period)


def find_seasonality(
    points: int, periods: Sequence[int], frequency: Frequency | None = None
) -> Seasonality:
    """Return the two shortest periods of which ``points`` contain two cycles."""
    usable = sorted(period for period in periods if 2 <= period <= points // 2)
    short, long = (*usable, 0, 0)[:2]
    return Seasonality(short, long, frequency)


def seasonal_lags(seasonality: Seasonality, points: int) -> tuple[int, ...]:
    """Return the lags 1 to 3, and those at and next to whole cycles, that ``points`` allow."""
    short, long = seasonality.short, seasonality.long_in_short_cycles
    lags = {1, 2, 3} | {short * k for k in range(1, _MAX_LAG_CYCLES + 1)} | {short - 1, short + 1}
    if long:
        lags |= {long - 1, long, long + 1}
        if points > _MIN_CYCLES_FOR_TWO * long:
            lags.add(2 * long)
    return tuple(sorted(lag for lag in lags if 0 < lag < _MAX_LAG_FRACTION * points))


def yearly_lags(points: int) -> tuple[int, ...]:
    """Return the lags of weeks, up to two years, that ``points`` allow."""
    lags = [1, 2, 3, 4]
    for min_weeks, added in _YEARLY_LAGS:
        lags += added if points > min_weeks else ()
    return tuple(lag for lag in lags if lag < max(2.0, _MAX_YEARLY_LAG_FRACTION * points))


def deseasonalize(values: FloatArray, periods: tuple[int, ...]) -> tuple[FloatArray, bool]:
    """Return the values, or their logarithms if all are positive, without the shortest season.

    The second result is whether they are logarithms.
    """
    is_log = bool(values.min() > 0)
    scaled = np.log(values) if is_log else values
    period = find_seasonality(len(values), periods).short
    if not period:
        return scaled, is_log
    phases = phase_medians(scaled - running_median(scaled, 2 * period), period)
    return scaled - phases[np.arange(len(values)) % period], is_log
