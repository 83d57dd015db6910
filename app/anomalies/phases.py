"""In which part of a season a step is; light to import."""

from typing import TypeVar

from app.timeseries.types import IntArray

# The most parts of a season that have a scale of their own.
_MAX_PHASES = 48

Steps = TypeVar("Steps", int, IntArray)


def phase_of(time: Steps, period: int) -> Steps:
    """Return in which part of a season each step of ``time`` is."""
    return time % period * min(period, _MAX_PHASES) // period
