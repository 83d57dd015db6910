"""The exponents of ``intervals/short_history.py`` for hourly, daily, weekly and shorter steps.

Hourly, daily and weekly series, synthetic metrics and random walks are cut to a few seasons or
points, and models 2 and 4 forecast the next values; it prints the coverage of each kind of series
with exponents learned on the other kinds. A year of weeks has exponents of its own: members see it
by lags and waves, and its past errors shrink less with few years than those of short seasons.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from app.forecasting.intervals.learned import CONFIDENCE_LEVELS, LEARNED
from app.forecasting.intervals.short_history import SeasonShortfall
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray
from benchmarks.calibrate import SEED, SHOWN_CONFIDENCES
from benchmarks.calibrate.distances import robust_distances, weighed_distances, widths_with_exponent
from benchmarks.calibrate.exponents import coverage_text, fit_exponents
from benchmarks.parallel import run_in_processes
from benchmarks.series import HIGH_FREQUENCIES, PERIODS, long_series
from benchmarks.synthetic import KINDS, make_metric

WEIGHED_MODEL = "forecast-model-2"
WEEKS = Frequency.WEEKLY.value
SEASONS = (2, 2.25, 2.5, 3, 4, 5, 6, 8)
# Short histories without a visible season: from 10 points to two seasons, or to this many.
UNSEASONAL_FRACTION, MAX_UNSEASONAL_POINTS = 0.25, 60
HORIZONS = {Frequency.HOURS: (1, 9, 24), Frequency.DAILY: (1, 3, 7), Frequency.WEEKLY: (1, 4, 13)}
METRIC_SEEDS = range(SEED + 1_000, SEED + 1_008)
WALK_COUNT = 90
WALK_STEPS = 400
DRIFT_COUNT = 3  # of walks: 0, 0.3 and 0.6 of a step's deviation
DRAWS = 6
CASES_PER_KIND = 800
STEPS_PER_CASE = 4
MAX_ITERATIONS = 2_000  # of a quantile regression
BUCKETS = ((0.0, 0.5), (0.5, 1.0), (1.0, np.inf))


@dataclass(frozen=True)
class SeasonCase:
    """One forecast: its errors in units of the half-width on their side, shape (levels, h).

    The half-width is that before any widening.
    """

    kind: str
    shortfall: SeasonShortfall
    relative: FloatArray


def whole_series() -> Iterator[tuple[str, Frequency, FloatArray]]:
    """Yield kind, frequency and values of real and synthetic series."""
    for series in long_series():
        frequency = series.history.frequency
        yield frequency.value, frequency, np.concatenate([series.history.values, series.actual])
    for kind in KINDS:
        for seed in METRIC_SEEDS:
            yield "Metrics", Frequency.HOURS, np.concatenate(make_metric(kind, seed, known=300))
    for seed in range(SEED, SEED + WALK_COUNT):
        steps = np.random.default_rng(seed).standard_normal(WALK_STEPS)
        drift = 0.3 * (seed % DRIFT_COUNT)
        yield (
            "Walks",
            HIGH_FREQUENCIES[seed % len(HIGH_FREQUENCIES)],
            500 + np.cumsum(steps + drift),
        )


def windows(
    values: FloatArray, frequency: Frequency, rng: np.random.Generator
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Draw short excerpts of a series and the next values."""
    period = PERIODS[frequency][0]
    for _ in range(DRAWS):
        points = int(period * rng.choice(SEASONS))
        if rng.random() < UNSEASONAL_FRACTION:
            points = int(rng.integers(10, min(2 * period, MAX_UNSEASONAL_POINTS)))
        horizon = int(rng.choice(HORIZONS[frequency]))
        if points + horizon <= len(values):
            end = int(rng.integers(points, len(values) - horizon + 1))
            if np.ptp(values[end - points : end]) > 0:
                yield values[end - points : end], values[end : end + horizon]


@dataclass(frozen=True)
class Excerpt:
    """A few known points of one kind of series, and the next values."""

    kind: str
    past: History
    future: FloatArray


def draw_excerpts() -> list[Excerpt]:
    """Return all windows, drawn with a fixed seed."""
    rng = np.random.default_rng(SEED + 1)
    return [
        Excerpt(kind, History(known, PERIODS[frequency], frequency), future)
        for kind, frequency, values in whole_series()
        for known, future in windows(values, frequency, rng)
    ]


def judge(excerpt: Excerpt) -> dict[str, SeasonCase]:
    """Forecast one excerpt by both kinds of model, without any widening."""
    past = excerpt.past
    future = excerpt.future
    horizon = len(excerpt.future)
    period = past.periods[0]
    points = len(past.values)
    shortfall = SeasonShortfall.of(points, period if points >= 2 * period else 1)
    plain = widths_with_exponent(LEARNED.weighed[past.frequency], 0.0)
    relative = {
        "weighed": weighed_distances(past, future, horizon, WEIGHED_MODEL, plain),
        "robust": robust_distances(
            past, future, horizon, widths_with_exponent(LEARNED.robust[past.frequency], 0.0)
        ),
    }
    return {name: SeasonCase(excerpt.kind, shortfall, errors) for name, errors in relative.items()}


def group_of(case: SeasonCase) -> str:
    """Return which exponents a case is learned for."""
    if not case.shortfall.is_seasonal:
        return "plain"
    return "weeks" if case.kind == WEEKS else "seasonal"


def learn(cases: Sequence[SeasonCase]) -> list[float]:
    """Return the exponents of cases that are all seasonal or all not; every kind counts alike."""
    rng = np.random.default_rng(SEED)
    by_kind = defaultdict(list)
    for case in cases:
        if case.shortfall.log_ratio > 0:
            by_kind[case.kind].append(case)
    features, responses = [], []
    for own in by_kind.values():
        for index in rng.integers(len(own), size=CASES_PER_KIND):
            steps = rng.integers(own[index].relative.shape[1], size=STEPS_PER_CASE)
            features += [own[index].shortfall.log_ratio] * STEPS_PER_CASE
            responses.append(np.log(np.maximum(own[index].relative[:, steps], 1e-4)))
    log_errors = np.concatenate(responses, axis=1)
    exponents = fit_exponents(np.array(features), log_errors, MAX_ITERATIONS)
    # More confidence is never widened less.
    return np.maximum.accumulate(exponents).round(2).tolist()


def coverages(cases: Sequence[SeasonCase], exponents: Sequence[float]) -> str:
    errors = [(case.shortfall.log_ratio, case.relative) for case in cases]
    return coverage_text(errors, exponents, SHOWN_CONFIDENCES)


def print_checks(cases: Sequence[SeasonCase], group: str) -> None:
    """Print coverage by kind and shortfall, before and after; weeks are learned on themselves."""
    print(group)
    group_cases = [case for case in cases if group_of(case) == group]
    for kind in sorted({case.kind for case in group_cases}):
        exponents = learn([case for case in group_cases if case.kind != kind or group == "weeks"])
        for low, high in BUCKETS:
            own = [
                case
                for case in group_cases
                if case.kind == kind and low <= case.shortfall.log_ratio < high
            ]
            if own:
                before = coverages(own, (0.0,) * len(CONFIDENCE_LEVELS))
                after = coverages(own, exponents)
                label = f"{kind:8} {np.exp(low):.1f} to {np.exp(high):.1f} times too short"
                print(f"  {label}, {len(own):4} cases: {before} -> {after}")


def run() -> dict[str, dict[str, list[float]]]:
    """Learn and print the checks."""
    print("coverage at 50, 80, 95 %, before -> after, by exponents learned on the other kinds")
    judged = run_in_processes(judge, draw_excerpts())
    tables: dict[str, dict[str, list[float]]] = {}
    for name in ("weighed", "robust"):
        print(name, flush=True)
        cases = [cases_by_name[name] for cases_by_name in judged]
        tables[name] = {}
        for group in ("seasonal", "weeks", "plain"):
            print_checks(cases, group)
            tables[name][group] = learn([case for case in cases if group_of(case) == group])
    return tables
