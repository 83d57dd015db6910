"""Ten working series beside rivals: ``python -m benchmarks.ten_series PATH [--draw]``.

PATH is the file of ``benchmarks.life``. A seed chooses ten of its sets and one window of each,
before anybody has looked. Prints the error, the interval's score and the seconds of model 1,
Prophet, MSTL and AutoETS (the last three want ``.[bench]``); ``--draw`` writes the ten with model
1's interval to docs/images.
"""

import argparse
import gzip
import json
import logging
import random
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from app.forecasting.forecast import predict, warm_up
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.types import FloatArray
from benchmarks.life import Window, groups_of, load_windows
from benchmarks.measures import coverage, mase, msis, seasonal_scale
from benchmarks.plots import IMAGES, SHOWN_HORIZONS
from benchmarks.svg import COLOURS, Chart, picture

SEED, CHOSEN, CONFIDENCE = 12, 10, 0.95
MODEL = "forecast-model-1"
OFFSETS = {
    Frequency.YEARLY: "YS",
    Frequency.QUARTERLY: "QS",
    Frequency.MONTHLY: "MS",
    Frequency.WEEKLY: "7D",
    Frequency.DAILY: "D",
    Frequency.HOURS: "h",
}
Bounds = tuple[FloatArray, FloatArray, FloatArray]
Method = Callable[[Window, pd.DatetimeIndex], Bounds]


def choose(windows: list[Window]) -> list[Window]:
    """One window of each of ten sets, chosen only by the seed, in the order of the file."""
    chance = random.Random(SEED)
    groups = groups_of(windows)
    chosen = chance.sample(sorted(groups), CHOSEN)
    return sorted((windows[chance.choice(groups[name])] for name in chosen), key=lambda w: w.line)


def timestamps(path: Path, window: Window) -> pd.DatetimeIndex:
    """The timestamps of a window's history, then of its horizon."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        record = next(json.loads(line) for at, line in enumerate(lines) if at == window.line)
    count = len(window.history.values) + len(window.actual)
    offset = record.get("offset") or OFFSETS[window.history.frequency]
    return pd.date_range(record["start"], periods=count, freq=offset)


def model_1(window: Window, _index: pd.DatetimeIndex) -> Bounds:
    """The service's general model."""
    said = predict(window.history, len(window.actual), CONFIDENCE, MODEL)
    return said.lower, said.median, said.upper


def prophet(window: Window, index: pd.DatetimeIndex) -> Bounds:
    """Prophet as it comes."""
    from prophet import Prophet  # noqa: PLC0415

    logging.getLogger("cmdstanpy").setLevel(logging.ERROR)
    known = len(window.history.values)
    model = Prophet(interval_width=CONFIDENCE)
    model.fit(pd.DataFrame({"ds": index[:known], "y": window.history.values}))
    said = model.predict(pd.DataFrame({"ds": index[known:]}))
    return tuple(said[name].to_numpy() for name in ("yhat_lower", "yhat", "yhat_upper"))


def statsforecast(name: str) -> Method:
    """A model of statsforecast with the seasons that it can take."""

    def forecast(window: Window, _index: pd.DatetimeIndex) -> Bounds:
        from statsforecast import models  # noqa: PLC0415

        periods, length = window.history.periods, len(window.history.values)
        seen = [period for period in periods if 2 * period < length]
        if name == "MSTL" and seen:
            model = models.MSTL(season_length=seen)
        else:  # beyond 24 AutoETS takes no season
            short = [period for period in seen if period <= 24]
            model = models.AutoETS(season_length=short[0] if short else 1)
        said = model.forecast(
            y=window.history.values, h=len(window.actual), level=[100 * CONFIDENCE]
        )
        return tuple(said[key] for key in ("lo-95.0", "mean", "hi-95.0"))

    return forecast


METHODS: dict[str, Method] = {
    "model 1": model_1,
    "Prophet": prophet,
    "MSTL": statsforecast("MSTL"),
    "AutoETS": statsforecast("AutoETS"),
}


def compare(window: Window, index: pd.DatetimeIndex) -> None:
    """Print one line a method."""
    scale = seasonal_scale(window.history.values, window.measure_period)
    print(f"\n{title(window)}, {len(window.history.values)} points, {len(window.actual)} ahead")
    for name, method in METHODS.items():
        start = time.perf_counter()
        try:
            low, median, high = method(window, index)
        except Exception as error:  # what a rival cannot do is its result
            print(f"{name:10} {type(error).__name__}: {str(error)[:60]}")
            continue
        seconds = time.perf_counter() - start
        missed = mase(median, window.actual, scale)
        score = msis(low, high, window.actual, scale, CONFIDENCE)
        covered = coverage(low, high, window.actual)
        print(f"{name:10} {missed:7.3f} {score:9.4g} {covered:6.1f} {seconds:8.3f}", flush=True)


def title(window: Window) -> str:
    """What a window is called in tables and pictures."""
    return f"{window.history.frequency}: {window.group}"


def short(value: float) -> str:
    """A number of three digits, with k, M, G or T."""
    power = min(4, int(np.log10(max(abs(value), 1.0)) // 3))
    return f"{value / 1_000**power:.3g}{('', 'k', 'M', 'G', 'T')[power]}"


def draw(window: Window, left: float, top: float) -> Chart:
    """History, model 1's median and interval, and what came next (dashed)."""
    horizon = len(window.actual)
    known = window.history.values[-SHOWN_HORIZONS * horizon :]
    lower, median, upper = model_1(window, pd.DatetimeIndex([]))
    everything = np.concatenate([known, window.actual, lower, upper])
    low, high, first = float(everything.min()), float(everything.max()), len(known)
    chart = Chart(
        title(window), (0, first + horizon), (low, high), left=left, top=top, width=400, height=220
    )
    steps = range(first, first + horizon)
    above = list(zip(steps, upper, strict=True))
    chart.band([*zip(steps, lower, strict=True), *above[::-1]], "#d6e6f7")
    chart.axes([(first, "origin")], [(low, short(low)), (high, short(high))])
    chart.line(list(enumerate(known)), "#333")
    chart.line(list(zip(steps, median, strict=True)), COLOURS[0])
    chart.line(list(zip(steps, window.actual, strict=True)), COLOURS[1], "3 2")
    return chart


def main() -> None:
    """Parse the command line, compare, and draw where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, help="the windows, a .jsonl.gz")
    parser.add_argument("--draw", action="store_true", help="write docs/images/ten-series.svg")
    options = parser.parse_args()
    windows = choose(load_windows(options.path))
    warm_up()
    warnings.simplefilter("ignore")
    print(f"{'':10} {'MASE':>7} {'MSIS95':>9} {'cov95':>6} {'seconds':>8}")
    for window in windows:
        compare(window, timestamps(options.path, window))
    if options.draw:
        charts = [
            draw(each, 400 * (turn % 2), 220 * (turn // 2)) for turn, each in enumerate(windows)
        ]
        (IMAGES / "ten-series.svg").write_text(picture(charts, 800, 1100), encoding="utf-8")


if __name__ == "__main__":
    main()
