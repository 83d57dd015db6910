"""Run numerical code whose failure must not fail the whole forecast."""

import logging
from collections.abc import Callable
from typing import TypeVar

logger = logging.getLogger(__name__)

T = TypeVar("T")

# The errors that end a forecast. MemoryError is the memory limit of the engine process, which its
# caller reports. Tests add the errors that only a mistake in our own code raises.
FATAL_ERRORS: list[type[Exception]] = [MemoryError]


def try_fit(fit: Callable[[], T], attempt: str, level: int = logging.ERROR) -> T | None:
    """Return what ``fit`` returns; log that ``attempt`` failed and return None if it raised.

    Numerical libraries raise many types. Only ``FATAL_ERRORS`` are passed on.
    """
    try:
        return fit()
    except Exception as error:  # the caller has a simpler model
        if isinstance(error, tuple(FATAL_ERRORS)):
            raise
        logger.log(level, "%s failed", attempt, exc_info=True)
        return None
