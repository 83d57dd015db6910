"""In which part of a season a step is; light to import."""

from typing import overload

from app.timeseries.types import IntArray

# The most parts of a season that have a scale of their own.
_MAX_PHASES = 48


@overload
def phase_of(time: int, period: int) -> int: ...
@overload
def phase_of(time: IntArray, period: int) -> IntArray: ...
def phase_of(time: int | IntArray, period: int) -> int | IntArray:
    """Return in which part of a season each step of ``time`` is."""
    return time % period * min(period, _MAX_PHASES) // period
