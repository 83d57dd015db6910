"""Seasonal ARMA by conditional sum of squares: the fast half of the ARIMA member.

The multiplicative model of Box and Jenkins (1976), chapter 9, for a series that is already
differenced: phi(B) Phi(B^m) (z_t - c) = theta(B) Theta(B^m) e_t. Values before the series are its
mean and residuals before it zero, so that one linear filter gives all residuals, and two more their
derivatives (section 7.2.3). Levenberg-Marquardt minimizes the sum of squares.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dposv
from scipy.signal import lfilter

from app.forecasting.arma.stationary_coefficients import (
    constrain_stationary,
    stationary_jacobian,
    unconstrain_stationary,
)
from app.timeseries.numbers import TINY
from app.timeseries.types import FloatArray

_MIN_AIC_GAIN = 0.05  # the search stops if a step lowers the AIC by less
_MAX_ITERATIONS = 8
_MAX_STEP = 1.0
_MAX_PARAMETER = 2.3  # tanh(2.3) = 0.98: keeps every root at a distance from the unit circle
# The unconstrained parameters at the start of the search.
_START_AR = 0.1
_START_MA = 0.1
_START_ONE_MA = 0.3
_START_SEASONAL = (0.2, 0.5)
_START_DAMPING = 1e-2  # Marquardt (1963)
_MIN_DAMPING = 1e-6
_DAMPING_RISE = 8  # its factor after a poor step
_DAMPING_FALL = 5  # its divisor after a good one
_MAX_TRIES = 4  # poor steps in a row
_NEGLIGIBLE_LOSS = 1e-24  # a fraction of the sum of squares: the fit has no errors but rounding
# Added to the curvature of each parameter, as one without effect has none.
_MIN_CURVATURE = 1e-12
_MIN_DEVIATION = 1e-12  # of a standardized series that is constant once differenced

_EMPTY = np.zeros(0)
_ONE = np.ones(1)


@dataclass(frozen=True)
class ArmaOrder:
    """Orders of the four polynomials, and whether the model has a mean."""

    ar: int
    ma: int
    seasonal_ar: int = 0
    seasonal_ma: int = 0
    has_constant: bool = False

    @property
    def size(self) -> int:
        """Number of parameters, the residual variance not counted."""
        return self.ar + self.ma + self.seasonal_ar + self.seasonal_ma + int(self.has_constant)


@dataclass(frozen=True)
class ArmaFit:
    """A fitted model; the moving-average polynomial is 1 + ma_1 B + ...

    ``mean`` is that of the differenced series, 0 without a constant; ``sum_of_squares`` is that of
    the ``count`` residuals.
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
        deviance = self.count * np.log(max(self.sum_of_squares, TINY) / self.count)
        freedom = max(self.count - parameters - 1, 1)
        return float(deviance + 2 * parameters + 2 * parameters * (parameters + 1) / freedom)

    @property
    def polynomials(self) -> tuple[FloatArray, FloatArray]:
        """Coefficients of the autoregressive and the moving-average polynomial.

        Each has its seasonal one multiplied in; the constant term is first.
        """
        return (
            np.convolve(
                lag_polynomial(self.ar, 1, -1.0),
                lag_polynomial(self.seasonal_ar, self.period, -1.0),
            ),
            np.convolve(
                lag_polynomial(self.ma, 1, 1.0), lag_polynomial(self.seasonal_ma, self.period, 1.0)
            ),
        )


def fit_arma(
    series: FloatArray, order: ArmaOrder, period: int, similar: ArmaFit | None = None
) -> ArmaFit:
    """Fit one order to a differenced series of shape (n,).

    The search starts from the coefficients of ``similar``, the fit of a similar order, if given. It
    applies at most 7 x ``_MAX_ITERATIONS`` filters to the series.
    """
    point = _Evaluation(_initial_parameters(series, order, similar), series, order, period)
    if order.size:
        point = _levenberg_marquardt(point, series, order, period)
    ar, ma, seasonal_ar, seasonal_ma = point.coefficients
    mean = float(point.parameters[-1]) if order.has_constant else 0.0
    coefficients = (ar, -ma, seasonal_ar, -seasonal_ma)
    return ArmaFit(order, period, *coefficients, mean, point.loss, len(series))


def _initial_parameters(
    series: FloatArray, order: ArmaOrder, similar: ArmaFit | None
) -> FloatArray:
    counts = (order.ar, order.ma, order.seasonal_ar, order.seasonal_ma)
    defaults = (_START_AR, _START_ONE_MA if order.ma == 1 else _START_MA, *_START_SEASONAL)
    similar_coefficients = (
        (similar.ar, -similar.ma, similar.seasonal_ar, -similar.seasonal_ma)
        if similar
        else 4 * (_EMPTY,)
    )
    start: list[float] = []
    for count, number, coefficients in zip(counts, defaults, similar_coefficients, strict=True):
        start += (unconstrain_stationary(coefficients) + count * [number])[:count]
    if order.has_constant:
        start.append(float(series.mean()))
    return np.array(start)


class _Evaluation:
    """The residuals of a series for one set of parameters, and their derivatives.

    ``filtered`` is the centred series divided by the moving-average polynomial.
    """

    def __init__(
        self, parameters: FloatArray, series: FloatArray, order: ArmaOrder, period: int
    ) -> None:
        self.parameters, self.order = parameters, order
        numbers = parameters.tolist()
        counts = (order.ar, order.ma, order.seasonal_ar, order.seasonal_ma)
        ends = itertools.accumulate(counts)
        self.blocks = [numbers[end - count : end] for count, end in zip(counts, ends, strict=True)]
        self.spacings = (1, 1, period, period)
        # Moving averages have the sign of an autoregression.
        self.coefficients = [
            constrain_stationary(block) if block else _EMPTY for block in self.blocks
        ]
        self.factors = [
            lag_polynomial(coefficients, spacing, -1.0) if len(coefficients) else _ONE
            for coefficients, spacing in zip(self.coefficients, self.spacings, strict=True)
        ]
        ar, ma, seasonal_ar, seasonal_ma = self.factors
        self.ar_polynomial = _multiply_polynomials(ar, seasonal_ar)
        self.ma_polynomial = _multiply_polynomials(ma, seasonal_ma)
        centred = series - parameters[-1] if order.has_constant else series
        self.filtered = _invert_polynomial(self.ma_polynomial, centred)
        self.residuals = _apply_polynomial(self.ar_polynomial, self.filtered)
        self.loss = float(self.residuals @ self.residuals)

    def jacobian(self, scale_of_mean: float) -> FloatArray:
        """Return the derivative of each residual by each parameter, shape (parameters, n).

        The derivative by the mean is in units of ``scale_of_mean``.
        """
        ar, ma, seasonal_ar, seasonal_ma = self.factors
        length = len(self.residuals)
        # The derivative by each coefficient of a polynomial is one series, shifted by its lag.
        changes: tuple[Callable[[], FloatArray], ...] = (
            lambda: -_apply_polynomial(seasonal_ar, self.filtered),
            lambda: _invert_polynomial(ma, self.residuals),
            lambda: -_apply_polynomial(ar, self.filtered),
            lambda: _invert_polynomial(seasonal_ma, self.residuals),
        )
        jacobian = np.zeros((self.order.size, length))
        first = 0
        for block, change, spacing in zip(self.blocks, changes, self.spacings, strict=True):
            if block:
                moved = change()
                rows = jacobian[first : first + len(block)]
                for row, lag in enumerate(range(spacing, length, spacing)[: len(block)]):
                    rows[row, lag:] = moved[: length - lag]
                if len(block) == 1:
                    rows *= 1 - math.tanh(block[0]) ** 2
                else:
                    rows[:] = stationary_jacobian(block).T @ rows
                first += len(block)
        if self.order.has_constant:
            ones = np.full(length, -scale_of_mean)
            jacobian[-1] = _apply_polynomial(
                self.ar_polynomial, _invert_polynomial(self.ma_polynomial, ones)
            )
        return jacobian


def _levenberg_marquardt(
    point: _Evaluation, series: FloatArray, order: ArmaOrder, period: int
) -> _Evaluation:
    """Return the evaluation at a minimum of the sum of squares near ``point``."""
    # The unit of the mean, which has no bounds, is its standard error; all others are about 1.
    units = np.ones(order.size)
    max_parameters = np.full(order.size, _MAX_PARAMETER)
    max_steps = np.full(order.size, _MAX_STEP)
    if order.has_constant:
        units[-1] = max(float(series.std()), _MIN_DEVIATION) / math.sqrt(len(series))
        max_parameters[-1] = max_steps[-1] = np.inf
    min_gain = _MIN_AIC_GAIN / len(series)
    negligible_loss = _NEGLIGIBLE_LOSS * max(float(series @ series), TINY)
    damping = _START_DAMPING
    for _ in range(_MAX_ITERATIONS):
        # The quadratic approximation of Gauss and Newton.
        jacobian = point.jacobian(float(units[-1]))
        gradient, curvature = jacobian @ point.residuals, jacobian @ jacobian.T
        diagonal = np.diagonal(curvature) + _MIN_CURVATURE
        for _ in range(_MAX_TRIES):
            # More damping makes the step to its minimum shorter and steeper.
            damped = curvature.copy()
            damped.reshape(-1)[:: order.size + 1] += damping * diagonal
            _, step, _ = dposv(damped, -gradient)
            predicted_gain = -float(step @ gradient)
            if predicted_gain < min_gain * point.loss:
                return point
            parameters = point.parameters + np.clip(step, -max_steps, max_steps) * units
            parameters = np.clip(parameters, -max_parameters, max_parameters)
            moved = _Evaluation(parameters, series, order, period)
            if math.isfinite(moved.loss) and moved.loss < point.loss:
                break
            damping *= _DAMPING_RISE
        else:
            return point
        gain = (point.loss - moved.loss) / point.loss
        point, damping = moved, max(damping / _DAMPING_FALL, _MIN_DAMPING)
        if gain < min_gain or point.loss <= negligible_loss:
            return point
    return point


def lag_polynomial(coefficients: FloatArray, spacing: int, sign: float) -> FloatArray:
    """Return the coefficients of 1 + sign (c_1 B^s + c_2 B^2s + ...), constant term first."""
    polynomial = np.zeros(len(coefficients) * spacing + 1)
    polynomial[0] = 1.0
    polynomial[spacing::spacing] = sign * coefficients
    return polynomial


def _multiply_polynomials(first: FloatArray, second: FloatArray) -> FloatArray:
    if len(first) == 1:
        return second
    return first if len(second) == 1 else np.convolve(first, second)


def _apply_polynomial(polynomial: FloatArray, series: FloatArray) -> FloatArray:
    return series if len(polynomial) == 1 else np.convolve(polynomial, series)[: len(series)]


def _invert_polynomial(polynomial: FloatArray, series: FloatArray) -> FloatArray:
    """Return the series of which ``_apply_polynomial`` makes ``series``."""
    return series if len(polynomial) == 1 else np.asarray(lfilter(_ONE, polynomial, series))
