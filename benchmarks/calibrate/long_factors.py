"""The factors of ``intervals/conformal.py``: hourly, daily, weekly and shorter steps.

Quantile regression over the windows of ``long_windows`` finds how many times the expected error an
interval must span; it prints the coverage on each kind of series of factors learned on the other
kinds, and of those learned on all. Factors are learned from model 2's forecasts, the quickest, and
checked with models 1 and 3 on fewer windows; minutes and seconds, of which there are only
synthetic series, are checked and not learned from.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from statsmodels.regression.quantile_regression import QuantReg

from app.forecasting.intervals.conformal import interval_features, measure_errors
from app.forecasting.intervals.learned import CONFIDENCE_LEVELS, LEARNED
from app.forecasting.intervals.short_history import SeasonShortfall
from app.forecasting.models.high_frequency import combine_high_frequency
from app.forecasting.models.recipes import MODELS
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.types import FloatArray
from benchmarks.calibrate import SEED, SHOWN_CONFIDENCES
from benchmarks.calibrate.distances import min_expected_error, widths_with_exponent
from benchmarks.calibrate.long_windows import SYNTHETIC, Window, draw_windows
from benchmarks.parallel import run_in_processes

LEARNING_MODEL = "forecast-model-2"
LEARNED_FROM = ("Hours", "Daily", "Weekly", "Metrics")
# Draws of length and horizon from each window to learn from. The other models are checked on every
# fourth window of one draw.
DRAWS, CHECKED_STEP = 2, 4
CHECKED_MODELS = ("forecast-model-1", "forecast-model-3")
STEPS_PER_CASE = 6
CASES_PER_KIND = 1_500
ITERATIONS = 300
DEFAULT_EXPONENT = 0.25  # the exponent of few seasons before any is learned
# Features that count only if they widen: tails, and the volatility of the whole history.
SIGNED = (2, 3)


@dataclass(frozen=True)
class Case:
    """One forecast of k steps.

    It has what its factors depend on, shape (k, levels, 4), how much history is missing, and its
    absolute errors in units of the expected one, shape (k,).
    """

    kind: str
    frequency: Frequency
    length: int
    horizon: int
    features: FloatArray
    shortfall: SeasonShortfall
    relative: FloatArray


def judge(model: str, window: Window) -> Case:
    """Forecast one window by one model."""
    recipe = MODELS[model].high_frequency[window.past.frequency]
    fitted = combine_high_frequency(window.past, window.horizon, recipe)
    scale = measure_errors(fitted.combined.mean, fitted.task)
    steps = len(window.future)
    expected = np.maximum(scale.expected_errors[:steps], min_expected_error(window.past))
    error = np.abs(window.future - fitted.combined.mean.forecast[:steps])
    return Case(
        window.kind,
        window.past.frequency,
        window.length,
        window.horizon,
        interval_features(scale)[:steps],
        scale.shortfall,
        error / expected,
    )


def kinds_to_learn_from(kind: str) -> tuple[str, ...]:
    """Return the kinds to learn from for a check on ``kind``: none that resembles it."""
    related = SYNTHETIC if kind in SYNTHETIC else (kind,)
    return tuple(name for name in LEARNED_FROM if name not in related)


def learn(cases: Sequence[Case]) -> FloatArray:
    """Return the factors, shape (levels, 4); every kind of series counts alike."""
    rng = np.random.default_rng(SEED + 1)
    by_kind = defaultdict(list)
    for case in cases:
        by_kind[case.kind].append(case)
    features, widenings, responses = [], [], []
    for members in by_kind.values():
        for index in rng.integers(len(members), size=CASES_PER_KIND):
            case = members[index]
            steps = rng.integers(len(case.relative), size=STEPS_PER_CASE)
            features += list(case.features[steps])
            widenings += [np.log(widening_of(case))] * STEPS_PER_CASE
            responses.append(np.log(np.maximum(case.relative[steps], 1e-4)))
    stacked, widened, response = np.stack(features), np.stack(widenings), np.concatenate(responses)
    return np.stack(
        [
            fit(stacked[:, k], response - widened[:, k], level)
            for k, level in enumerate(CONFIDENCE_LEVELS)
        ]
    )


def widening_of(case: Case) -> FloatArray:
    """Return by how much a short history roughly widens intervals, at each level.

    The exact exponents are learned after these factors, which must not depend on them.
    """
    widths = widths_with_exponent(LEARNED.weighed[case.frequency], DEFAULT_EXPONENT)
    return case.shortfall.widening_factors(widths.exponents)


def fit(features: FloatArray, response: FloatArray, level: float) -> FloatArray:
    """Return the coefficients of one level; one of ``SIGNED`` that is negative is left out."""
    result = np.zeros(features.shape[1])
    kept = list(range(features.shape[1]))
    while True:
        fitted = QuantReg(response, features[:, kept]).fit(q=level, max_iter=ITERATIONS).params
        wrong = [column for column, value in zip(kept, fitted, strict=True) if value < 0]
        wrong = [column for column in wrong if column in SIGNED]
        if not wrong:
            result[kept] = fitted
            return result
        kept.remove(wrong[0])


def coverages(cases: Sequence[Case], factors: FloatArray) -> str:
    """Return the share of actual values inside, at each shown level."""
    inside: list[list[float]] = [[] for _ in SHOWN_CONFIDENCES]
    for case in cases:
        span = np.exp((case.features * factors).sum(axis=-1)) * widening_of(case)
        for row, level in zip(inside, SHOWN_CONFIDENCES, strict=True):
            row.append(float(np.mean(case.relative <= span[:, CONFIDENCE_LEVELS.index(level)])))
    return " / ".join(f"{100 * np.mean(row):.1f}" for row in inside)


def cases_of_kinds(cases: Sequence[Case], kinds: Collection[str]) -> list[Case]:
    """Return the cases of some kinds of series."""
    return [case for case in cases if case.kind in kinds]


def print_checks(by_model: Mapping[str, Sequence[Case]], factors: FloatArray) -> None:
    """Print the coverage by kind, then by length and by horizon.

    By kind, it is that of factors learned on other kinds, and that of ``factors``.
    """
    learning_cases = by_model[LEARNING_MODEL]
    names = " | ".join(by_model)

    @cache
    def learn_from(kinds: tuple[str, ...]) -> FloatArray:
        return learn(cases_of_kinds(learning_cases, kinds))

    print("Coverage at 50 / 80 / 95 %: factors learned on other kinds, then on all.")
    print(f"| | cases | {names} | {names} |")
    for kind in dict.fromkeys(case.kind for case in learning_cases):
        others = learn_from(kinds_to_learn_from(kind))
        own = {model: cases_of_kinds(cases, (kind,)) for model, cases in by_model.items()}
        shares = [coverages(cases, table) for table in (others, factors) for cases in own.values()]
        print(f"| {kind} | {len(own[LEARNING_MODEL])} | {' | '.join(shares)} |", flush=True)
    for name in ("length", "horizon"):
        for value in sorted({getattr(case, name) for case in learning_cases}):
            own = {
                model: [case for case in cases if getattr(case, name) == value]
                for model, cases in by_model.items()
            }
            shares = [coverages(cases, factors) for cases in own.values()]
            count = len(own[LEARNING_MODEL])
            print(f"| {name} {value or 'whole'} | {count} | {' | '.join(shares)} |", flush=True)


def run() -> list[list[float]]:
    """Learn and print the checks."""
    by_model = {
        LEARNING_MODEL: run_in_processes(partial(judge, LEARNING_MODEL), draw_windows(DRAWS))
    }
    checked = list(draw_windows(1))[::CHECKED_STEP]
    for model in CHECKED_MODELS:
        by_model[model] = run_in_processes(partial(judge, model), checked)
    factors = learn(cases_of_kinds(by_model[LEARNING_MODEL], LEARNED_FROM)).round(2)
    print_checks(by_model, factors)
    return factors.tolist()
