"""Standard errors by step, from the errors of a member's forecasts inside the history."""

import math
from collections.abc import Iterable

import numpy as np

from app.timeseries.types import FloatArray

SHORT_HISTORY_POINTS = 40
# Errors that a step needs to be measured: `_MIN_ERRORS`; of a shorter history `_MIN_SHORT_ERRORS`,
# and this fraction of its points.
_MIN_SHORT_ERRORS = 4
_MIN_SHORT_FRACTION = 0.2
_MIN_ERRORS = 8
MAX_MEASURED_STEPS = 24  # later ones are extrapolated: measuring them takes time and adds little


def measured_errors(
    errors_by_step: Iterable[FloatArray], points: int, horizon: int, default: float
) -> FloatArray:
    """Return the standard error of each step, shape (horizon,), as in ``extend_errors``.

    ``errors_by_step`` are the errors of forecasts of 1, 2, ... steps inside a history of
    ``points``. Steps are measured up to the first one with too few errors.
    """
    measured = []
    for errors in errors_by_step:
        if not _has_enough_errors(len(errors), points):
            break
        measured.append(math.sqrt(errors @ errors / len(errors)))
    return extend_errors(np.array(measured), horizon, default)


def _has_enough_errors(count: int, points: int) -> bool:
    if points < SHORT_HISTORY_POINTS:
        return count >= max(_MIN_SHORT_ERRORS, _MIN_SHORT_FRACTION * points)
    return count >= _MIN_ERRORS


def extend_errors(observed: FloatArray, horizon: int, default: float) -> FloatArray:
    """Return standard errors, shape (horizon,), that never fall, from those of the first steps.

    ``observed`` (k,) are the root mean square errors of the measured steps. Later ones grow by a
    power of the step that fits these: between 0.2 and 1, or 0.5, as in a random walk, if there are
    fewer than three. Without any, the errors are ``default`` x sqrt(step).
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
