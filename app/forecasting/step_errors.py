"""Standard errors by horizon from the errors a member made on its own history."""

import math
from collections.abc import Iterable

import numpy as np

from app.timeseries.types import FloatArray

_SHORT_HISTORY_POINTS = 40
# Later steps than these are extrapolated: measuring them costs more than it shows.
MAX_MEASURED_STEPS = 24


def measured_errors(
    errors_by_step: Iterable[FloatArray], length: int, horizon: int, default: float
) -> FloatArray:
    """Return the standard error of each step, shape (horizon,), as in ``extend_errors``.

    ``errors_by_step`` are the errors of forecasts of 1, 2, ... steps, made in a history of
    ``length`` points; the first step with too few of them ends what is measured.
    """
    measured = []
    for errors in errors_by_step:
        if not _has_enough_errors(len(errors), length):
            break
        measured.append(math.sqrt(errors @ errors / len(errors)))
    return extend_errors(np.array(measured), horizon, default)


def _has_enough_errors(count: int, length: int) -> bool:
    if length < _SHORT_HISTORY_POINTS:
        return count >= max(4, 0.2 * length)
    return count >= 8


def extend_errors(observed: FloatArray, horizon: int, default: float) -> FloatArray:
    """Return standard errors, shape (horizon,), that never fall, from those of the first steps.

    ``observed`` has shape (k,), the root mean square error of each step that could be measured.
    Later steps grow by a power of the step that fits the measured ones (between 0.2 and 1; with
    fewer than three, 0.5, as of a random walk). Without any, they are ``default`` x sqrt(step).
    """
    steps = np.arange(1, horizon + 1)
    measured = len(observed)
    if measured == 0:
        return default * np.sqrt(steps)
    widening = np.maximum.accumulate(observed)
    power = 0.5
    if measured >= 3 and widening[0] > 0:
        power = float(np.clip(np.log(widening[-1] / widening[0]) / np.log(measured), 0.2, 1.0))
    later = widening[-1] * (steps[measured:] / measured) ** power
    return np.concatenate([widening, later])[:horizon]
