"""Columns that are known ahead: ``python -m benchmarks.known_futures [FILE]``.

Synthetic series first: of columns with an effect and of columns of noise, how many are used, and
how the mean absolute error changes against the same forecast without them. Then the windows of
FILE, JSON lines with ``set``, ``frequency``, ``values``, ``test``, and ``columns``: each has the
values of history and test.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.forecasting.forecast import fit
from app.forecasting.model_ids import LIGHT_MODEL
from app.forecasting.regressors.columns import KnownColumns
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray
from benchmarks.measures import coverage
from benchmarks.parallel import run_in_processes
from benchmarks.series import PERIODS, sample

DRAWS = 20
REAL_FRACTION = 0.1  # share of the development series
# Steps ahead whose errors are averaged, where the horizon has them.
LEADS = (1, 7, 14, 28, 48)
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Window:
    """A history, what came next, and columns for both: ``columns`` has shape (k, n + h)."""

    kind: str
    history: History
    actual: FloatArray
    columns: FloatArray


def noise_columns(rng: np.random.Generator, count: int) -> dict[str, FloatArray]:
    """Return columns that have nothing to do with any series."""
    steps = np.arange(count)
    noise = rng.standard_normal(count)
    return {
        "noise": noise,
        "a random walk": rng.standard_normal(count).cumsum(),
        "a switch": (rng.standard_normal(count) > 1.2).astype(float),
        "a slow wave": np.sin(2 * np.pi * steps / rng.uniform(10, count + 10)) + 0.3 * noise,
        "a trend": steps.astype(float),
    }


def real_series_beside_noise() -> Iterator[Window]:
    """Return development series, each with a column of noise."""
    rng = np.random.default_rng(1)
    for series in sample(REAL_FRACTION):
        count = len(series.history.values) + len(series.actual)
        for kind, column in noise_columns(rng, count).items():
            yield Window(kind, series.history, series.actual, column[None])


def synthetic_series() -> Iterator[Window]:
    """Return days with a week and a level that wanders, moved by a column of weather."""
    points, horizon = 400, 28
    steps = np.arange(points + horizon)
    for draw in range(DRAWS):
        rng = np.random.default_rng(draw)
        noise = rng.standard_normal((4, len(steps)))
        usual = 100 + 10 * np.sin(2 * np.pi * steps / 7) + noise[0].cumsum() / 2 + 4 * noise[1]
        weather = 15 + 8 * noise[2]
        effects = {
            "a line": 0.8 * (weather - 15),
            "a U": 1.2 * np.abs(weather - 15),
            "a line, one day late": 0.8 * (np.roll(weather, 1) - 15),
            "a line that is weak": 0.1 * (weather - 15),
            "factors": usual * (np.exp(0.01 * (weather - 15)) - 1),
            "an effect that ends": np.where(steps < points // 2, 0.8 * (weather - 15), 0.0),
        }
        for kind, effect in effects.items():
            values = usual + effect
            history = History(values[:points], PERIODS[Frequency.DAILY], Frequency.DAILY)
            yield Window(kind, history, values[points:], np.array([weather, noise[3]]))


def windows_of_file(path: Path) -> Iterator[Window]:
    """Return the windows of a file of JSON lines."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            frequency = Frequency(record["frequency"])
            history = History(np.array(record["values"], float), PERIODS[frequency], frequency)
            actual, columns = (np.array(record[name], float) for name in ("test", "columns"))
            yield Window(record["set"], history, actual, columns)


def judge(window: Window) -> tuple[FloatArray, bool, FloatArray]:
    """Return absolute errors without and with the columns, (2, h).

    Return also whether they were used, and the coverage of both intervals.
    """
    columns = KnownColumns(window.columns, np.zeros(len(window.columns), dtype=bool))
    horizon = len(window.actual)
    results = [
        fit(window.history, horizon, LIGHT_MODEL, columns=known) for known in (None, columns)
    ]
    errors = np.array([np.abs(fitted.median - window.actual) for fitted in results])
    covered = [coverage(*fitted.interval(CONFIDENCE), window.actual) for fitted in results]
    return errors, results[1].contributions is not None, np.array(covered)


def print_table(title: str, windows: list[Window]) -> None:
    """Print a line for each kind of window."""
    rows = run_in_processes(judge, windows)
    by_kind: dict[str, list[tuple[FloatArray, bool, FloatArray]]] = defaultdict(list)
    for window, row in zip(windows, rows, strict=True):
        by_kind[window.kind].append(row)
    heads = " | ".join(f"1 to {lead}" if lead > 1 else "1" for lead in LEADS)
    print(f"\n| {title} | windows | used | {heads} | worst | coverage |")
    print("|---" * (len(LEADS) + 5) + "|")
    for kind, errors_of_kind in by_kind.items():
        changes = []
        for lead in LEADS:
            means = np.array([row[0][:, :lead].mean(axis=1) for row in errors_of_kind]).sum(axis=0)
            is_reached = max(row[0].shape[1] for row in errors_of_kind) >= lead
            changes.append(f"{100 * (means[1] / means[0] - 1):+.1f} %" if is_reached else "")
        worst = max(row[0][1].mean() / row[0][0].mean() for row in errors_of_kind) - 1
        covered = np.mean([row[2] for row in errors_of_kind], axis=0)
        used = np.mean([row[1] for row in errors_of_kind])
        print(
            f"| {kind} | {len(errors_of_kind)} | {100 * used:.0f} % | {' | '.join(changes)} "
            f"| {100 * worst:+.0f} % | {covered[0]:.1f}, {covered[1]:.1f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path)
    chosen = parser.parse_args()
    print_table("made effect", list(synthetic_series()))
    print_table("noise beside real series", list(real_series_beside_noise()))
    if chosen.file:
        print_table("set", list(windows_of_file(chosen.file)))


if __name__ == "__main__":
    main()
