"""Each member beside the library it stands in for: ``python -m benchmarks.members``.

Prints the tables of ``benchmarks.accuracy`` for a seeded tenth of the M1 and M3 series: theta,
exponential smoothing and ARIMA as the engine has them and as statsforecast and pmdarima have them,
each alone. Takes five minutes; ``--auto-arima`` adds pmdarima's own search and most of an hour.
"""

import argparse
import time
import warnings
from functools import partial

import numpy as np
import pmdarima
from scipy.special import ndtri

from app.forecasting.calendar.frequency import Frequency
from app.forecasting.combination import on_logs
from app.forecasting.members.arima import arima, arima_by_least_squares
from app.forecasting.members.exponential_smoothing import grid_smoothing
from app.forecasting.members.ridge import ridge_autoregression
from app.forecasting.members.theta import dynamic_theta
from app.forecasting.models.short import RECIPES
from app.forecasting.types import History, Member, MemberForecast
from benchmarks.accuracy import QUICK_SHARE, print_tables
from benchmarks.rivals import LEVELS, Answer, Forecaster, statsforecast_model
from benchmarks.series import sample

LIBRARY = ("DynamicOptimizedTheta", "AutoETS", "AutoARIMA")


def alone(member: Member) -> Forecaster:
    """A member as a forecaster; its width is taken for a normal standard deviation."""

    def forecast(history: History, horizon: int) -> Answer:
        start = time.perf_counter()
        said = member(history, horizon)
        seconds = time.perf_counter() - start
        width = np.zeros(horizon) if said.width is None else said.width
        half = {level: ndtri((1 + level) / 2) * width for level in LEVELS}
        bounds = {level: (said.median - half[level], said.median + half[level]) for level in LEVELS}
        return Answer(said.median, bounds, seconds)

    return forecast


def smoothing(history: History, horizon: int) -> MemberForecast:
    """Exponential smoothing with the settings of the frequency's recipe."""
    recipe = RECIPES.get(history.frequency, RECIPES[Frequency.MONTHLY])
    return grid_smoothing(history, horizon, loss_steps=recipe.loss_steps, averaged=recipe.averaged)


def auto_arima(history: History, horizon: int) -> Answer:
    """``pmdarima.auto_arima`` as it comes."""
    start = time.perf_counter()
    model = pmdarima.auto_arima(
        history.values, m=history.periods[0] if history.periods else 1, suppress_warnings=True
    )
    bounds = {}
    for level in LEVELS:
        median, limits = model.predict(horizon, return_conf_int=True, alpha=1 - level)
        bounds[level] = (limits[:, 0], limits[:, 1])
    return Answer(np.asarray(median), bounds, time.perf_counter() - start)


def all_members() -> dict[str, Forecaster]:
    """Every line of the tables, each member above its library."""
    library = {name: statsforecast_model(name) for name in LIBRARY}
    methods = {
        "theta": alone(dynamic_theta),
        "theta on logs": alone(on_logs(partial(dynamic_theta, multiplicative=False))),
        "DynamicOptimizedTheta": library["DynamicOptimizedTheta"],
        "smoothing": alone(smoothing),
        "smoothing on logs": alone(on_logs(smoothing)),
        "AutoETS": library["AutoETS"],
        "ARIMA": alone(arima),
        "ARIMA on logs": alone(on_logs(arima_by_least_squares)),
        "AutoARIMA": library["AutoARIMA"],
        "ridge": alone(ridge_autoregression),
    }
    return {name: method for name, method in methods.items() if method is not None}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--auto-arima", action="store_true", help="pmdarima's own search too")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    methods = all_members()
    if options.auto_arima:
        methods["pmdarima.auto_arima"] = auto_arima
    chosen = [series for series in sample(QUICK_SHARE) if series.history.frequency in RECIPES]
    print_tables(chosen, methods, entrants=False)


if __name__ == "__main__":
    main()
