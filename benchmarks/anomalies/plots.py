"""Draw the figures of ``docs/developing/anomaly-detection.md`` from the results of a run."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from app.anomalies.detect import detect
from app.timeseries.history import History
from benchmarks.anomalies.clean_series import KINDS, make_clean
from benchmarks.anomalies.methods import RATE, RATES
from benchmarks.anomalies.power import Outcome
from benchmarks.plots import draw_grid

_MIN_FRACTION = 1e-4  # drawn if nothing is flagged, as the scale is logarithmic
_EXAMPLE_LENGTH, _EXAMPLE_SEED = 840, 11


def draw_false_alarms(measured: Mapping[str, Mapping[str, Mapping[str, float]]]) -> Figure:
    """Draw the rate asked against the rate flagged: one chart per method, one line per kind.

    ``measured`` is flags per 1,000 points by method, setting (one for each of ``RATES``) and kind.
    """
    figure, grid = draw_grid(1, len(measured), 4.5, 4)
    for axes, (name, settings) in zip(grid, measured.items(), strict=True):
        axes.loglog(RATES, RATES, "--", color="0.75")
        for kind in next(iter(settings.values())):
            fractions = [max(rates[kind] / 1_000, _MIN_FRACTION) for rates in settings.values()]
            style = {"color": "0.72", "zorder": 1} if kind in KINDS else {"label": kind}
            axes.loglog(RATES, fractions, **style)
        axes.set(title=name, xlabel="rate asked", ylabel="flagged of clean series")
        axes.legend(title="synthetic kinds are grey", fontsize="small")
    return figure


def draw_power(outcomes: Mapping[str, Sequence[Outcome]]) -> Figure:
    """Draw the share found by size: one row per method, spikes on the left, shifts on the right."""
    figure, grid = draw_grid(len(outcomes), 2, 4.5, 3.2)
    charts = [
        (name, trials, kind) for name, trials in outcomes.items() for kind in ("spike", "shift")
    ]
    for axes, (name, trials, kind) in zip(grid, charts, strict=True):
        for group in dict.fromkeys(outcome.group for outcome in trials):
            flags_by_size: dict[float, list[bool]] = {}
            for outcome in trials:
                if outcome.group == group and outcome.name.startswith(kind):
                    flags_by_size.setdefault(float(outcome.name.split()[1]), []).append(
                        outcome.is_found
                    )
            shares = [100 * np.mean(flags) for flags in flags_by_size.values()]
            axes.plot([*flags_by_size], shares, label=group)
        axes.set(title=f"{name}: {kind}s at {100 * RATE:g} %", ylim=(0, 100))
        axes.set(xlabel="size in sigma", ylabel="found, %")
    grid[0].legend(fontsize="small")
    return figure


def example() -> History:
    """Return hours with two spikes, a dip of ten points, a stuck sensor and a new level."""
    history = make_clean("day and week", _EXAMPLE_SEED, _EXAMPLE_LENGTH)
    values = history.values
    values[120] += 8
    values[126] -= 6
    values[210:220] -= 6
    values[300:324] = values[300]
    values[430:] += 5
    return history


def draw_example() -> Figure:
    """Draw the example with its band, the points flagged, its events and its change points."""
    history = example()
    values = history.values
    detection = detect(history, RATE)
    figure, [axes] = draw_grid(1, 1, 11, 4)
    axes.fill_between(range(len(values)), detection.lower, detection.upper, alpha=0.2)
    for turn, event in enumerate(detection.events):
        axes.axvline(event.start, linestyle=":", color="tab:orange")
        # Staggered, so that neighbouring labels do not overlap.
        position = (event.start, values.max() + 2 - turn % 2)
        axes.annotate(str(event.kind).replace("_", " "), position, ha="center")
    for change in detection.change_points:
        axes.hlines(change.before, 0, change.index, "tab:green", "--")
        axes.hlines(change.after, change.index, len(values), "tab:green", "--")
    axes.plot(values, color="0.2")
    flagged = np.flatnonzero(detection.is_anomaly)
    axes.plot(flagged, values[flagged], "o", color="tab:red")
    days = range(0, len(values), 120)
    axes.set_xticks(days, [f"day {step // 24}" for step in days])
    return figure
