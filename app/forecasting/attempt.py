"""Run numerical code whose failure must not fail the whole forecast."""

import logging
import traceback
from collections.abc import Callable
from typing import TypeVar

logger = logging.getLogger(__name__)

T = TypeVar("T")

# The errors that end a forecast. MemoryError is the memory limit of the engine process, which its
# caller reports. Tests add the errors that only a mistake in our own code raises.
FATAL_ERRORS: tuple[type[Exception], ...] = (MemoryError,)
# Series that a method cannot fit raise these: LinAlgError of NumPy is a ValueError.
_NUMERICAL_ERRORS = (ArithmeticError, ValueError)


def try_fit(fit: Callable[[], T], attempt: str, level: int = logging.ERROR) -> T | None:
    """Return what ``fit`` returns; log that ``attempt`` failed and return None if it raised.

    Numerical libraries raise many types. Only ``FATAL_ERRORS`` are passed on. ``level`` is that of
    numerical errors; all others are logged as errors.
    """
    try:
        return fit()
    except FATAL_ERRORS:
        raise
    except Exception as error:  # the caller has a simpler model
        severity = level if isinstance(error, _NUMERICAL_ERRORS) else logging.ERROR
        # Without its message, which may quote values of the series.
        frames = "".join(traceback.format_tb(error.__traceback__))
        logger.log(severity, "%s failed by %s:\n%s", attempt, type(error).__name__, frames)
        return None
