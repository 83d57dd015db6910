"""Holidays on which a series is always 0, such as the sales of a shop that is closed."""

import numpy as np

from app.forecasting.calendar_effects.events import EventDays
from app.timeseries.seconds import DAYS_PER_WEEK
from app.timeseries.types import BoolArray, FloatArray, IntArray

_MAX_CHANCE = 2e-4  # that all occurrences are 0 by chance: two of them, if other days never are


def find_closed_events(values: FloatArray, weekdays: IntArray, events: EventDays) -> BoolArray:
    """Return which events, past and to come, were 0 on every past occurrence, shape (e,).

    Such a day is 0 whatever the level of its weekday: no sum of effects can express that.

    Args:
        values: The history, shape (n,).
        weekdays: The weekdays of its days and those to come, 0 to 6, shape (n + h,).
        events: The events among these days.
    """
    is_past = events.index < len(values)
    past = events.index[is_past]
    names = events.name_number
    is_ordinary = np.ones(len(values), dtype=bool)
    is_ordinary[past] = False
    days, zeros = (
        np.bincount(weekdays[: len(values)][chosen], minlength=DAYS_PER_WEEK)
        for chosen in (is_ordinary, is_ordinary & (values == 0))
    )
    chance_of_zero = (zeros + 1) / (days + 2)
    log_chance = np.log(chance_of_zero)[weekdays[events.index]]
    count = int(names.max(initial=0)) + 1
    total = np.bincount(names[is_past], log_chance[is_past], minlength=count)
    opened = np.bincount(names[is_past], values[past] != 0, minlength=count)
    return ((total <= np.log(_MAX_CHANCE)) & (opened == 0))[names]
