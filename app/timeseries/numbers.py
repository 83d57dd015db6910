"""Small questions about numbers, and how they are returned."""

from typing import TypeVar

from app.timeseries.types import FloatArray

NumberOrArray = TypeVar("NumberOrArray", float, FloatArray)


def is_constant(values: FloatArray) -> bool:
    """Return whether all of one or more values are equal."""
    return bool((values == values[0]).all())


def without_negative_zero(numbers: NumberOrArray) -> NumberOrArray:
    """Return the numbers with 0 for each -0, which JSON would write as -0.0."""
    return numbers + 0.0
