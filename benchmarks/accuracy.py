"""Accuracy of the four models on real series: ``python -m benchmarks.accuracy [--quick]``.

Prints one table for each set and frequency: errors of the median, coverage of the interval, and
seconds. The published M3 entrants and statsforecast's AutoETS (if it is installed) are in the same
tables. Then the hourly series at horizon 100, and the pinball loss on synthetic metrics.
"""

import argparse
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from app.forecasting.backtest.measures import naive_scale
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from benchmarks.measures import coverage, mase, mean_pinball, msis, smape
from benchmarks.other_forecasters import LEVELS, Forecaster, all_forecasters
from benchmarks.series import PERIODS, DevelopmentSeries, load_series, published_scores, sample
from benchmarks.synthetic import KINDS, make_metric

QUICK_FRACTION = 0.1
SHOWN_ENTRANTS = 4
LONG_HORIZON = 100
# Synthetic metrics of each kind, by their seeds.
METRIC_SEEDS, QUICK_METRIC_SEEDS = range(8), range(1)
METRICS_HEADER = (
    f"{'method':24}{'n':>5}{'pinball':>9}{'on walks':>9}{'cov50':>7}{'cov80':>7}{'cov95':>7}"
)
HEADER = (
    f"{'method':24}{'n':>5}{'sMAPE':>8}{'MASE':>8}{'MSIS95':>8}"
    f"{'cov50':>7}{'cov80':>7}{'cov95':>7}{'mean s':>9}{'p95 s':>9}"
)


@dataclass(frozen=True)
class Score:
    """Measures of one method on one series; coverages in percent, in the order of ``LEVELS``."""

    smape: float
    mase: float
    msis: float
    coverages: tuple[float, ...]
    seconds: float


def score(method: Forecaster, series: DevelopmentSeries) -> Score | None:
    """Run a method on one series; None where it raises, as libraries do."""
    try:
        prediction = method(series.history, len(series.actual))
    except Exception:
        return None
    scale = naive_scale(series.history.values, series.measure_period)
    lower, upper = prediction.bounds[0.95]
    return Score(
        smape(prediction.median, series.actual),
        mase(prediction.median, series.actual, scale),
        msis(lower, upper, series.actual, scale, 0.95),
        tuple(coverage(*prediction.bounds[level], series.actual) for level in LEVELS),
        prediction.seconds,
    )


@dataclass(frozen=True)
class Row:
    """One line of a table: a method's mean measures on one set and frequency."""

    source: str
    frequency: str
    method: str
    count: int
    smape: float
    mase: float
    msis: float
    coverages: tuple[float, ...]
    seconds: float
    seconds_p95: float

    def __str__(self) -> str:
        return (
            f"{self.method:24}{self.count:5d}{self.smape:8.2f}{self.mase:8.3f} {self.msis:7.2f}"
            + "".join(f"{share:7.1f}" for share in self.coverages)
            + f"{self.seconds:9.4f}{self.seconds_p95:9.4f}"
        )


def summarize(group: tuple[str, Frequency], method: str, scores: Sequence[Score]) -> Row:
    """Return the mean of a method's scores."""
    seconds = [measured.seconds for measured in scores]
    return Row(
        *group,
        method,
        len(scores),
        float(np.mean([measured.smape for measured in scores])),
        float(np.mean([measured.mase for measured in scores])),
        float(np.mean([measured.msis for measured in scores])),
        tuple(np.mean([measured.coverages for measured in scores], axis=0).tolist()),
        float(np.mean(seconds)),
        float(np.quantile(seconds, 0.95)),
    )


def _entrant_lines(group: tuple[str, Frequency]) -> list[str]:
    """Return the best published M3 entrants of a frequency, by sMAPE."""
    source, frequency = group
    if source != "M3":
        return []
    scores = {
        name: scores[frequency]
        for name, scores in published_scores().items()
        if frequency in scores
    }
    best = sorted(scores, key=lambda name: scores[name]["sMAPE"])[:SHOWN_ENTRANTS]
    return [
        f"{'M3 entrant ' + name:24}{scores[name]['n']:5.0f}"
        f"{scores[name]['sMAPE']:8.2f}{scores[name]['MASE']:8.3f}"
        for name in best
    ]


def print_tables(
    chosen: Sequence[DevelopmentSeries], methods: Mapping[str, Forecaster], *, entrants: bool
) -> list[Row]:
    """Print a table for each set and frequency; return all of its lines."""
    rows = []
    for group in dict.fromkeys(series.group for series in chosen):
        members = [series for series in chosen if series.group == group]
        print(f"\n{group[0]} {group[1]}\n{HEADER}", flush=True)
        for name, method in methods.items():
            sound = [*filter(None, (score(method, series) for series in members))]
            if sound:
                rows.append(summarize(group, name, sound))
                print(rows[-1], flush=True)
        if entrants:
            print("\n".join(_entrant_lines(group)), flush=True)
    return rows


def at_long_horizon(chosen: Sequence[DevelopmentSeries]) -> list[DevelopmentSeries]:
    """Return the hourly series again, cut so that ``LONG_HORIZON`` steps are left to forecast."""
    longer = []
    for series in chosen:
        if series.history.frequency == Frequency.HOURS:
            whole = np.concatenate([series.history.values, series.actual])
            known, actual = np.split(whole, [len(whole) - LONG_HORIZON])
            history = replace(series.history, values=known)
            source = f"{series.source}, horizon {LONG_HORIZON},"
            longer.append(replace(series, source=source, history=history, actual=actual))
    return longer


def print_metrics(methods: Mapping[str, Forecaster], seeds: Sequence[int]) -> None:
    """Print the mean pinball loss on synthetic metrics, over the error of seasonal naive."""
    print(f"\nSynthetic metrics, horizon 48\n{METRICS_HEADER}", flush=True)
    hours = Frequency.HOURS
    for name, method in methods.items():
        losses, covered = [], []
        for kind in KINDS:
            for seed in seeds:
                values, actual = make_metric(kind, seed)
                prediction = method(History(values, PERIODS[hours], hours), len(actual))
                scale = naive_scale(values, PERIODS[hours][0])
                losses.append(
                    (kind, mean_pinball(actual, prediction.median, prediction.bounds, scale))
                )
                covered.append([coverage(*prediction.bounds[level], actual) for level in LEVELS])
        walks = [loss for kind, loss in losses if kind == "random walk"]
        print(
            f"{name:24}{len(losses):5d}{np.mean([loss for _, loss in losses]):9.3f}"
            f"{np.mean(walks):9.3f}"
            + "".join(f"{share:7.1f}" for share in np.mean(covered, axis=0)),
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a seeded tenth of the series")
    parser.add_argument("--set", dest="source", help="one set: M1, M3, M4, NN5 or metrics")
    parser.add_argument("--save", type=Path, help="write the lines as JSON, for benchmarks.plots")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    chosen = sample(QUICK_FRACTION) if options.quick else list(load_series())
    if options.source:
        chosen = [series for series in chosen if series.source == options.source]
    methods = all_forecasters()
    # Published scores are over all series: beside a sample they would mislead.
    rows = print_tables(chosen, methods, entrants=not options.quick)
    print_tables(at_long_horizon(chosen), methods, entrants=False)
    if options.source in {None, "metrics"}:
        print_metrics(methods, QUICK_METRIC_SEEDS if options.quick else METRIC_SEEDS)
    if options.save:
        text = json.dumps([asdict(row) for row in rows], indent=1)
        options.save.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
