"""Other detectors: a score for each point, and the threshold of each.

Each is run at its documented default, and at the one threshold that flags .1 % of the points of
the synthetic clean kinds, each kind weighing the same (``calibrated``): the best that a single
setting can achieve on false alarms.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

import numpy as np
from scipy import stats
from scipy.ndimage import median_filter, uniform_filter1d

from app.timeseries.history import History
from app.timeseries.types import BoolArray, FloatArray
from benchmarks.anomalies.clean_series import KINDS, make_clean
from benchmarks.anomalies.methods import RATE, Judgement, Method
from benchmarks.parallel import run_in_processes

SETTINGS = ("default", "calibrated")
CALIBRATED_LENGTH, QUICK_LENGTH, CALIBRATED_SEED = 1_000, 400, 70_000
# One over the median and over the mean size of a normal distribution's values.
MAD_TO_SIGMA, MEAN_TO_SIGMA = 1.4826, 1.2533
_TINY = 1e-9


@dataclass(frozen=True)
class Rival:
    """A rival: ``score`` grows with the anomaly, ``flag`` is its documented decision.

    It is left out if its ``library`` is not installed.
    """

    name: str
    score: Callable[[History], FloatArray]
    flag: Callable[[FloatArray], BoolArray]
    library: str | None = None


def _min_scale(values: FloatArray) -> float:
    """Return a scale for series that hardly move."""
    return _TINY * float(np.ptp(values) or 1.0)


def _robust_scale(distance: FloatArray, values: FloatArray) -> float:
    """Return the median distance in standard deviations, or the mean one where half are 0.

    Iglewicz and Hoaglin 1993, "How to Detect and Handle Outliers".
    """
    median = float(np.median(distance))
    min_scale = _min_scale(values)
    if median > min_scale:
        return MAD_TO_SIGMA * median
    return MEAN_TO_SIGMA * float(distance.mean()) + min_scale


def rolling_z(history: History, width: int = 100) -> FloatArray:
    """Distance from the mean of the 100 points before, in their standard deviations."""
    values = history.values
    scores = np.zeros(len(values))
    if len(values) <= width:
        return scores
    before = np.lib.stride_tricks.sliding_window_view(values, width)[:-1]
    scale = before.std(axis=1) + _min_scale(values)
    scores[width:] = np.abs(values[width:] - before.mean(axis=1)) / scale
    return scores


def rolling_mad(history: History, width: int = 101) -> FloatArray:
    """Hampel's filter: distance from the median around, in scaled median absolute deviations."""
    values = history.values
    distance = np.abs(values - median_filter(values, width, mode="mirror"))
    scale = MAD_TO_SIGMA * median_filter(distance, width, mode="mirror")
    return distance / np.where(scale > _min_scale(values), scale, _robust_scale(distance, values))


def _remainder(history: History) -> FloatArray:
    """Return the input of S-H-ESD: the series minus STL's season and the median."""
    from statsmodels.tsa.seasonal import STL  # noqa: PLC0415

    values = history.values
    fits = [period for period in history.periods if 2 * period < len(values)]
    season = 0.0
    if fits:
        # Twitter's stl(..., s.window="periodic", robust=TRUE) of R, with its jumps.
        period = fits[0]
        cycles = 10 * (len(values) // period) + 1
        trend = 2 * round(0.75 * period) + 1
        stl = STL(
            values,
            period,
            seasonal=cycles,
            trend=trend,
            robust=True,
            seasonal_jump=-(-cycles // 10),
            trend_jump=-(-trend // 10),
            low_pass_jump=-(-period // 10),
        )
        season = stl.fit().seasonal
    rest = values - season
    return rest - np.median(rest)


def hybrid_esd(history: History) -> FloatArray:
    """Seasonal hybrid ESD's statistic (Hochenbaum, Vallis and Kejariwal 2017)."""
    rest = np.abs(_remainder(history))
    return rest / _robust_scale(rest, history.values)


def esd_flags(scores: FloatArray, significance: float = 0.05, max_share: float = 0.1) -> BoolArray:
    """Rosner's (1983) generalized test with median and median absolute deviation.

    The scale shrinks as points are removed; where it is 0 the test stops, as Twitter's does.
    """
    length = len(scores)
    order = np.argsort(-scores)
    ranked = scores[order]
    removed = np.arange(max(1, int(max_share * length)))
    # From the largest score down, so the median of those left is a position.
    scale = MAD_TO_SIGMA * ranked[(removed + length) // 2]
    left = length - removed
    quantile = stats.t.ppf(1 - significance / (2 * left), left - 2)
    critical = (left - 1) * quantile / np.sqrt((left - 2 + quantile**2) * left)
    beyond = np.flatnonzero((ranked[removed] > critical * scale) & (scale > _TINY))
    flags = np.zeros(length, dtype=bool)
    flags[order[: beyond[-1] + 1 if len(beyond) else 0]] = True
    return flags


def isolation_forest(history: History) -> FloatArray:
    """scikit-learn's isolation forest on windows of a season (10 where there is none)."""
    from sklearn.ensemble import IsolationForest  # noqa: PLC0415

    values = history.values
    fits = [period for period in history.periods if 4 * period < len(values)]
    width = fits[0] if fits else 10
    windows = np.lib.stride_tricks.sliding_window_view(values, width)
    scores = -IsolationForest(random_state=0).fit(windows).score_samples(windows)
    return np.pad(scores, (width // 2, len(values) - len(scores) - width // 2), mode="edge")


def spectral_residual(history: History, smoothing: int = 3, window: int = 21) -> FloatArray:
    """Microsoft's kernel: the saliency left when the smooth spectrum is taken out, over its mean.

    Ren et al. 2019, "Time-Series Anomaly Detection Service at Microsoft", equations 1 to 8, with
    their five extrapolated points at the end.
    """
    values = history.values
    steps = np.arange(1, 6)
    slope = np.mean((values[-1] - values[-1 - steps]) / steps)
    longer = np.concatenate([values, np.full(5, values[-5] + slope * 5)])
    spectrum = np.fft.fft(longer)
    size = np.abs(spectrum) + _TINY
    log = np.log(size)
    residual = log - uniform_filter1d(log, smoothing, mode="wrap")
    saliency = np.abs(np.fft.ifft(np.exp(residual) * spectrum / size))[: len(values)]
    mean = uniform_filter1d(saliency, window, origin=window // 2)
    return (saliency - mean) / np.maximum(mean, _TINY)


def mstl_interval(history: History) -> FloatArray:
    """statsforecast's method: distance from MSTL's fit, in the scale of its in-sample interval.

    AutoETS where no season fits, which MSTL cannot do.
    """
    from statsforecast.models import MSTL, AutoETS  # noqa: PLC0415

    values = history.values
    fits = [period for period in history.periods if 2 * period < len(values)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MSTL(season_length=fits) if fits else AutoETS()
        fitted = model.fit(values).predict_in_sample(level=[99])
    half = (fitted["fitted-hi-99"] - fitted["fitted-lo-99"]) / 2
    distance = np.abs(values - fitted["fitted"]) / np.maximum(half, _min_scale(values))
    return np.nan_to_num(stats.norm.ppf(0.995) * distance)


RIVALS = (
    Rival("rolling z", rolling_z, partial(np.less, 3.0)),
    Rival("rolling MAD", rolling_mad, partial(np.less, 3.0)),
    Rival("S-H-ESD", hybrid_esd, esd_flags, "statsmodels"),
    Rival("isolation forest", isolation_forest, partial(np.less, 0.5), "sklearn"),
    Rival("spectral residual", spectral_residual, partial(np.less, 3.0)),
    Rival("MSTL interval", mstl_interval, partial(np.less, stats.norm.ppf(0.995)), "statsforecast"),
)


def _clean_scores(rival: Rival, length: int, kind: str) -> FloatArray:
    return rival.score(make_clean(kind, CALIBRATED_SEED, length))


def calibrated_threshold(rival: Rival, length: int) -> float:
    """Return the threshold that flags ``RATE`` of the points of the synthetic kinds together."""
    scores = np.concatenate(run_in_processes(partial(_clean_scores, rival, length), KINDS))
    return float(np.quantile(scores, 1 - RATE))


def _judge(rival: Rival, threshold: float, history: History) -> tuple[Judgement, ...]:
    scores = rival.score(history)
    return Judgement(rival.flag(scores)), Judgement(scores > threshold)


def rival_methods(quick: bool) -> list[Method]:
    """Return the rivals, each at its default and calibrated."""
    length = QUICK_LENGTH if quick else CALIBRATED_LENGTH
    return [
        Method(rival.name, SETTINGS, partial(_judge, rival, calibrated_threshold(rival, length)))
        for rival in RIVALS
        if rival.library is None or find_spec(rival.library)
    ]
