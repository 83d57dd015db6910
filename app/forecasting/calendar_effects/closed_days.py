"""Holidays on which a series is always 0, such as the sales of a shop that is closed."""

import numpy as np

from app.forecasting.calendar_effects.events import EventDays
from app.timeseries.seconds import DAYS_PER_WEEK
from app.timeseries.types import BoolArray, FloatArray, IntArray

# The maximum probability that all occurrences are 0 by chance. Two suffice if other days never are.
_MAX_CHANCE = 2e-4


def find_closed_events(values: FloatArray, weekdays: IntArray, events: EventDays) -> BoolArray:
    """Return which events, past and to come, were 0 on every past occurrence, shape (e,).

    Such a day is 0 at any level of its weekday, which no sum of effects can express.

    Args:
        values: The history, shape (n,).
        weekdays: The weekdays of its days and those to come, 0 to 6, shape (n + h,).
        events: The events among these days.
    """
    is_past = events.index < len(values)
    past = events.index[is_past]
    names = events.name_number
    is_ordinary = events.ordinary_days(len(values))
    days, zeros = (
        np.bincount(weekdays[: len(values)][chosen], minlength=DAYS_PER_WEEK)
        for chosen in (is_ordinary, is_ordinary & (values == 0))
    )
    chance_of_zero = (zeros + 1) / (days + 2)
    log_chance = np.log(chance_of_zero)[weekdays[events.index]]
    count = events.name_count
    total = np.bincount(names[is_past], log_chance[is_past], minlength=count)
    open_days = np.bincount(names[is_past], values[past] != 0, minlength=count)
    return ((total <= np.log(_MAX_CHANCE)) & (open_days == 0))[names]
