"""Seasonal ARMA by conditional sum of squares: the fast half of the ARIMA member.

The multiplicative model of Box and Jenkins (1976), chapter 9, for a series that is already
differenced: phi(B) Phi(B^m) (z_t - c) = theta(B) Theta(B^m) e_t. Values before the series count as
the mean and residuals before it as zero, so one linear filter gives all residuals, and
Levenberg-Marquardt minimises their sum of squares.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.signal import lfilter

from app.forecasting.types import FloatArray

_DERIVATIVE_STEP = 1e-4
_SUFFICIENT_GAIN = 1e-4
_LARGEST_STEP = 1.0
# tanh(2.3) = 0.98: keeps every root at a distance from the unit circle.
_PARAMETER_LIMIT = 2.3
_NEGLIGIBLE = 1e-24


@dataclass(frozen=True)
class ArmaOrder:
    """Orders of the four polynomials, and whether the series has a mean of its own."""

    ar: int
    ma: int
    seasonal_ar: int = 0
    seasonal_ma: int = 0
    constant: bool = False

    @property
    def size(self) -> int:
        """Number of parameters, the residual variance not counted."""
        return self.ar + self.ma + self.seasonal_ar + self.seasonal_ma + int(self.constant)


@dataclass(frozen=True)
class ArmaFit:
    """A fitted model: coefficients as Box and Jenkins sign them, ma with a plus.

    ``mean`` is the mean of the differenced series (0 without a constant), ``sum_of_squares`` that
    of the ``count`` residuals.
    """

    order: ArmaOrder
    period: int
    ar: FloatArray
    ma: FloatArray
    seasonal_ar: FloatArray
    seasonal_ma: FloatArray
    mean: float
    sum_of_squares: float
    count: int

    @property
    def corrected_aic(self) -> float:
        """AICc of Hurvich and Tsai (1989), the residual variance counted as a parameter."""
        parameters = self.order.size + 1
        deviance = self.count * np.log(max(self.sum_of_squares, 1e-300) / self.count)
        freedom = max(self.count - parameters - 1, 1)
        return float(deviance + 2 * parameters + 2 * parameters * (parameters + 1) / freedom)

    @property
    def polynomials(self) -> tuple[FloatArray, FloatArray]:
        """Coefficients of the autoregressive and the moving-average polynomial, each with its
        seasonal one multiplied in, constant term first."""
        return _polynomials((self.ar, self.ma, self.seasonal_ar, self.seasonal_ma), self.period)

    @property
    def intercept(self) -> float:
        """The constant on the right-hand side: the mean times the AR polynomials at 1."""
        return float(self.mean * (1 - self.ar.sum()) * (1 - self.seasonal_ar.sum()))


def stationary_coefficients(unconstrained: Iterable[float]) -> FloatArray:
    """AR coefficients of a stationary process from any real numbers.

    tanh makes them partial autocorrelations, and the Durbin-Levinson recursion coefficients
    (Monahan 1984; Barndorff-Nielsen and Schou 1973).
    """
    # Plain floats: for one to three of them an array operation costs ten times as much.
    coefficients: list[float] = []
    for value in unconstrained:
        partial = math.tanh(value)
        mirrored = coefficients[::-1]
        coefficients = [
            own - partial * other for own, other in zip(coefficients, mirrored, strict=True)
        ]
        coefficients.append(partial)
    return np.array(coefficients)


def lag_polynomial(coefficients: FloatArray, spacing: int, sign: float) -> FloatArray:
    """Coefficients of 1 + sign (c_1 B^s + c_2 B^2s + ...), constant term first."""
    polynomial = np.zeros(len(coefficients) * spacing + 1)
    polynomial[0] = 1.0
    polynomial[spacing::spacing] = sign * coefficients
    return polynomial


def _split(
    parameters: FloatArray, order: ArmaOrder
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    values = parameters.tolist()
    end_ar = order.ar
    end_ma = end_ar + order.ma
    end_seasonal_ar = end_ma + order.seasonal_ar
    end_seasonal_ma = end_seasonal_ar + order.seasonal_ma
    return (
        stationary_coefficients(values[:end_ar]),
        -stationary_coefficients(values[end_ar:end_ma]),
        stationary_coefficients(values[end_ma:end_seasonal_ar]),
        -stationary_coefficients(values[end_seasonal_ar:end_seasonal_ma]),
    )


def _polynomials(
    coefficients: tuple[FloatArray, FloatArray, FloatArray, FloatArray], period: int
) -> tuple[FloatArray, FloatArray]:
    ar, ma, seasonal_ar, seasonal_ma = coefficients
    left, right = lag_polynomial(ar, 1, -1.0), lag_polynomial(ma, 1, 1.0)
    if len(seasonal_ar):
        left = np.convolve(left, lag_polynomial(seasonal_ar, period, -1.0))
    if len(seasonal_ma):
        right = np.convolve(right, lag_polynomial(seasonal_ma, period, 1.0))
    return left, right


def _residuals(
    parameters: FloatArray, series: FloatArray, order: ArmaOrder, period: int
) -> FloatArray:
    left, right = _polynomials(_split(parameters, order), period)
    centred = series - parameters[-1] if order.constant else series
    return np.asarray(lfilter(left, right, centred))


def _start(series: FloatArray, order: ArmaOrder) -> FloatArray:
    parts = [
        np.full(order.ar, 0.1),
        np.full(order.ma, 0.3 if order.ma == 1 else 0.1),
        np.full(order.seasonal_ar, 0.2),
        np.full(order.seasonal_ma, 0.5),
        np.full(int(order.constant), series.mean()),
    ]
    return np.concatenate(parts)


def fit_arma(
    series: FloatArray, order: ArmaOrder, period: int, max_iterations: int = 12
) -> ArmaFit:
    """Fit one order to a differenced series of shape (n,).

    The work is ``max_iterations`` x (parameters + 4) filters of n points at most.
    """
    parameters = _start(series, order)
    if order.size:
        parameters = _levenberg_marquardt(parameters, series, order, period, max_iterations)
    residuals = _residuals(parameters, series, order, period)
    mean = float(parameters[-1]) if order.constant else 0.0
    coefficients = _split(parameters, order)
    return ArmaFit(order, period, *coefficients, mean, float(residuals @ residuals), len(series))


def _levenberg_marquardt(
    parameters: FloatArray, series: FloatArray, order: ArmaOrder, period: int, max_iterations: int
) -> FloatArray:
    scales = np.ones(order.size)
    free = slice(0, order.size - int(order.constant))
    if order.constant:
        scales[-1] = max(series.std(), 1e-12) / np.sqrt(len(series))
    residuals = _residuals(parameters, series, order, period)
    loss, damping = residuals @ residuals, 1e-2
    negligible = _NEGLIGIBLE * max(float(series @ series), 1e-300)
    for _ in range(max_iterations):
        jacobian = np.empty((len(series), order.size))
        for column in range(order.size):
            moved = parameters.copy()
            moved[column] += _DERIVATIVE_STEP * scales[column]
            difference = _residuals(moved, series, order, period) - residuals
            jacobian[:, column] = difference / _DERIVATIVE_STEP
        gradient, curvature = jacobian.T @ residuals, jacobian.T @ jacobian
        diagonal = np.diag(np.diag(curvature) + 1e-12)
        for _ in range(4):
            step = -np.linalg.solve(curvature + damping * diagonal, gradient)
            step[free] = np.clip(step[free], -_LARGEST_STEP, _LARGEST_STEP)
            candidate = parameters + step * scales
            candidate[free] = np.clip(candidate[free], -_PARAMETER_LIMIT, _PARAMETER_LIMIT)
            new_residuals = _residuals(candidate, series, order, period)
            new_loss = new_residuals @ new_residuals
            if np.isfinite(new_loss) and new_loss < loss:
                break
            damping *= 8
        else:
            break
        gain = (loss - new_loss) / loss
        parameters, residuals, loss = candidate, new_residuals, new_loss
        damping = max(damping / 5, 1e-6)
        if gain < _SUFFICIENT_GAIN or loss <= negligible:
            break
    return parameters
