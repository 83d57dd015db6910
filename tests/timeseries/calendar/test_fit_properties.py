"""What holds of every calendar, on series made by Python's own dates."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.timeseries.calendar.fit import CalendarErrors, fit_calendar
from app.timeseries.calendar.frequency import UNITS, Frequency
from tests.timeseries.calendar.calendars import (
    business_days,
    defects,
    month_ticks,
    omit,
    ticks,
    times,
)

MIN_POINTS = 10
MAX_STEP = 1_500
# Four years are 1,461 days for a century or two: no series could show which was meant.
MAX_STEP_MONTHS = {Frequency.MONTHLY: 11, Frequency.QUARTERLY: 11, Frequency.YEARLY: 3}
LENGTHS = {unit.seconds or -unit.months for unit in UNITS.values()}


@dataclass(frozen=True)
class Regular:
    """A regular series and what it was made from."""

    texts: list[str]
    frequency: Frequency
    step: int


@st.composite
def regular_series(draw: st.DrawFn) -> Regular:
    frequency = draw(st.sampled_from(list(Frequency)))
    unit = UNITS[frequency]
    count = draw(st.integers(2 * MIN_POINTS, 5 * MIN_POINTS))
    first = draw(st.datetimes(datetime(1, 1, 1), datetime(5000, 1, 1))).replace(microsecond=0)
    start = first.isoformat()
    if frequency is Frequency.DAILY and draw(st.booleans()):
        step = draw(st.integers(1, 4))
        return Regular(business_days(count * step, start)[::step], frequency, step)
    steps = st.integers(1, MAX_STEP_MONTHS.get(frequency, MAX_STEP))
    length = unit.seconds or -unit.months
    step = draw(steps.filter(lambda step: step == 1 or step * length not in LENGTHS))
    if unit.seconds:
        return Regular(ticks(timedelta(seconds=step * unit.seconds), count, start), frequency, step)
    day = draw(st.integers(first.day, 31) if first.day >= 28 else st.just(first.day))
    return Regular(month_ticks(step * unit.months, count, start, day), frequency, step)


@settings(deadline=None)
@given(regular_series(), st.integers(1, MIN_POINTS))
def test_the_calendar_of_a_history_forecasts_the_timestamps_that_followed(
    series: Regular, horizon: int
) -> None:
    moments = times(series.texts)
    calendar = fit_calendar(moments[:-horizon], series.frequency)
    assert calendar.step == series.step
    assert calendar.future(horizon).tolist() == moments[-horizon:].tolist()


@settings(deadline=None)
@given(regular_series(), st.integers(1, 100))
def test_a_history_continued_by_its_future_has_the_same_calendar(
    series: Regular, horizon: int
) -> None:
    moments = times(series.texts)
    calendar = fit_calendar(moments, series.frequency)
    continued = fit_calendar(np.append(moments, calendar.future(horizon)), series.frequency)
    assert (continued.step, continued.axis) == (calendar.step, calendar.axis)
    assert continued.periods == calendar.periods


@settings(deadline=None)
@given(regular_series(), st.data())
def test_an_entry_taken_out_is_the_one_that_is_missed(series: Regular, data: st.DataObject) -> None:
    hole = data.draw(st.integers(1, len(series.texts) - 2))
    issues = defects(omit(series.texts, hole), series.frequency)
    assert list(issues) == [hole]
    assert issues[hole].startswith(f"missing entry: {series.texts[hole]} is missing;")


@settings(deadline=None)
@given(regular_series(), st.data())
def test_a_moved_entry_is_the_one_that_is_off_the_grid(
    series: Regular, data: st.DataObject
) -> None:
    moments = times(series.texts)
    moved = data.draw(st.integers(1, len(moments) - 2))
    room = int((moments[moved + 1] - moments[moved]).astype(int))
    if room < 3:
        return
    moments[moved] += data.draw(st.integers(1, min(room, 86_400) - 1))
    with pytest.raises(CalendarErrors, match="is not on the grid") as caught:
        fit_calendar(moments, series.frequency)
    assert [entry for entry, _issue in caught.value.defects] == [moved]


@settings(deadline=None)
@given(regular_series(), st.sampled_from(list(Frequency)))
def test_a_regular_series_fits_any_declared_frequency_or_names_the_one_to_declare(
    series: Regular, declared: Frequency
) -> None:
    moments = times(series.texts)
    try:
        calendar = fit_calendar(moments[:-1], declared)
    except CalendarErrors as error:
        ((_entry, issue),) = error.defects
        assert issue.startswith("invalid frequency: ")
        fitting = Frequency(issue.rsplit(" ", 1)[1])
        assert fitting is not declared
        calendar = fit_calendar(moments[:-1], fitting)
    assert calendar.future(1).tolist() == moments[-1:].tolist()
