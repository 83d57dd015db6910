"""The factors of ``intervals/conformal.py``: hourly, daily, weekly and shorter steps.

Many windows of the development series and of synthetic metrics, cut to many lengths and asked for
many horizons, are forecast, and quantile regression finds how many times the expected error an
interval must span; printed is the coverage on each kind of series of factors learned on the other
kinds. Factors are learned from model 2's forecasts, the quickest, and checked with models 1 and 3
too; minutes and seconds, of which there are synthetic series alone, are checked and not learned
from. It takes about ten minutes, quick, which takes every fifth window, two.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

import numpy as np
from statsmodels.regression.quantile_regression import QuantReg

from app.forecasting.calendar.frequency import Frequency
from app.forecasting.intervals.conformal import ErrorScale, interval_features
from app.forecasting.intervals.learned import LEARNED, LEVELS
from app.forecasting.models.long import combine_long, error_scale
from app.forecasting.models.table import MODELS
from app.forecasting.types import FloatArray, History
from benchmarks.calibrate import SEED
from benchmarks.series import long_series
from benchmarks.synthetic import KINDS, make_metric

SHOWN = (0.5, 0.8, 0.95)
# Points kept of a history; 0 keeps all. The whole is what most requests bring.
LENGTHS = (0, 0, 0, 250, 120, 60, 30, 15)
# Steps forecast; 0 takes the series' own horizon.
HORIZONS = (0, 0, 0, 1, 3, 8, 20, 100)
WINDOWS = 3
# Draws of length and horizon from each window: to learn from, and to check the other models.
DRAWS, CHECKED_DRAWS = 3, 1
QUICK_STEP = 5
METRIC_SEEDS = range(SEED + 1_000, SEED + 1_030)
# Synthetic series: their frequency, shortest cycles in steps, points of history, and seeds.
SYNTHETIC: dict[str, tuple[Frequency, tuple[int, int], int, range]] = {
    "Metrics": (Frequency.HOURS, (24, 168), 700, METRIC_SEEDS),
    "Minutes": (Frequency.MINUTES, (288, 2_016), 3_000, METRIC_SEEDS[:6]),
    "Seconds": (Frequency.SECONDS, (60, 3_600), 2_000, METRIC_SEEDS[:6]),
}
LEARNING_MODEL = "forecast-model-2"
LEARNED_FROM = ("Hours", "Daily", "Weekly", "Metrics")
CHECKED_MODELS = ("forecast-model-1", LEARNING_MODEL, "forecast-model-3")
STEPS_A_CASE = 6
CASES_A_KIND = 1_500
ITERATIONS = 300


@dataclass(frozen=True)
class Window:
    """A history as it was known, cut to ``length`` points (0: whole), and what came next."""

    kind: str
    length: int
    horizon: int
    past: History
    coming: FloatArray


@dataclass(frozen=True)
class Case:
    """One forecast: its past errors, and its absolute errors in units of the expected one."""

    kind: str
    length: int
    horizon: int
    scale: ErrorScale
    relative: FloatArray


def long_histories() -> Iterator[tuple[str, History, FloatArray]]:
    """Kind, whole history and what came next, of real and synthetic series."""
    for series in long_series():
        yield series.history.frequency.value, series.history, series.actual
    for name, (frequency, cycles, points, seeds) in SYNTHETIC.items():
        for kind in KINDS:
            for seed in seeds:
                known, actual = make_metric(kind, seed, known=points, cycles=cycles)
                yield name, History(known, cycles, frequency), actual


def windows(history: History, actual: FloatArray) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Known values and what came next, at the last origin and at earlier ones."""
    whole = np.concatenate([history.values, actual])
    for back in range(WINDOWS):
        end = len(history.values) - back * len(actual)
        if end >= 60:
            yield whole[:end], whole[end:]


def every(windows: Iterator[Window], *, quick: bool) -> Iterator[Window]:
    """All windows, or every fifth."""
    return islice(windows, 0, None, QUICK_STEP if quick else 1)


def draw_windows(draws: int) -> Iterator[Window]:
    """Every window at a few lengths and horizons, drawn with a fixed seed."""
    rng = np.random.default_rng(SEED)
    for kind, history, actual in long_histories():
        for known, coming in windows(history, actual):
            for _ in range(draws):
                length, horizon = int(rng.choice(LENGTHS)), int(rng.choice(HORIZONS))
                horizon = horizon or len(actual)
                values = known[-length:] if length else known
                if np.ptp(values) > 0:
                    past = History(values, history.periods, history.frequency)
                    yield Window(kind, length, horizon, past, coming[:horizon])


def judge(window: Window, model: str) -> Case:
    """Forecast one window by one model."""
    recipe = MODELS[model].long[window.past.frequency]
    said = combine_long(window.past, window.horizon, recipe)
    scale = error_scale(said.combined.mean, said.task)
    steps = len(window.coming)
    smallest = 1e-12 * np.abs(window.past.values).max() + 1e-300
    expected = np.maximum(scale.ahead[:steps], smallest)
    error = np.abs(window.coming - said.combined.mean.median[:steps])
    return Case(window.kind, window.length, window.horizon, scale, error / expected)


def learned_from(kind: str) -> tuple[str, ...]:
    """The kinds to learn from for a check on ``kind``: none that resembles it."""
    related = SYNTHETIC if kind in SYNTHETIC else (kind,)
    return tuple(each for each in LEARNED_FROM if each not in related)


def learn(cases: Sequence[Case]) -> FloatArray:
    """Return the factors, shape (levels, 3); every kind of series counts alike."""
    rng = np.random.default_rng(SEED + 1)
    by_kind = defaultdict(list)
    for case in cases:
        by_kind[case.kind].append(case)
    features, widenings, responses = [], [], []
    for members in by_kind.values():
        for index in rng.integers(len(members), size=CASES_A_KIND):
            case = members[index]
            steps = rng.integers(len(case.relative), size=STEPS_A_CASE)
            features += [interval_features(case.scale)] * STEPS_A_CASE
            widenings += [np.log(widening(case))] * STEPS_A_CASE
            responses.append(np.log(np.maximum(case.relative[steps], 1e-4)))
    stacked, widened, response = np.stack(features), np.stack(widenings), np.concatenate(responses)
    return np.stack(
        [fit(stacked[:, k], response - widened[:, k], level) for k, level in enumerate(LEVELS)]
    )


def widening(case: Case) -> FloatArray:
    """What a short history widens intervals by, at each level."""
    return case.scale.shortfall.widening(LEARNED.weighed_seasons)


def fit(features: FloatArray, response: FloatArray, level: float) -> FloatArray:
    """Return the coefficients of one level; a tail that would count negatively is left out."""
    found = QuantReg(response, features).fit(q=level, max_iter=ITERATIONS).params
    if found[2] < 0:
        found = QuantReg(response, features[:, :2]).fit(q=level, max_iter=ITERATIONS).params
        found = np.append(found, 0.0)
    return np.asarray(found)


def coverages(cases: Sequence[Case], factors: FloatArray) -> str:
    """The share of what came that lies inside, at each shown level."""
    inside = [[] for _ in SHOWN]  # type: list[list[float]]
    for case in cases:
        span = np.exp((interval_features(case.scale) * factors).sum(axis=1)) * widening(case)
        for row, level in zip(inside, SHOWN, strict=True):
            row.append(float(np.mean(case.relative <= span[LEVELS.index(level)])))
    return " / ".join(f"{100 * np.mean(row):.1f}" for row in inside)


def of_kinds(cases: Sequence[Case], kinds: Collection[str]) -> list[Case]:
    """The cases of some kinds of series."""
    return [case for case in cases if case.kind in kinds]


def print_checks(by_model: Mapping[str, Sequence[Case]]) -> None:
    """Coverage by kind of factors learned on other kinds and of the shipped ones, then by length
    and by horizon of the shipped ones."""
    light = by_model[LEARNING_MODEL]
    names = " | ".join(by_model)

    @cache
    def learn_from(kinds: tuple[str, ...]) -> FloatArray:
        return learn(of_kinds(light, kinds))

    print("Coverage at 50 / 80 / 95 %: factors learned on other kinds, then the shipped ones.")
    print(f"| | cases | {names} | {names} |")
    for kind in dict.fromkeys(case.kind for case in light):
        others = learn_from(learned_from(kind))
        own = {model: of_kinds(cases, (kind,)) for model, cases in by_model.items()}
        shares = [
            coverages(cases, table)
            for table in (others, LEARNED.long_factors)
            for cases in own.values()
        ]
        print(f"| {kind} | {len(own[LEARNING_MODEL])} | {' | '.join(shares)} |", flush=True)
    for name in ("length", "horizon"):
        for value in sorted({getattr(case, name) for case in light}):
            own = {
                model: [case for case in cases if getattr(case, name) == value]
                for model, cases in by_model.items()
            }
            shares = [coverages(cases, LEARNED.long_factors) for cases in own.values()]
            count = len(own[LEARNING_MODEL])
            print(f"| {name} {value or 'whole'} | {count} | {' | '.join(shares)} |", flush=True)


def run(*, quick: bool) -> list[list[float]]:
    """Learn and print the checks; ``quick`` takes every fifth window."""
    by_model = {}
    for model in CHECKED_MODELS:
        drawn = draw_windows(DRAWS if model == LEARNING_MODEL else CHECKED_DRAWS)
        by_model[model] = [judge(window, model) for window in every(drawn, quick=quick)]
    print_checks(by_model)
    factors: list[list[float]] = (
        learn(of_kinds(by_model[LEARNING_MODEL], LEARNED_FROM)).round(2).tolist()
    )
    return factors
