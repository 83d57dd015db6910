"""Speed of the engine: ``python -m benchmarks.speed [--http]``.

Times depend on the machine and on what else it does, so what counts is ratios of times taken in one
run: to ``pmdarima.auto_arima``, to statsforecast's AutoARIMA, AutoETS, AutoCES and
DynamicOptimizedTheta (where installed) on the same series, and to the engine's own time on a
shorter history or horizon. ``--http``: requests to a live service beside ``auto_arima``, by
CPU time, as a request passes three processes.
"""

import argparse
import contextlib
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import orjson

from app.forecasting.forecast import predict
from app.forecasting.models.recipes import MODELS
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from benchmarks.series import PERIODS, DevelopmentSeries, load_series

AUTO_MODELS = ("AutoARIMA", "AutoETS", "AutoCES", "DynamicOptimizedTheta")
RIVAL_SERIES = 8
LENGTHS = (100, 300, 1_000, 3_000, 10_000, 50_000)
HORIZONS = (1, 10, 50, 100)
GROWTH_FREQUENCIES = (Frequency.MONTHLY, Frequency.DAILY, Frequency.HOURS, Frequency.MINUTES)
REPEATS = 3
HTTP_REPEATS = 10
SHORT_FREQUENCIES = (Frequency.YEARLY, Frequency.QUARTERLY, Frequency.MONTHLY)

Run = Callable[[History, int], object]


def shortest_seconds(run: Callable[[], object], repeats: int = 1) -> float:
    """Return the shortest wall time of a few runs, which other processes disturb least."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def _auto_arima_run() -> Run:
    import pmdarima  # noqa: PLC0415

    def run(history: History, horizon: int) -> object:
        period = history.period
        model = pmdarima.auto_arima(
            history.values, m=period, seasonal=period > 1, suppress_warnings=True
        )
        return model.predict(horizon, return_conf_int=True)

    return run


def _statsforecast_run() -> Run | None:
    try:
        from statsforecast import models  # noqa: PLC0415
    except ImportError:
        return None

    def run(history: History, horizon: int) -> object:
        period = history.period
        return [
            getattr(models, name)(season_length=period).forecast(
                y=history.values, h=horizon, level=[95]
            )
            for name in AUTO_MODELS
        ]

    return run


def _engine_run(model_id: str) -> Run:
    return lambda history, horizon: predict(history, horizon, 0.95, model_id)


def _some_of_m3(frequency: Frequency) -> list[DevelopmentSeries]:
    group = [series for series in load_series() if series.group == ("M3", frequency)]
    return group[:: max(1, len(group) // RIVAL_SERIES)][:RIVAL_SERIES]


def print_rivals() -> None:
    """Print the mean seconds on the same series for each frequency, relative to model 1."""
    methods: dict[str, Run | None] = {name: _engine_run(name) for name in list(MODELS)[:2]}
    methods["pmdarima.auto_arima"] = _auto_arima_run()
    methods["statsforecast's four"] = _statsforecast_run()
    print(f"Mean seconds on {RIVAL_SERIES} M3 series, and how often model 1 fits into them")
    for frequency in SHORT_FREQUENCIES:
        chosen = _some_of_m3(frequency)
        points = np.mean([len(series.history.values) for series in chosen])
        print(f"\n{frequency}, {points:.0f} points on average")
        first = 0.0
        for name, method in methods.items():
            if method is None:
                continue
            # One run outside the count: imports and just-in-time compilers.
            method(chosen[0].history, len(chosen[0].actual))
            mean = float(
                np.mean(
                    [
                        shortest_seconds(partial(method, window.history, len(window.actual)))
                        for window in chosen
                    ]
                )
            )
            first = first or mean
            print(f"  {name:22}{mean:9.4f} s {mean / first:8.1f} x", flush=True)


def seasonal_history(frequency: Frequency, length: int) -> History:
    """Return a noisy season on a slow walk, positive, of any length."""
    rng = np.random.default_rng(0)
    periods = PERIODS[frequency]
    season = sum(
        10.0 / (turn + 1) * np.sin(2 * np.pi * np.arange(length) / period)
        for turn, period in enumerate(periods)
    )
    walk = np.cumsum(rng.normal(0.0, 0.2, length))
    values = 100.0 + season + walk - walk.min() + rng.normal(size=length)
    return History(np.abs(values), periods, frequency)


def print_growth() -> None:
    """Print seconds by points and by horizon; they must not grow faster than the points."""
    cases = {
        "Seconds by points of history, horizon 100": [(length, 100) for length in LENGTHS],
        "Seconds by horizon, 1,000 points": [(1_000, horizon) for horizon in HORIZONS],
    }
    for title, columns in cases.items():
        by_length = columns[0][0] != columns[-1][0]
        heads = [length if by_length else horizon for length, horizon in columns]
        print(f"\n{title}\n{'':32}" + "".join(f"{head:>9,}" for head in heads))
        for frequency in GROWTH_FREQUENCIES:
            for model_id in MODELS:
                times = [
                    shortest_seconds(
                        partial(
                            predict, seasonal_history(frequency, length), horizon, 0.95, model_id
                        ),
                        REPEATS,
                    )
                    for length, horizon in columns
                ]
                line = "".join(f"{seconds_of_method:9.4f}" for seconds_of_method in times)
                print(f"{frequency:14}{model_id:18}{line}", flush=True)


def print_over_http() -> None:
    """Print the CPU time of a request, and how often it fits into that of auto_arima."""
    # With the service's tests, which the libraries' environment lacks.
    from benchmarks.capacity import service_cpu_seconds  # noqa: PLC0415
    from tests.support.databases import SqliteDatabases  # noqa: PLC0415
    from tests.support.keys import new_key  # noqa: PLC0415
    from tests.support.load import Client  # noqa: PLC0415
    from tests.support.series import regular_body  # noqa: PLC0415
    from tests.support.server import run_server  # noqa: PLC0415

    auto_arima = _auto_arima_run()
    model = next(iter(MODELS))
    print(f"CPU time of {model} over HTTP on {RIVAL_SERIES} M3 series, and of auto_arima")
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = SqliteDatabases(folder).migrated()
        serve = run_server(folder, url, prefix=["env"], WEB_CONCURRENCY="1")
        server = stack.enter_context(serve)
        client = stack.enter_context(contextlib.closing(Client(server.url, new_key(url), model)))
        for frequency in SHORT_FREQUENCIES:
            chosen = _some_of_m3(frequency)
            sent = []
            for window in chosen:
                body = regular_body(frequency, len(window.history.values))
                body["series"][0]["values"] = window.history.values.tolist()
                body["forecast_horizon"] = len(window.actual)
                sent.append(orjson.dumps(body))
            assert {client.send(("POST", "/forecast", body)).status for body in sent} == {200}
            before = service_cpu_seconds(server)
            for request in HTTP_REPEATS * sent:
                client.send(("POST", "/forecast", request))
            service = (service_cpu_seconds(server) - before) / (HTTP_REPEATS * len(sent))
            before = time.process_time()
            for window in chosen:
                auto_arima(window.history, len(window.actual))
            rival = (time.process_time() - before) / len(chosen)
            print(
                f"  {frequency:12}{service:9.4f} s{rival:9.4f} s {rival / service:8.1f} x",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--http", action="store_true", help="requests to a live service")
    warnings.simplefilter("ignore")
    if parser.parse_args().http:
        print_over_http()
    else:
        print_rivals()
        print_growth()


if __name__ == "__main__":
    main()
