"""The members that are regressions of ``seasonal_ridge``, and their designs."""

from collections.abc import Callable
from dataclasses import replace

from app.forecasting.members.seasonal_ridge import RidgeDesign, seasonal_ridge
from app.forecasting.members.types import HighFrequencyMember
from app.forecasting.past_origins import BacktestTask
from app.forecasting.preprocessing.seasonality import WEEKS_PER_YEAR, seasonal_lags, yearly_lags

# Points before the first origin, which the weights of lags need.
_MIN_DENSE_POINTS = 144
_MIN_CYCLE_POINTS = 400  # for lags around further cycles
# The longest lag, as a fraction of the points before the first origin: the rest are the rows that
# its weight is learned from.
_MAX_DENSE_LAG_FRACTION = 0.45
_MAX_PLAIN_LAG_FRACTION = 0.3
_YEAR_PAIRS = 2  # sine-cosine pairs of a year
_LONG_YEAR_PAIRS = 4  # those of a longer history
_MAX_SHORT_HISTORY_WEEKS = 160
_PLAIN_LAGS = (1, 2, 3, 4, 5)  # steps
_QUARTER_WEEKS = 13
_HALF_LIFE_WEEKS = 2 * WEEKS_PER_YEAR


def ridge_member(
    name: str,
    design: Callable[[BacktestTask], RidgeDesign],
    *penalties: float,
    is_suitable: Callable[[BacktestTask], bool] = lambda task: True,
) -> HighFrequencyMember:
    """Return the member that fits ``design``, described by ``name``, with each of the penalties."""
    return HighFrequencyMember(
        f"ridge on {name} ({', '.join(map(str, penalties))})",
        lambda task: seasonal_ridge(task, design(task), penalties),
        is_suitable,
    )


# For a season with many cycles.


def seasonal_levels(task: BacktestTask) -> RidgeDesign:
    """Return the design that explains values by lags of steps and seasons, and by the season."""
    seasonality = task.seasonality
    lags = seasonal_lags(seasonality, min(len(task.values), 2 * task.origins[0]))
    return RidgeDesign(lags, seasonality.dummy_period, seasonality.fourier_terms)


def seasonal_changes(task: BacktestTask, difference: int = 1) -> RidgeDesign:
    """Like ``seasonal_levels``, for changes over ``difference`` steps, which leave fewer lags."""
    levels = seasonal_levels(task)
    longest = task.origins[0] - task.seasonality.short
    return replace(
        levels, lags=tuple(lag for lag in levels.lags if lag < longest), difference=difference
    )


def seasonal_differences(task: BacktestTask) -> RidgeDesign:
    """Like ``seasonal_levels``, for changes from season to season."""
    return seasonal_changes(task, task.seasonality.short)


def seasonal_random_walk(task: BacktestTask) -> RidgeDesign:
    """Return the design that explains changes from step to step by three lags and the season."""
    return RidgeDesign((1, 2, 3), task.seasonality.dummy_period, difference=1)


# For hourly data, where each of the last hours adds information.


def has_dense_lags(task: BacktestTask) -> bool:
    """Return whether the weights of dense lags can be learned before the first origin."""
    return task.origins[0] >= _MIN_DENSE_POINTS


def dense_changes(task: BacktestTask) -> RidgeDesign:
    """Return the design that explains changes by all hours of a day and some of earlier cycles."""
    sparse = seasonal_changes(task)
    seasonality = task.seasonality
    first = task.origins[0]
    short, long = seasonality.short, seasonality.long_in_short_cycles
    lags = {*sparse.lags, *range(1, short + 3)}
    if first > _MIN_CYCLE_POINTS:
        lags |= {short * cycle + offset for cycle in range(2, 7) for offset in (-1, 1)}
        centres = (2 * short, 3 * short, long) if long else (2 * short, 3 * short)
        lags |= {centre + offset for centre in centres for offset in (-2, 2)}
    longest = min(_MAX_DENSE_LAG_FRACTION * first, first - short)
    return replace(sparse, lags=tuple(sorted(lag for lag in lags if 0 < lag < longest)))


def dense_differences(task: BacktestTask) -> RidgeDesign:
    """Like ``dense_changes``, for changes from day to day."""
    return replace(dense_changes(task), difference=task.seasonality.short)


def without_calendar(
    design: Callable[[BacktestTask], RidgeDesign],
) -> Callable[[BacktestTask], RidgeDesign]:
    """Return a design with the lags of ``design`` only, without its dummies and Fourier terms."""

    def lags_design(task: BacktestTask) -> RidgeDesign:
        return replace(design(task), dummy_period=0, fourier=())

    return lags_design


# Without a season, or with an annual one of weeks.


def plain_levels(task: BacktestTask) -> RidgeDesign:
    """Return the design that explains values by the last lags.

    It explains weeks also by the lags around a year, and by the year.
    """
    first = task.origins[0]
    if task.seasonality.is_year_of_weeks:
        is_long = len(task.values) > _MAX_SHORT_HISTORY_WEEKS
        pairs = _LONG_YEAR_PAIRS if is_long else _YEAR_PAIRS
        return RidgeDesign(yearly_lags(first) or (1,), fourier=((task.seasonality.year, pairs),))
    max_lag = _MAX_PLAIN_LAG_FRACTION * first
    return RidgeDesign(tuple(lag for lag in _PLAIN_LAGS if lag < max_lag) or (1,))


def plain_changes(task: BacktestTask) -> RidgeDesign:
    """Like ``plain_levels``, for changes from step to step."""
    return replace(plain_levels(task), difference=1)


def few_changes(task: BacktestTask) -> RidgeDesign:
    """Return the design that explains changes by the five shortest lags only."""
    return RidgeDesign(plain_levels(task).lags[: len(_PLAIN_LAGS)], difference=1)


def has_annual_season(task: BacktestTask) -> bool:
    return task.seasonality.is_year_of_weeks


def quarter_levels(task: BacktestTask) -> RidgeDesign:
    """Return the design that explains weeks by those of the last quarter, without the year."""
    max_lag = _MAX_PLAIN_LAG_FRACTION * task.origins[0] - 1
    lags = range(1, _QUARTER_WEEKS + 1)
    return RidgeDesign(tuple(lag for lag in lags if lag < max_lag) or (1,))


def quarter_changes(task: BacktestTask) -> RidgeDesign:
    """Like ``quarter_levels``, for changes."""
    return replace(quarter_levels(task), difference=1)


def forgetting_changes(task: BacktestTask) -> RidgeDesign:
    """Like ``plain_changes``; a change of two years ago has half the weight."""
    return replace(plain_changes(task), half_life=_HALF_LIFE_WEEKS)
