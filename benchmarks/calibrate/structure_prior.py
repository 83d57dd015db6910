"""The prior of short histories (``short_history/structures.py``).

It says how likely each level, trend and season is, and whether values are logarithms.

From one excerpt of every development series, four of every daily one, the tables are found by
expectation and maximization (Dempster, Laird and Rubin 1977), the prior of the scale by moments
(Smyth 2004, section 6). Tables of level and trend are moved towards the mean over frequencies, as
each was learned on one or two sets. It prints how much more likely the tables make the half of the
series that they were not learned on than tables without any preference.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import digamma, polygamma

from app.forecasting.intervals.learned import StructurePrior
from app.forecasting.short_history.posterior import Posterior, fit_posterior
from app.forecasting.short_history.structures import (
    LEVEL_COUNT,
    SEASONS,
    TREND_COUNT,
    usable_period,
)
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.types import FloatArray
from benchmarks.calibrate import SEED
from benchmarks.series import PERIODS, load_series

LEARNED = (Frequency.MONTHLY, Frequency.WEEKLY, Frequency.DAILY, Frequency.HOURS)
ALL_FREQUENCIES = (Frequency.YEARLY, Frequency.QUARTERLY, *LEARNED)
LENGTHS, LENGTHS_OF_HOURS = (18, 24, 30, 40, 60), (24, 36, 48, 60, 72)
MAX_EXCERPTS, EXCERPTS_OF_DAYS = 240, 4
ROUNDS = 10
PSEUDO_COUNT = 0.5
# The fraction by which levels and trends are moved to the mean over frequencies. Days are moved
# more, as all of them are from one set.
TO_MEAN, TO_MEAN_OF_DAYS = 0.3, 0.5
# The scales of one set's series are more alike than those of all series.
MAX_DEGREES = 1.0
MIN_EXCESS = 1e-3  # variances of log scales between series are at least this

Tables = dict[str, list[float]]


def flat_prior() -> StructurePrior:
    """Return the prior without any preference, and without one of the scale."""
    counts = (LEVEL_COUNT, TREND_COUNT, len(SEASONS), 2)
    levels, trends, seasons, views = (np.full(count, 1.0 / count) for count in counts)
    return StructurePrior(levels, trends, seasons, views, degrees=0.0, scale=1.0)


def draw_excerpts(frequency: Frequency) -> list[FloatArray]:
    """Return excerpts of the development series, in a random order."""
    rng = np.random.default_rng(SEED)
    lengths = LENGTHS_OF_HOURS if frequency is Frequency.HOURS else LENGTHS
    drawn = []
    for series in load_series():
        if series.history.frequency is not frequency:
            continue
        whole = np.concatenate([series.history.values, series.actual])
        for _ in range(EXCERPTS_OF_DAYS if frequency is Frequency.DAILY else 1):
            points = min(len(whole), int(rng.choice(lengths)))
            start = int(rng.integers(0, len(whole) - points + 1))
            drawn.append(whole[start : start + points])
    varied = [drawn[index] for index in rng.permutation(len(drawn)) if np.ptp(drawn[index]) > 0]
    return varied[:MAX_EXCERPTS]


def learn(excerpts: Sequence[FloatArray], period: int) -> StructurePrior:
    """Learn the tables of one frequency, and the prior of the scale."""
    prior = flat_prior()
    for _ in range(ROUNDS):
        posteriors = [fit_posterior(values, period, prior) for values in excerpts]
        prior = replace(prior, **maximize(posteriors))
    return replace(
        prior,
        **learn_scale(excerpts, [fit_posterior(excerpt, period, prior) for excerpt in excerpts]),
    )


def maximize(posteriors: Sequence[Posterior]) -> dict[str, Any]:
    """Return the tables, which are the normalized sums of the posteriors' weights."""
    sizes = {
        "levels": LEVEL_COUNT,
        "trends": TREND_COUNT,
        "seasons": len(SEASONS),
        "form_weights": 2,
    }
    counts = {name: np.full(size, PSEUDO_COUNT) for name, size in sizes.items()}
    for posterior in posteriors:
        weights = posterior.weights.sum(axis=0)
        for column, name in enumerate(("levels", "trends", "seasons")):
            counts[name] += np.bincount(posterior.structures[:, column], weights, sizes[name])
        if len(posterior.forms) > 1:
            counts["form_weights"] += posterior.weights.sum(axis=1)
    return {name: count / count.sum() for name, count in counts.items()}


def learn_scale(excerpts: Sequence[FloatArray], posteriors: Sequence[Posterior]) -> dict[str, Any]:
    """Return the degrees of freedom and the scale of the prior, from the residuals."""
    pairs = [
        (np.log(posterior.posterior_squares[-1, best] / posterior.degrees), posterior.degrees)
        for values, posterior in zip(excerpts, posteriors, strict=True)
        if values.min() >= 0
        for best in [posterior.weights[-1].argmax()]
    ]
    log_scales, degrees = np.array(pairs).T
    unbiased = log_scales - digamma(degrees / 2) + np.log(degrees / 2)
    excess = max(float(unbiased.var() - polygamma(1, degrees / 2).mean()), MIN_EXCESS)
    half = inverse_trigamma(excess)
    scale = np.exp(0.5 * (unbiased.mean() + digamma(half) - np.log(half)))
    return {"degrees": min(float(2.0 * half), MAX_DEGREES), "scale": float(scale)}


def inverse_trigamma(wanted: float) -> float:
    """Return the inverse of the trigamma function, by Newton's method (Smyth 2004, appendix)."""
    degrees = 0.5 + 1.0 / wanted
    for _ in range(30):
        value = polygamma(1, degrees)
        degrees += float(value * (1.0 - value / wanted) / polygamma(2, degrees))
    return degrees


def shrink_to_mean(priors: dict[Frequency, StructurePrior]) -> dict[Frequency, StructurePrior]:
    """Move the levels and trends of each frequency towards their mean over all."""
    levels = np.mean([prior.levels for prior in priors.values()], axis=0)
    trends = np.mean([prior.trends for prior in priors.values()], axis=0)
    drawn = {}
    for frequency, prior in priors.items():
        share = TO_MEAN_OF_DAYS if frequency is Frequency.DAILY else TO_MEAN
        drawn[frequency] = replace(
            prior,
            levels=(1.0 - share) * prior.levels + share * levels,
            trends=(1.0 - share) * prior.trends + share * trends,
        )
    return drawn


def pooled_prior(priors: dict[Frequency, StructurePrior]) -> StructurePrior:
    """Return one prior for frequencies without series: the mean, years having no season."""
    seasons = [
        prior.seasons for frequency, prior in priors.items() if frequency is not Frequency.YEARLY
    ]
    return StructurePrior(
        levels=np.mean([prior.levels for prior in priors.values()], axis=0),
        trends=np.mean([prior.trends for prior in priors.values()], axis=0),
        seasons=np.mean(seasons, axis=0),
        form_weights=np.mean([prior.form_weights for prior in priors.values()], axis=0),
        degrees=0.0,
        scale=1.0,
    )


def tables_of(prior: StructurePrior) -> Tables:
    """Return a prior as `learned.json` has it."""
    names = ("levels", "trends", "seasons", "form_weights")
    tables = {name: getattr(prior, name).round(4).tolist() for name in names}
    return tables | {"scale": [round(prior.degrees, 3), round(prior.scale, 4)]}


def print_check(frequency: Frequency, excerpts: Sequence[FloatArray], period: int) -> None:
    """Print the mean log likelihood of one half by the other's tables, over that by flat ones."""
    half = len(excerpts) // 2
    prior = learn(excerpts[:half], period)
    others = excerpts[half:]
    # The likelihood by a prior of the scale has other constants.
    prior = replace(prior, degrees=0.0, scale=1.0)
    gains = [
        fit_posterior(excerpt, period, prior).log_likelihood
        - fit_posterior(excerpt, period, flat_prior()).log_likelihood
        for excerpt in others
    ]
    error = np.std(gains) / np.sqrt(len(gains))
    print(f"{frequency}: {np.mean(gains):.2f} ± {error:.2f} more log likelihood on the other half")


def run() -> dict[str, Tables]:
    """Learn and print the check."""
    priors = {}
    for frequency in ALL_FREQUENCIES:
        excerpts = draw_excerpts(frequency)
        period = usable_period(PERIODS[frequency])
        print_check(frequency, excerpts, period)
        priors[frequency] = learn(excerpts, period)
    numbers = {
        frequency.value: tables_of(prior)
        for frequency, prior in shrink_to_mean(priors).items()
        if frequency in LEARNED
    }
    return numbers | {"all": tables_of(pooled_prior(priors))}
