"""The unit that scales values of any magnitude, a bound of divisors, changes, and zeros."""

from typing import TypeVar

import numpy as np

from app.timeseries.types import FloatArray

# The least positive float with full precision: a divisor that may be 0 is raised to it, so that
# 0 / 0 is 0.
TINY = float(np.finfo(float).tiny)

NumberOrArray = TypeVar("NumberOrArray", float, FloatArray)


def power_of_two_unit(values: FloatArray) -> float:
    """Return the power of two that scales the largest of ``values`` to between 1/2 and 1.

    Division by it is exact, and squares of the scaled values neither overflow nor vanish.
    """
    return float(np.ldexp(1.0, int(np.frexp(np.abs(values).max())[1])))


def without_negative_zero(numbers: NumberOrArray) -> NumberOrArray:
    """Return the numbers with 0 for each -0, which JSON would write as -0.0."""
    return numbers + 0.0


def changing_fraction(values: FloatArray) -> float:
    """Return the fraction of steps at which the value changes; ``values`` has shape (n,), n > 1."""
    return float(np.mean(np.diff(values) != 0))


def is_mostly_zero(values: FloatArray) -> bool:
    """Return whether at least half of the values are 0: then their median says nothing."""
    return bool(2 * np.count_nonzero(values) <= len(values))
