"""Small questions about numbers, and how they are returned."""

from typing import TypeVar

from app.timeseries.types import FloatArray

Numbers = TypeVar("Numbers", float, FloatArray)


def is_constant(values: FloatArray) -> bool:
    """Return whether all values, of which there is one at least, are equal."""
    return bool((values == values[0]).all())


def without_negative_zero(numbers: Numbers) -> Numbers:
    """Return the numbers with 0 for each -0, which JSON would write as -0.0."""
    return numbers + 0.0
