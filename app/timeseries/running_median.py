"""The running median of a series, and the series with its outliers pulled towards it.

Beside the robust statistics, as web workers need these and not scipy.
"""

import numpy as np
from scipy.ndimage import median_filter

from app.timeseries.robust import clip_to_sigmas
from app.timeseries.types import FloatArray


def running_median(values: FloatArray, window: int) -> FloatArray:
    """Return the centred running median.

    Both ends are mirrored, so that an outlier there counts once.
    """
    return np.asarray(median_filter(values, size=window, mode="mirror"))


def clip_to_median(values: FloatArray, window: int, sigmas: float) -> FloatArray:
    """Clip a series (n,) to ``sigmas`` from its running median."""
    return clip_to_sigmas(values, running_median(values, min(window, len(values))), sigmas)
