"""Model 4: high variance and observability metrics.

Outliers are pulled in and history before a level shift is brought to the new level; members learn
on that, but prove themselves, and get their intervals, on the values as they were.
"""

from dataclasses import replace

import numpy as np

from app.forecasting.calendar.frequency import Frequency
from app.forecasting.cleaning import clean, without_gross_outliers
from app.forecasting.combination import middle
from app.forecasting.intervals.conformal import measure_errors, skewed_interval
from app.forecasting.intervals.end import last_jump, reach_both_ends
from app.forecasting.intervals.reach import within_reach
from app.forecasting.members.robust_level import robust_levels
from app.forecasting.models.long import DEFAULT, find_members, keep_recent, make_task
from app.forecasting.models.short import RECIPES, Recipes, forecast_short
from app.forecasting.past_origins import combine, make_scales, targets_after
from app.forecasting.types import History, Prediction

# Members are combined by their middle, smoothing by more of its parameter sets, and ridge, which a
# single wild cycle can bend, has less to say.
ROBUST_RECIPES: Recipes = {
    Frequency.YEARLY: replace(RECIPES[Frequency.YEARLY], combine=middle, averaged=16),
    Frequency.QUARTERLY: replace(RECIPES[Frequency.QUARTERLY], combine=middle, ridge_share=0.2),
    Frequency.MONTHLY: replace(RECIPES[Frequency.MONTHLY], ridge_share=0.2),
}

# Half-lives of the robust level, in steps and in short seasons.
HALF_LIVES = (1.0, 4.0, 12.0)
HALF_LIVES_IN_SEASONS = (2.0, 7.0)
# Of disturbed series a few members are far better than the rest.
POWER = 6.0
# A jump at the end that is so many times larger than any before, or has lasted for so many points,
# may be more than an outlier.
UNHEARD_OF, LASTING = 1e3, 3


def forecast(history: History, horizon: int, confidence: float) -> Prediction:
    """Return the forecast of model 4.

    Args:
        history: at least 10 points.
        horizon: steps to forecast.
        confidence: of the interval, 0.1 to 0.99.
    """
    if history.frequency in RECIPES:
        period = history.periods[0] if history.periods else 0
        calm = replace(history, values=without_gross_outliers(history.values, period))
        return forecast_short(calm, horizon, confidence, with_arima=False, recipes=ROBUST_RECIPES)
    values, rhythm = keep_recent(history.values, history.periods)
    cleaned = clean(values, rhythm.short, rhythm.long, horizon)
    plan = make_task(values, rhythm, horizon, DEFAULT)
    targets = targets_after(cleaned.moved, plan.origins, horizon)
    task = replace(plan, values=cleaned.moved, targets=targets)
    calm_task = replace(task, values=cleaned.calm, scales=make_scales(cleaned.calm, rhythm.short))
    half_lives = HALF_LIVES + tuple(
        cycles * rhythm.short for cycles in HALF_LIVES_IN_SEASONS if rhythm.short
    )
    members = find_members(calm_task, rhythm, DEFAULT, light=True)
    members += robust_levels(task, cleaned, half_lives)
    combined, _ = combine(members, targets, POWER)
    scale = measure_errors(combined, targets, task.origins, task.values, max(1, rhythm.short))
    lower, median, upper = skewed_interval(combined.median, scale, confidence)
    lower, upper = within_reach((lower, upper), median, values)
    jump = last_jump(values, UNHEARD_OF) or last_jump(values, lasting=LASTING)
    lower, upper = reach_both_ends((lower, upper), median, jump, confidence)
    if values.min() >= 0:
        lower, median, upper = (np.maximum(bound, 0.0) for bound in (lower, median, upper))
    return Prediction(lower, median, upper)
