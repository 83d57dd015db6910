"""Model 4: high variance and observability metrics.

Outliers are pulled in and history before a level shift is brought to the new level; members learn
on that, but prove themselves, and get their intervals, on the raw values.
"""

from dataclasses import replace

import numpy as np

from app.forecasting.cleaning import clean
from app.forecasting.intervals.conformal import conformal_interval, measure_errors
from app.forecasting.members.robust_level import robust_levels
from app.forecasting.models.long import (
    DEFAULT,
    find_members,
    keep_recent,
    make_task,
)
from app.forecasting.types import History, Prediction
from app.forecasting.validation import combine, make_scales, targets_after

HALF_LIVES = (1.0, 4.0, 12.0)
CYCLES_HALF_LIVES = (2.0, 7.0)
POWER = 4.0


def forecast(history: History, horizon: int, confidence: float) -> Prediction:
    """Return the forecast of model 4."""
    values, rhythm = keep_recent(history.values, history.periods)
    cleaned = clean(values, rhythm.short, rhythm.long, horizon)
    plan = make_task(values, rhythm, horizon, DEFAULT)
    task = replace(
        plan, values=cleaned.moved, targets=targets_after(cleaned.moved, plan.origins, horizon)
    )
    calm = replace(task, values=cleaned.calm, scales=make_scales(cleaned.calm))
    members = find_members(calm, rhythm, DEFAULT, light=True)
    model, _ = combine(members, task.targets, 2.0)
    half_lives = HALF_LIVES + tuple(c * rhythm.short for c in CYCLES_HALF_LIVES if rhythm.short)
    levels, _ = combine(robust_levels(task, cleaned, half_lives), task.targets, POWER)
    combined, _ = combine([model, levels], task.targets, 2.0)
    scale = measure_errors(combined, task.targets, task.origins, task.values, max(1, rhythm.short))
    lower, upper = conformal_interval(combined.median, scale, confidence)
    median = combined.median
    if values.min() >= 0:
        lower, median = np.maximum(lower, 0.0), np.maximum(median, 0.0)
    return Prediction(np.minimum(lower, median), median, np.maximum(upper, median))
