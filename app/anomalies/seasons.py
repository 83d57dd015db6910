"""Which seasonal periods a series shows, and the profile of each.

A season is accepted where the spectrum has peaks at the multiples of its frequency, compared with
the frequencies between them: a random walk raises both alike.
"""

from typing import NamedTuple

import numpy as np
from scipy.ndimage import uniform_filter1d
from scipy.stats import chi2

from app.anomalies.change_points import remove_steps
from app.timeseries.numbers import TINY
from app.timeseries.phases import phase_medians
from app.timeseries.robust import robust_sigma
from app.timeseries.types import FloatArray

# Significance levels, for a season that the calendar suggests and for a search of many periods.
_SUGGESTED_P_VALUE, _SEARCHED_P_VALUE = 1e-3, 1e-6
# The minimum numbers of cycles of a season, suggested or searched for.
_MIN_CYCLES, _MIN_SEARCHED_CYCLES = 2, 4
# Of rare events, fewer than this fraction of the points, two often are a period apart by chance.
_MAX_EVENT_FRACTION = 0.05
_MIN_EVENT_CYCLES = 3
_MAX_NEIGHBOURS = 8  # frequencies on each side of a multiple with which it is compared
_MIN_SEARCHED_PERIOD = 2  # steps; the maximum is a quarter of the series
_MIN_CORRELATION = 0.3  # of the values and those one period earlier
_MIN_PEAK_FRACTION = 0.85  # of the highest autocorrelation
# A period that was searched for is refined by this many harmonics, of the sums of this many phases.
# It is a whole number of steps unless the phase would drift by more than this over the series, in
# steps and in standard errors.
_MAX_HARMONICS = 8
_REFINING_PHASES = 128
_MIN_DRIFT_STEPS, _MIN_DRIFT_ERRORS = 0.5, 4.0
_MIN_PHASES = 24  # of a period that is not a whole number of steps
# With this many cycles, the values of a short series are clipped around the median of their phase
# before the spectrum is computed: one spike would raise all frequencies. With fewer cycles the
# median follows an outlier; among more points a spike weighs less.
_MIN_CLIPPED_CYCLES = 6
_MAX_CLIPPED_POINTS = 200
# The clip, in robust and in standard deviations: the larger of the two.
_MAX_PEAK_SIGMAS, _MAX_PEAK_DEVIATIONS = 6.0, 3.0
_HUBER_SIGMAS = 2.0  # noise is clipped here before phases are averaged (Huber 1964)
# A longer profile is noisy in each phase, but smooth: it is smoothed to this many phases.
_SMOOTH_PHASES = 48
# A phase that differs from the smooth profile by this many standard errors is not smoothed.
_SHARP_STANDARD_ERRORS = 4.0

# The seasonal periods to test, or the only one if it is known, 0 for none; in steps.
SearchedPeriods = tuple[int, ...] | int


class SeasonalProfile(NamedTuple):
    """The deviation of each phase of a season."""

    period: float  # in steps
    values: FloatArray  # at equal distances, from phase 0 on; their mean is about 0
    freedom: float  # the number of free parameters that were estimated

    def repeat(self, length: int) -> FloatArray:
        if self.period == len(self.values):
            return np.resize(self.values, length)
        turns = np.arange(length) / self.period % 1
        phases = np.linspace(0, 1, len(self.values) + 1)
        return np.interp(turns, phases, np.append(self.values, self.values[0]))


def find_profiles(values: FloatArray, periods: SearchedPeriods) -> tuple[SeasonalProfile, ...]:
    """Return the profile of each season of a series, shortest first.

    A longer season is what the shorter ones leave: the weekly profile of an hourly series is how
    each day differs from the daily profile.

    Args:
        values: Without gross outliers, shape (n,).
        periods: If the series shows none of those to test, one is searched for.
    """
    if isinstance(periods, int):
        searched: float = periods
    else:
        deseasonalized, profiles = values, []
        for tested in sorted(set(periods)):
            steady = remove_steps(deseasonalized, tested)
            if _has_season(steady, tested, _SUGGESTED_P_VALUE, _MIN_CYCLES):
                profiles.append(seasonal_profile(steady, tested))
                deseasonalized = deseasonalized - profiles[-1].repeat(len(values))
        if profiles:
            return tuple(profiles)
        searched = _search_period(values)
    if not 2 <= searched <= len(values) // 2:
        return ()
    steady = values if searched % 1 else remove_steps(values, int(searched))
    profile = seasonal_profile(steady, searched)
    if searched % 1:  # a step lies between two phases, which blurs peaks: fit what that leaves, too
        rest = seasonal_profile(values - profile.repeat(len(values)), searched)
        profile = profile._replace(values=profile.values + rest.values)
    return (profile,)


def _search_period(values: FloatArray) -> float:
    """Return the period that the autocorrelation shows, 0 without one."""
    n = len(values)
    longest = n // _MIN_SEARCHED_CYCLES
    if longest <= _MIN_SEARCHED_PERIOD + 1:
        return 0
    detrended = values - uniform_filter1d(values, 2 * longest, mode="nearest")
    spectrum = np.fft.rfft(detrended, 2 * n)
    products = np.fft.irfft(np.abs(spectrum) ** 2)[: longest + 1]
    if products[0] <= 0:
        return 0
    correlation = products / products[0] * n / (n - np.arange(longest + 1))
    inner = correlation[1:-1]
    peaks = 1 + np.flatnonzero((inner > correlation[:-2]) & (inner >= correlation[2:]))
    peaks = peaks[(peaks >= _MIN_SEARCHED_PERIOD) & (correlation[peaks] >= _MIN_CORRELATION)]
    if not len(peaks):
        return 0
    highest = peaks[correlation[peaks] >= _MIN_PEAK_FRACTION * correlation[peaks].max()]
    period = _refine_period(detrended, correlation, int(highest[0]))
    return period if _has_season(values, period, _SEARCHED_P_VALUE, _MIN_SEARCHED_CYCLES) else 0


def _refine_period(detrended: FloatArray, correlation: FloatArray, lag: int) -> float:
    """Return the period near a lag, a whole number of steps unless the series shows another.

    The peak is followed to lags of two, four ... cycles. Then the phases of the harmonics in the
    two halves of the series show by how much the estimate is wrong.
    """
    n, cycles = len(detrended), 1
    while 2 * lag + 1 < len(correlation):
        cycles *= 2
        lag = 2 * lag - 1 + int(np.argmax(correlation[2 * lag - 1 : 2 * lag + 2]))
    period = lag / cycles

    half = int(n // (2 * period) * period)  # points, of whole cycles
    index, size = np.arange(2 * half), _REFINING_PHASES
    phases = (index / period % 1 * size).astype(int) + size * (index >= half)
    sums = np.bincount(phases, detrended[-2 * half :], 2 * size).reshape(2, size)
    harmonics = np.arange(1, max(1, min(_MAX_HARMONICS, int(period / 4))) + 1)
    first, second = np.fft.rfft(sums / half)[:, harmonics]
    turned = second * first.conj()
    weights = harmonics * np.abs(turned) ** 2 + TINY
    turns = float(weights @ np.angle(turned) / (weights @ harmonics)) / (2 * np.pi)
    period = 1 / (1 / period + turns / half)

    drift = abs(1 / period - 1 / round(period)) * n  # cycles
    squares = np.abs(first + second) ** 2  # of the amplitudes
    noise = max(0.0, float((detrended**2).mean() - squares.sum() / 2))
    variance = noise / n * (harmonics**2 @ squares**3) / ((harmonics**2 @ squares**2) ** 2 + 1e-300)
    # 9/8 of the Cramér-Rao bound: the two halves do not use all of the information.
    min_drift = _MIN_DRIFT_ERRORS * np.sqrt(0.7 * variance)
    is_whole = drift * period < _MIN_DRIFT_STEPS or drift < min_drift
    return round(period) if is_whole else period


def _has_season(values: FloatArray, period: float, level: float, cycles: int) -> bool:
    """Return whether the spectrum of a series has peaks at the multiples of a period's frequency.

    Each multiple's power over the mean of its k neighbours' has, without a season, an F
    distribution with 2 and 2 k degrees of freedom; Fisher's method (1925) combines the p-values of
    the first one, two, four ... multiples, and Bonferroni's the combinations.
    """
    values, phases = _fold_cycles(values, period)
    cycle_count = len(values) // phases
    if phases < 2 or cycle_count < cycles:
        return False
    event_fraction = np.mean(values != np.median(values))
    if event_fraction < _MAX_EVENT_FRACTION and cycle_count < _MIN_EVENT_CYCLES:
        return False
    detrended = values - cycle_means(values, phases)
    is_short = len(values) <= _MAX_CLIPPED_POINTS
    # In a series that is mostly one value, rare events are not outliers.
    if is_short and cycle_count >= _MIN_CLIPPED_CYCLES and event_fraction >= 1 / 2:
        detrended = _clip_to_phases(detrended, phases)
    power = np.abs(np.fft.rfft(detrended[-cycle_count * phases :])) ** 2
    multiples = cycle_count * np.arange(1, (phases - 1) // 2 + 1 + (phases == 2))
    offsets = np.arange(1, max(2, min(cycle_count // 2, _MAX_NEIGHBOURS) + 1))
    neighbours = np.concatenate([-offsets, offsets])
    # Beyond the highest frequency the spectrum is mirrored.
    highest = len(power) - 1
    bins = highest - np.abs(highest - np.add.outer(multiples, neighbours))
    background = power[bins].mean(axis=1)
    if not background.any():
        return bool(power[multiples].any())
    ratios = power[multiples] / np.maximum(background, TINY)
    statistics = np.cumsum(2 * len(neighbours) * np.log1p(ratios / len(neighbours)))
    counts = np.unique(np.minimum(2 ** np.arange(12), len(multiples)))
    p_values = chi2.sf(statistics[counts - 1], 2 * counts)
    return bool(p_values.min() * len(counts) < level)


def _clip_to_phases(values: FloatArray, period: int) -> FloatArray:
    """Clip values (n,) that are far from the median of their phase."""
    medians = np.resize(phase_medians(values, period), len(values))
    residual = values - medians
    limit = max(
        _MAX_PEAK_SIGMAS * robust_sigma(residual), _MAX_PEAK_DEVIATIONS * float(residual.std())
    )
    return np.asarray(medians + np.clip(residual, -limit, limit))


def seasonal_profile(values: FloatArray, period: float) -> SeasonalProfile:
    """Return the profile of a series of shape (n,).

    A Huber mean of each phase, shrunk by how much its cycles disagree (James and Stein 1961).
    """
    values, size = _fold_cycles(values, period)
    n = len(values)
    detrended = values - cycle_means(values, size)
    phases = np.arange(n) % size
    medians = phase_medians(detrended, size)
    residual = detrended - medians[phases]

    sigma = robust_sigma(residual)
    counts = np.bincount(phases, minlength=size)
    limit = _HUBER_SIGMAS * sigma
    profile = medians + np.bincount(phases, np.clip(residual, -limit, limit), size) / counts
    profile -= profile.mean()
    error = sigma**2 / counts.mean()

    window = max(1, 2 * (size // _SMOOTH_PHASES // 2) + 1)
    smooth = uniform_filter1d(profile, window, mode="wrap") if window > 1 else np.zeros(size)
    detail = profile - smooth
    is_sharp = np.abs(detail) > _SHARP_STANDARD_ERRORS * np.sqrt(error)
    variance = float((detail[~is_sharp] ** 2).mean()) if (~is_sharp).any() else 0.0
    kept_part = max(0.0, 1 - error / variance) if variance > 0 else 0.0
    smooth_freedom = size / window if window > 1 else 0.0
    details = kept_part * (size - smooth_freedom) + (1 - kept_part) * float(is_sharp.sum())
    return SeasonalProfile(
        period, smooth + np.where(is_sharp, detail, kept_part * detail), smooth_freedom + details
    )


def cycle_means(values: FloatArray, period: int) -> FloatArray:
    """Return the mean of one cycle around each value of a series, shape (n,) of at least a cycle.

    Beyond its ends the series repeats its first and last cycle, moved by the median change from one
    cycle to the next: a mean of part of a cycle would depend on the phase.
    """
    whole = len(values) // period * period
    means = values[-whole:].reshape(-1, period).mean(axis=1)
    change = float(np.median(np.diff(means))) if len(means) > 1 else 0.0
    continued = np.concatenate([values[:period] - change, values, values[-period:] + change])
    return np.asarray(uniform_filter1d(continued, period)[period:-period])


def _fold_cycles(values: FloatArray, period: float) -> tuple[FloatArray, int]:
    """Return the values at equal phases of each cycle, and the number of these.

    For a period that is a whole number of steps they are the values.
    """
    phases = round(period)
    if period == phases:
        return values, phases
    phases *= -(-_MIN_PHASES // phases)
    points = int((len(values) - 0.5) * phases / period)
    return values[np.rint(np.arange(points) * (period / phases)).astype(int)], phases
