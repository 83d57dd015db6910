"""Real numbers from which the coefficients of a stationary autoregression are made, and back.

A search over these numbers needs no bounds.
"""

import math
from collections.abc import Iterable

import numpy as np

from app.timeseries.types import FloatArray


def constrain_stationary(unconstrained: Iterable[float]) -> FloatArray:
    """Return the AR coefficients of a stationary process from any real numbers.

    tanh makes them partial autocorrelations, and the Durbin-Levinson recursion coefficients
    (Monahan 1984; Barndorff-Nielsen and Schou 1973).
    """
    # Plain floats: an array operation on one to three numbers takes ten times as long.
    coefficients: list[float] = []
    for value in unconstrained:
        partial = math.tanh(value)
        mirrored = coefficients[::-1]
        coefficients = [
            coefficient - partial * other
            for coefficient, other in zip(coefficients, mirrored, strict=True)
        ]
        coefficients.append(partial)
    return np.array(coefficients)


def unconstrain_stationary(coefficients: FloatArray) -> list[float]:
    """Return the numbers that ``constrain_stationary`` maps to ``coefficients``: its inverse."""
    numbers: list[float] = []
    remaining = coefficients.tolist()
    while remaining:
        partial = remaining.pop()
        numbers.append(math.atanh(partial))
        mirrored = remaining[::-1]
        remaining = [
            (coefficient + partial * other) / (1 - partial**2)
            for coefficient, other in zip(remaining, mirrored, strict=True)
        ]
    return numbers[::-1]


def stationary_jacobian(unconstrained: list[float]) -> FloatArray:
    """Return the derivatives of ``constrain_stationary`` (rows) by each number, shape (p, p)."""
    size = len(unconstrained)
    slopes = np.zeros((size, size))
    for last, value in enumerate(unconstrained):
        partial = math.tanh(value)
        slopes[last, last] = 1 - partial**2
        if last:
            mirrored = constrain_stationary(unconstrained[:last])[::-1]
            slopes[:last, :last] -= partial * slopes[:last, :last][::-1]
            slopes[:last, last] = (partial**2 - 1) * mirrored
    return slopes
