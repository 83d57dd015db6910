"""Frequency, step and labels: the service accepts them, and its future continues them."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest
import pytz
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from app.timeseries.calendar.fit import Calendar, fit_calendar
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.timestamps import format_timestamps, parse_timestamps
from forecast_client import DataError, Prepared, prepare

HORIZON = 30
ZONES = ["Europe/Berlin", "America/Sao_Paulo", "America/Havana", "Asia/Kolkata", "UTC"]
# pandas' frequency, the service's, and the step.
FREQUENCIES = [
    ("s", "Seconds", 1),
    ("10s", "Seconds", 10),
    ("min", "Minutes", 1),
    ("15min", "Minutes", 15),
    ("90min", "Minutes", 90),
    ("h", "Hours", 1),
    ("12h", "Hours", 12),
    ("D", "Daily", 1),
    ("2D", "Daily", 2),
    ("B", "Daily", 1),
    ("W-WED", "Weekly", 1),
    ("2W", "Weekly", 2),
    ("MS", "Monthly", 1),
    ("ME", "Monthly", 1),
    ("BMS", "Monthly", 1),
    ("BME", "Monthly", 1),
    ("2MS", "Monthly", 2),
    ("QS", "Quarterly", 1),
    ("QE", "Quarterly", 1),
    ("BQE", "Quarterly", 1),
    ("6MS", "Quarterly", 2),
    ("YS", "Yearly", 1),
    ("YE", "Yearly", 1),
]
LOCAL = [grid for grid in FREQUENCIES if grid[1] in ("Daily", "Weekly", "Monthly", "Quarterly")]
ELAPSED = [grid for grid in FREQUENCIES if grid[1] in ("Seconds", "Minutes", "Hours")][:-1]
PERIODS = ["s", "15min", "h", "D", "W-SUN", "W-THU", "M", "2M", "Q-DEC", "Q-JAN", "Y-DEC", "Y-JUN"]
STARTS = st.datetimes(dt.datetime(1950, 1, 1), dt.datetime(2090, 1, 1)).map(
    lambda moment: moment.replace(microsecond=0)
)
DAYS = st.dates(dt.date(1990, 1, 1), dt.date(2030, 1, 1))
few_examples = settings(max_examples=20, deadline=None)


def series_on(index: pd.Index) -> pd.Series:
    return pd.Series(np.arange(float(len(index))), index=index)


def calendar_of(prepared: Prepared) -> Calendar:
    """Return the calendar that the service fits to the timestamps; it raises if it rejects them."""
    sent = parse_timestamps(list(prepared.timestamps))
    return fit_calendar(sent.times, Frequency(prepared.frequency), sent.suffix)


def future_of(prepared: Prepared, horizon: int) -> list[str]:
    """Return the timestamps that the service responds with."""
    suffix = parse_timestamps(list(prepared.timestamps)).suffix
    return format_timestamps(calendar_of(prepared).future(horizon), suffix)


def assert_continues(index: pd.Index) -> Prepared:
    """Check that the service continues the start of an index with its end."""
    past, future = index[:-HORIZON], index[-HORIZON:]
    prepared = prepare(series_on(past))
    labels = prepared.index(future_of(prepared, HORIZON))
    pd.testing.assert_index_equal(labels, future, exact=True)
    pd.testing.assert_index_equal(prepared.index(prepared.timestamps), past, exact=True)
    return prepared


@pytest.mark.parametrize(("alias", "frequency", "step"), FREQUENCIES)
@few_examples
@given(start=STARTS, unit=st.sampled_from(["s", "us", "ns"]))
def test_the_detected_frequency_is_that_of_the_service(
    alias: str, frequency: str, step: int, start: dt.datetime, unit: str
) -> None:
    index = pd.date_range(start, periods=36 + HORIZON, freq=alias, unit=unit)
    index.freq = None
    prepared = assert_continues(index)
    assert (prepared.frequency, prepared.step) == (frequency, step)
    assert calendar_of(prepared).step == step
    assert prepared.notes == ()


@few_examples
@given(
    start=DAYS,
    grid=st.sampled_from(LOCAL),
    zone=st.sampled_from(ZONES),
    hour=st.sampled_from([0, 9]),
)
def test_local_days_stay_local_across_changes_of_clocks(
    start: dt.date, grid: tuple[str, str, int], zone: str, hour: int
) -> None:
    wall = pd.date_range(
        f"{start} {hour:02}:00", periods=400 if grid[0] == "D" else 66, freq=grid[0]
    )
    first = np.ones(len(wall), dtype=bool)
    index = wall.tz_localize(zone, ambiguous=first, nonexistent="shift_forward")
    index.freq = None
    # Without a usual midnight in its past, the local hour of a series cannot be known.
    assume((index[:-HORIZON].hour == hour).mean() > 0.8)
    prepared = assert_continues(index)
    assert (prepared.frequency, prepared.step) == grid[1:]
    assert len({timestamp[19:] for timestamp in prepared.timestamps}) == 1


@few_examples
@given(start=DAYS, grid=st.sampled_from(ELAPSED), zone=st.sampled_from(ZONES))
def test_hours_are_counted_by_elapsed_time(
    start: dt.date, grid: tuple[str, str, int], zone: str
) -> None:
    elapsed = pd.date_range(f"{start} 00:00", periods=96, freq=grid[0], tz="UTC")
    index = elapsed.tz_convert(zone)
    index.freq = None
    prepared = assert_continues(index)
    assert (prepared.frequency, prepared.step) == grid[1:]


@pytest.mark.parametrize("alias", PERIODS)
@few_examples
@given(start=DAYS)
def test_periods_come_back_as_periods(alias: str, start: dt.date) -> None:
    assert_continues(pd.period_range(start, periods=40 + HORIZON, freq=alias))


@pytest.mark.parametrize("start", ["0001-01", "9994-01"])
def test_the_ends_of_the_calendar_do_not_crash(start: str) -> None:
    assert_continues(pd.period_range(start, periods=12 + HORIZON, freq="M"))
    index = pd.date_range(f"{start}-01", periods=12 + HORIZON, freq="MS", unit="s")
    index.freq = None
    months = assert_continues(index)
    assert months.timestamps[0] == f"{start}-01T00:00:00"


def test_pytz_and_fixed_offsets_are_zones_too() -> None:
    wall = pd.date_range("2018-09-01", periods=90 + HORIZON, freq="D")  # no midnight on 4 November
    for zone in (pytz.timezone("America/Sao_Paulo"), pytz.FixedOffset(330), dt.UTC):
        index = wall.tz_localize(zone, nonexistent="shift_forward")
        index.freq = None
        assert_continues(index)


def test_twelve_hours_by_the_wall_clock_are_regular_though_clocks_change() -> None:
    wall = pd.date_range("2024-03-20", periods=60, freq="12h")
    prepared = prepare(series_on(wall.tz_localize("Europe/Berlin")))
    assert (prepared.frequency, prepared.step) == ("Hours", 12)
    assert calendar_of(prepared).step == 12


@pytest.mark.parametrize(
    ("times", "frequency", "message"),
    [
        (pd.date_range("2024-01-01", periods=20, freq="MS"), "Daily", r"1 month apart.*Monthly"),
        (pd.date_range("2024-01-01", periods=20, freq="h"), "Daily", r"1 hour apart.*Hours"),
        (pd.date_range("2024-01-01", periods=20, freq="D"), "dayly", "frequency: unknown 'dayly'"),
    ],
)
def test_another_frequency_is_rejected_with_the_right_one(
    times: pd.DatetimeIndex, frequency: str, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        prepare(series_on(times), frequency=frequency)


def test_rare_points_of_a_named_frequency_leave_gaps() -> None:
    days = pd.date_range("2024-01-01", periods=40, freq="D")
    sales = series_on(days[np.isin(days.day_of_week, [0, 2, 4])])
    with pytest.raises(DataError, match="irregular spacing"):
        prepare(sales)
    filled = prepare(sales, frequency="daily", fill="zero")
    # Business days, for no point is on a weekend.
    assert (filled.frequency, filled.step, len(filled.values)) == ("Daily", 1, 30)


def test_irregular_times_are_named_where_they_begin() -> None:
    times = [*pd.date_range("2024-01-01", periods=15, freq="D"), pd.Timestamp("2024-01-15 03:37")]
    with pytest.raises(DataError, match=r"1 day apart, but 2024-01-15 03:37:00 comes 3:37:00"):
        prepare((times, range(16)))
