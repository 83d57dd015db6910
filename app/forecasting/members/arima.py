"""ARIMA: a fast order search, then the exact forecast of pmdarima's state space model.

The search fits up to 11 seasonal orders by conditional sum of squares and lets the corrected
AIC pick, after Hyndman and Khandakar (2008), "Automatic time series forecasting". pmdarima's own
stepwise search scores no better and takes about ninety times as long; its ``ARIMA`` is given the
search's coefficients, which its optimizer would hardly move.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from app.forecasting.arma.estimation import ArmaFit, ArmaOrder, fit_arma
from app.forecasting.arma.forecast import difference_polynomial, forecast_arma, standard_errors
from app.forecasting.members.log_transform import on_logs
from app.forecasting.members.types import ErrorPart, LowFrequencyMember, MemberForecast
from app.forecasting.preprocessing.decomposition import seasonal_strength
from app.forecasting.preprocessing.stationarity import KPSS_5_PERCENT, kpss_statistic
from app.timeseries.history import History
from app.timeseries.numbers import TINY
from app.timeseries.types import FloatArray

MAX_ARIMA_POINTS = 300
MAX_PERIOD = 12

# The seasonal strength from which a seasonal difference is taken: 0.64 squared, of R's
# ``forecast::nsdiffs``, whose strength is not corrected for the number of means.
_MIN_STRONG_SEASON = 0.41

# A series is differenced while its deviation is above this fraction of its largest magnitude, which
# counts as at least `TINY`, and while it has enough points for the test.
_NEGLIGIBLE_FRACTION = 1e-9
_MIN_TESTED_POINTS = 7

# Of the residuals of a standardized series that is given to pmdarima, whose filter needs noise.
_MIN_VARIANCE = 1e-8
_MIN_FREEDOM = 3  # the degrees of freedom in the AICc of an order that is fitted
_MIN_WEIGHT = 0.02  # fits with a smaller Akaike weight are left out
_REFINED_ORDERS = 2  # the number of best orders that are varied

# (ar, ma) tried for each number of first differences, likeliest first.
_REGULAR_ORDERS: dict[int, tuple[tuple[int, int], ...]] = {
    0: ((1, 0), (2, 0), (0, 1), (1, 1), (0, 0)),
    1: ((0, 1), (1, 0), (1, 1), (0, 0), (2, 0)),
    2: ((0, 1), (1, 1), (0, 2), (1, 0)),
}
# (seasonal ar, seasonal ma) tried for each number of seasonal differences.
_SEASONAL_ORDERS: dict[int, tuple[tuple[int, int], ...]] = {
    0: ((0, 0), (1, 0), (0, 1)),
    1: ((0, 1), (1, 0), (0, 0)),
}


# An order, and the fit of a similar one, from which its search begins.
SimilarOrder = tuple[ArmaOrder, ArmaFit | None]


@dataclass(frozen=True)
class ArimaSearch:
    """The fitted orders, smallest AICc first, on the standardized series.

    ``standardized`` is (values - location) / scale, shape (n,).
    """

    standardized: FloatArray
    location: float
    scale: float
    differences: int
    seasonal_differences: int
    period: int
    fits: tuple[ArmaFit, ...]

    @property
    def fit(self) -> ArmaFit:
        return self.fits[0]

    @property
    def integration(self) -> FloatArray:
        """The ``difference_polynomial`` from ``standardized`` to the series of the fits."""
        return difference_polynomial(self.differences, self.seasonal_differences, self.period)

    def constant(self, steps: int) -> FloatArray:
        """Return what the mean of the best fit adds to the first ``steps``: itself, or a line."""
        if not self.differences and not self.seasonal_differences:
            return np.full(steps, self.fit.mean)
        span = self.period if self.seasonal_differences else 1
        return np.asarray(self.fit.mean / span * np.arange(steps))


def arima(history: History, horizon: int) -> MemberForecast:
    """Forecast by pmdarima's ARIMA from the last 300 points; errors of pmdarima are passed on."""
    return _forecast_recent(history, horizon, _forecast_exactly)


def arima_by_least_squares(history: History, horizon: int) -> MemberForecast:
    """Forecast by the weighted mean of all likely orders, from the last 300 points."""
    return _forecast_recent(history, horizon, forecast_by_least_squares)


ARIMA = LowFrequencyMember("ARIMA", arima)
ARIMA_ON_LOGS = on_logs(LowFrequencyMember("ARIMA", arima_by_least_squares, ErrorPart.NONE))


def _forecast_recent(
    history: History,
    horizon: int,
    forecast: Callable[[ArimaSearch, int], tuple[FloatArray, FloatArray]],
) -> MemberForecast:
    recent = history.values[-MAX_ARIMA_POINTS:]
    if np.ptp(recent) == 0:
        return MemberForecast(np.full(horizon, recent[-1]), np.zeros(horizon))
    usable = [period for period in history.periods if period <= MAX_PERIOD]
    search = search_order(recent, usable[0] if usable else 1)
    return MemberForecast(*forecast(search, horizon))


def _forecast_exactly(search: ArimaSearch, horizon: int) -> tuple[FloatArray, FloatArray]:
    error = standard_errors(search.fit, search.integration, horizon)
    return forecast_by_pmdarima(search, horizon), error * search.scale


def search_order(values: FloatArray, period: int) -> ArimaSearch:
    """Fit all likely orders and rank them by AICc.

    Args:
        values: Shape (n,), n >= 5.
        period: The seasonal period m in steps, 1 for none; it is ignored below 2m + 2 points.

    Raise ValueError if all values are equal, or they are too few.
    """
    location, scale = float(values.mean()), float(values.std())
    if not (np.isfinite(scale) and scale > 0):
        raise ValueError("ARIMA needs a series that varies")
    standardized = (values - location) / scale
    if len(values) < 2 * period + 2:
        period = 1
    differences, seasonal_differences = choose_differences(standardized, period)
    differenced = standardized
    if seasonal_differences:
        differenced = differenced[period:] - differenced[:-period]
    differenced = np.diff(differenced, n=differences)
    fits = _fit_likely_orders(differenced, differences, seasonal_differences, period)
    if not fits:
        raise ValueError("too few points for any ARIMA order")
    return ArimaSearch(
        standardized=standardized,
        location=location,
        scale=scale,
        differences=differences,
        seasonal_differences=seasonal_differences,
        period=period,
        fits=tuple(sorted(fits, key=lambda fit: fit.corrected_aic)),
    )


def choose_differences(values: FloatArray, period: int) -> tuple[int, int]:
    """Return the numbers of first and of seasonal differences: (0 to 2, 0) or (0 to 1, 1).

    ``period`` is 1 without a season.
    """
    seasonal = int(seasonal_strength(values, period) > _MIN_STRONG_SEASON)
    series = values[period:] - values[:-period] if seasonal else values
    negligible = _NEGLIGIBLE_FRACTION * max(float(np.abs(values).max()), TINY)
    max_differences = 1 if seasonal else 2
    differences = 0
    while (
        differences < max_differences
        and len(series) >= _MIN_TESTED_POINTS
        and series.std() > negligible
        and kpss_statistic(series) > KPSS_5_PERCENT
    ):
        series = np.diff(series)
        differences += 1
    return differences, seasonal


def _fit_likely_orders(
    series: FloatArray, differences: int, seasonal_differences: int, period: int
) -> list[ArmaFit]:
    """Fit the likely orders.

    They are the regular orders with the likeliest seasonal order, the best of them with the other
    seasonal orders, and the best of all with a drift.
    """
    total = differences + seasonal_differences
    seasonal_orders = _SEASONAL_ORDERS[seasonal_differences] if period > 1 else ((0, 0),)
    regular_orders: list[SimilarOrder] = [
        (ArmaOrder(*regular, *seasonal_orders[0], has_constant=total == 0), None)
        for regular in _REGULAR_ORDERS[differences]
    ]
    fits = _fit_all(regular_orders, series, period)
    other_seasons: list[SimilarOrder] = [
        (replace(fit.order, seasonal_ar=seasonal_ar, seasonal_ma=seasonal_ma), fit)
        for fit in _best_fits(fits)
        for seasonal_ar, seasonal_ma in seasonal_orders[1:]
    ]
    fits += _fit_all(other_seasons, series, period)
    # A constant under one difference is a drift, under two a quadratic trend: never fitted.
    if total == 1:
        drifts: list[SimilarOrder] = [
            (replace(fit.order, has_constant=True), fit) for fit in _best_fits(fits)
        ]
        fits += _fit_all(drifts, series, period)
    return fits


def _fit_all(orders: Iterable[SimilarOrder], series: FloatArray, period: int) -> list[ArmaFit]:
    return [
        fit_arma(series, order, period, similar)
        for order, similar in orders
        if len(series) - order.size - 2 >= _MIN_FREEDOM
    ]


def _best_fits(fits: Iterable[ArmaFit]) -> list[ArmaFit]:
    return sorted(fits, key=lambda fit: fit.corrected_aic)[:_REFINED_ORDERS]


def forecast_by_least_squares(search: ArimaSearch, horizon: int) -> tuple[FloatArray, FloatArray]:
    """Return the median and the standard error, shape (horizon,), averaged over all fits.

    Their Akaike weights make the mean steadier than a fit that is best by little.
    """
    integration = search.integration
    weights = akaike_weights(np.array([fit.corrected_aic for fit in search.fits]))
    median, error = np.zeros(horizon), np.zeros(horizon)
    for weight, fit in zip(weights, search.fits, strict=True):
        if weight > 0:
            median += weight * forecast_arma([search.standardized], fit, integration, horizon)[0]
            error += weight * standard_errors(fit, integration, horizon)
    return median * search.scale + search.location, error * search.scale


def akaike_weights(criteria: FloatArray) -> FloatArray:
    """Return the weights of fits by their AICc, with sum 1 (Burnham and Anderson 2002)."""
    weights = np.exp(-(criteria - criteria.min()) / 2)
    weights[weights < _MIN_WEIGHT] = 0.0
    return np.asarray(weights / weights.sum())


def forecast_by_pmdarima(search: ArimaSearch, horizon: int) -> FloatArray:
    """Return the median, shape (horizon,), of ``pmdarima.ARIMA`` with the coefficients of the fit.

    Its Kalman filter starts from the exact distribution of the first points; conditional least
    squares uses their mean. Errors of pmdarima are passed on.
    """
    # The mean or drift is subtracted: statsmodels clones a model with a constant to forecast it.
    length = len(search.standardized)
    constant = search.constant(length + horizon)
    results = _filter_by_pmdarima(search, search.standardized - constant[:length])
    # ``results.forecast`` would build and filter the model again.
    state = results.filter_results.predicted_state[:, -1]
    system = results.model.ssm
    design = system["design"][0]
    transition = system["transition"]
    median = constant[length:].copy()
    for step in range(horizon):
        median[step] += design @ state
        state = transition @ state
    return median * search.scale + search.location


def _filter_by_pmdarima(search: ArimaSearch, values: FloatArray) -> Any:
    """Return the results of statsmodels for ``values`` (n,), with the coefficients of the fit.

    The likelihood is evaluated once: iterations take two to three times as long and gain nothing.
    The covariance of the coefficients and a smoothed past are left out: each takes longer than the
    forecast.
    """
    # Imported here: it takes a second, and no other member needs it.
    import pmdarima  # noqa: PLC0415

    fit, order = search.fit, search.fit.order
    seasonal = (order.seasonal_ar, search.seasonal_differences, order.seasonal_ma)
    variance = max(fit.sum_of_squares / fit.count, _MIN_VARIANCE)
    coefficients = (fit.ar, fit.ma, fit.seasonal_ar, fit.seasonal_ma)
    model = pmdarima.ARIMA(
        (order.ar, search.differences, order.ma),
        (*seasonal, search.period if any(seasonal) else 0),
        with_intercept=False,
        start_params=np.concatenate([*coefficients, [variance]]),
        method="nm",
        maxiter=0,
        suppress_warnings=True,
    )
    model.fit(values, maxfun=1, cov_type="none", low_memory=True)
    return model.arima_res_
