"""Run numerical code whose failure must not fail the whole forecast."""

import logging
from collections.abc import Callable
from typing import TypeVar

logger = logging.getLogger(__name__)

T = TypeVar("T")


def try_fit(fit: Callable[[], T], what: str, level: int = logging.ERROR) -> T | None:
    """Return what ``fit`` returns; log that ``what`` failed and return None if it raised.

    Numerical libraries raise many types. Only MemoryError is passed on: it is the memory limit of
    the engine, whose caller reports it.
    """
    try:
        return fit()
    except MemoryError:
        raise
    except Exception:  # the caller has a simpler model
        logger.log(level, "%s failed", what, exc_info=True)
        return None
