"""Compare each member with the library that it replaces: ``python -m benchmarks.members``.

Prints the tables of ``benchmarks.accuracy`` for a seeded tenth of the M1 and M3 series: theta,
exponential smoothing and ARIMA as the engine has them and as statsforecast and pmdarima have them,
one by one. Takes five minutes; ``--auto-arima`` adds pmdarima's own search and most of an hour.
"""

import argparse
import time
import warnings

import numpy as np
import pmdarima
from scipy.special import ndtri

from app.forecasting.members.arima import ARIMA, ARIMA_ON_LOGS
from app.forecasting.members.log_transform import on_logs
from app.forecasting.members.ridge import RIDGE
from app.forecasting.members.theta import THETA, THETA_ON_LOGS
from app.forecasting.members.types import MemberForecast, ShortMember
from app.forecasting.models.table import MODELS
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.types import History
from benchmarks.accuracy import QUICK_SHARE, print_tables
from benchmarks.rivals import LEVELS, Forecaster, Result, statsforecast_model
from benchmarks.series import sample

RECIPES = MODELS["forecast-model-2"].short
LIBRARY = ("DynamicOptimizedTheta", "AutoETS", "AutoARIMA")


def alone(member: ShortMember) -> Forecaster:
    """A member as a forecaster; its width is taken for a normal standard deviation."""

    def forecast(history: History, horizon: int) -> Result:
        start = time.perf_counter()
        said = member.forecast(history, horizon)
        seconds = time.perf_counter() - start
        width = np.zeros(horizon) if said.width is None else said.width
        half = {level: ndtri((1 + level) / 2) * width for level in LEVELS}
        bounds = {level: (said.median - half[level], said.median + half[level]) for level in LEVELS}
        return Result(said.median, bounds, seconds)

    return forecast


def smoothing(history: History, horizon: int) -> MemberForecast:
    """Exponential smoothing with the settings of the frequency's recipe."""
    recipe = RECIPES.get(history.frequency, RECIPES[Frequency.MONTHLY])
    (member,) = (each for each in recipe.members if each.name == SMOOTHING.name)
    return member.forecast(history, horizon)


SMOOTHING = ShortMember("exponential smoothing", smoothing)


def auto_arima(history: History, horizon: int) -> Result:
    """``pmdarima.auto_arima`` as it comes."""
    start = time.perf_counter()
    model = pmdarima.auto_arima(
        history.values, m=history.periods[0] if history.periods else 1, suppress_warnings=True
    )
    bounds = {}
    for level in LEVELS:
        median, limits = model.predict(horizon, return_conf_int=True, alpha=1 - level)
        bounds[level] = (limits[:, 0], limits[:, 1])
    return Result(np.asarray(median), bounds, time.perf_counter() - start)


def all_members() -> dict[str, Forecaster]:
    """Every line of the tables, each member above its library."""
    library = {name: statsforecast_model(name) for name in LIBRARY}
    methods = {
        "theta": alone(THETA),
        "theta on logs": alone(THETA_ON_LOGS),
        "DynamicOptimizedTheta": library["DynamicOptimizedTheta"],
        "smoothing": alone(SMOOTHING),
        "smoothing on logs": alone(on_logs(SMOOTHING)),
        "AutoETS": library["AutoETS"],
        "ARIMA": alone(ARIMA),
        "ARIMA on logs": alone(ARIMA_ON_LOGS),
        "AutoARIMA": library["AutoARIMA"],
        "ridge": alone(RIDGE),
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
