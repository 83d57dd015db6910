"""Coverage and width by how regular series are: ``python -m benchmarks.regularity [PATH]``.

Of the shipped series, every n-th of each set, and of the windows of working life where PATH names
them (as of ``benchmarks.life``), from the last three window ends. Each history is put into the
first class whose rule it meets:

- bursty: its 1 % largest changes (one at least) are more than ten times the median change, or more
  than a tenth of its values are the most frequent one;
- seasonal: the mean seasonal profile explains more than half of what the moving average over a
  season leaves;
- wandering: the KPSS statistic around a level is above its 1 % point, and a line explains less
  than nine tenths;
- calm: a line explains nine tenths and more;
- noisy: all else.
"""

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from app.forecasting.forecast import fit
from app.forecasting.stationarity import KPSS_1_PERCENT, kpss_statistic
from app.timeseries.types import FloatArray
from benchmarks.life import ENDS, Window, earlier, load_windows
from benchmarks.measures import coverage, msis, seasonal_scale
from benchmarks.parallel import in_processes
from benchmarks.series import load_series

CLASSES = ("calm", "noisy", "wandering", "seasonal", "bursty")
SHARE_OF_CHANGES, TIMES_THE_MEDIAN, REPEATED = 0.01, 10.0, 0.1
SEASON_EXPLAINS, LINE_EXPLAINS = 0.5, 0.9
MODELS = ("forecast-model-1", "forecast-model-4")
LEVELS = (0.8, 0.95)
# Of the shipped series every so many-th of each set and frequency.
SHIPPED_STEP = 6


def explained(values: FloatArray, fitted: FloatArray) -> float:
    """The share of the variance that is explained, 1 where there is none."""
    spread = float(np.var(values))
    return 1.0 - float(np.var(values - fitted)) / spread if spread > 0 else 1.0


def is_bursty(values: FloatArray) -> bool:
    """Whether a few changes are far larger than the rest, or one value comes again and again."""
    changes = np.sort(np.abs(np.diff(values)))
    rare = max(1, int(SHARE_OF_CHANGES * len(changes)))
    _, counts = np.unique(values, return_counts=True)
    repeated = counts.max() > max(1, REPEATED * len(values))
    return bool(changes[-rare] > TIMES_THE_MEDIAN * np.median(changes) or repeated)


def is_seasonal(values: FloatArray, season: int) -> bool:
    """Whether the mean profile explains more than half of what is left by the moving average."""
    if season < 2 or len(values) < 3 * season:
        return False
    kernel = np.full(season, 1.0 / season)
    level = np.convolve(values, kernel, "valid")
    start = season // 2
    detrended = values[start : start + len(level)] - level
    phases = np.arange(len(detrended)) % season
    profile = np.bincount(phases, weights=detrended) / np.bincount(phases)
    return explained(detrended, profile[phases]) > SEASON_EXPLAINS


def regularity(values: FloatArray, season: int) -> str:
    """The class of a history (n,) whose shortest season is ``season`` steps, or 1."""
    if is_bursty(values):
        return "bursty"
    if is_seasonal(values, season):
        return "seasonal"
    time = np.arange(len(values))
    line = explained(values, np.asarray(np.polyval(np.polyfit(time, values, 1), time), float))
    if line >= LINE_EXPLAINS:
        return "calm"
    return "wandering" if kpss_statistic(values) > KPSS_1_PERCENT else "noisy"


def shipped_windows() -> Iterator[Window]:
    """A share of the shipped series of each set and frequency, as windows."""
    seen: dict[tuple[str, str], int] = {}
    for line, series in enumerate(load_series()):
        count = seen[series.group] = seen.get(series.group, -1) + 1
        if count % SHIPPED_STEP == 0:
            yield Window(line, series.source, series.name, series.history, series.actual)


def judge(model: str, window: Window) -> tuple[str, float, float, float]:
    """Class, coverage at ``LEVELS`` and MSIS at 95 % of one window."""
    history, actual = window.history, window.actual
    covered = []
    fitted = fit(history, len(actual), model)
    for level in LEVELS:
        said = fitted.predict(level)
        covered.append(coverage(said.lower, said.upper, actual))
    period = window.measure_period
    scale = seasonal_scale(history.values, period if period < len(history.values) else 1)
    score = msis(said.lower, said.upper, actual, scale, LEVELS[-1]) if scale > 0 else np.nan
    return regularity(history.values, period), covered[0], covered[1], score


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, nargs="?", help="windows of working life, a .jsonl.gz")
    options = parser.parse_args()
    windows = list(shipped_windows())
    if options.path:
        windows += load_windows(options.path)
    windows += [each for back in range(1, ENDS) for each in earlier(windows, back)]
    print(
        "| class | windows |" + "".join(f" {m}, coverage 80 / 95, median MSIS 95 |" for m in MODELS)
    )
    print("|---|---|" + "---|" * len(MODELS))
    by_model = [in_processes(partial(judge, model), windows) for model in MODELS]
    for name in CLASSES:
        cells = []
        for rows in by_model:
            own = np.array([row[1:] for row in rows if row[0] == name])
            low, high = own[:, 0].mean(), own[:, 1].mean()
            cells.append(f"{low:.1f} / {high:.1f}, {np.nanmedian(own[:, 2]):.2f}")
        print(f"| {name} | {len(own)} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
