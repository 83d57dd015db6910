"""Find a change of the step within a file."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from app.tables.answers import Summary
from app.tables.dated_values import DatedValues
from app.tables.series.combining import Irregularity
from app.timeseries.calendar.axes import SecondAxis
from app.timeseries.seconds import DAY_SECONDS

_MIN_VALUES_PER_STEP = 24  # the first and the last step of a file both have this many values
_MIN_STEP_FRACTION = 0.95  # of the values before and after the change; longer steps are gaps


def find_step_change(dated_values: DatedValues) -> Irregularity | None:
    """Find a change of the step within a file, such as from hours to quarters of an hour.

    The values are amounts if they shrink as their step does.
    """
    times = np.unique(dated_values.times)
    steps = np.diff(times).astype(np.int64)
    if steps.size < 2 * _MIN_VALUES_PER_STEP or pd.unique(dated_values.names).size > 1:
        return None
    step_before, step_after = (
        int(np.median(part))
        for part in (steps[:_MIN_VALUES_PER_STEP], steps[-_MIN_VALUES_PER_STEP:])
    )
    shorter, longer = sorted((step_before, step_after))
    if shorter == longer or longer > DAY_SECONDS or longer % shorter:
        return None
    is_before, is_after = steps == step_before, steps == step_after
    change = int(np.argmax(np.cumsum(is_before) - np.cumsum(is_after))) + 1  # of the best cut
    fractions = is_before[:change].mean(), is_after[change:].mean()
    if (
        min(change, steps.size - change) < _MIN_VALUES_PER_STEP
        or min(fractions) < _MIN_STEP_FRACTION
    ):
        return None
    before, after = (SecondAxis().describe(step) for step in (step_before, step_after))
    day = np.datetime_as_string(times[change], "m").replace("T", " ")
    problem = f"The values are {before} apart until {day}, and {after} from then on"
    values, is_later = dated_values.columns[0].values, dated_values.times >= times[change]
    levels = [np.nanmean(np.abs(values[part])) for part in (~is_later, is_later)]
    are_amounts = _shrink_with_step(levels, (step_before, step_after))
    return Irregularity(problem, Summary.TOTAL if are_amounts else Summary.AVERAGE)


def _shrink_with_step(levels: Sequence[float], steps: Sequence[int]) -> bool:
    """Return whether values before and after a change differ in size about as their steps do."""
    if min(levels) > 0:
        ratio = levels[0] / levels[1]
        return bool(abs(np.log(ratio * steps[1] / steps[0])) < abs(np.log(ratio)))
    return False
