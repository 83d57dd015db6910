"""Offsets, time zones, and the hours that a local clock shows twice or never."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from app.tables.answers import Duplicates, Fill, Layout, PeriodAggregation
from app.tables.reading import Reading
from tests.tables.tables import notes_of, read_text, requirements

BERLIN = ZoneInfo("Europe/Berlin")
SPRING, AUTUMN = datetime(2024, 3, 30, 20), datetime(2024, 10, 26, 20)
LOCAL = "%Y-%m-%d %H:%M"


def hours(start: datetime, count: int, form: str) -> list[str]:
    """Return local times of Berlin, an hour of elapsed time apart."""
    moments = (start.astimezone(UTC) + timedelta(hours=i) for i in range(count))
    return [moment.astimezone(BERLIN).strftime(form) for moment in moments]


def read_dates(dates: list[str], **answers: object) -> Reading:
    return read_text([f"{date};{i}" for i, date in enumerate(dates)], **answers)


@pytest.mark.parametrize("start", [SPRING, AUTUMN], ids=["spring", "autumn"])
@pytest.mark.parametrize("is_reversed", [False, True], ids=["oldest first", "newest first"])
def test_hours_of_a_zone_are_regular_in_utc(start: datetime, is_reversed: bool) -> None:
    dates = hours(start.replace(tzinfo=BERLIN), 12, LOCAL)
    reading = read_dates(dates[::-1] if is_reversed else dates, timezone="Europe/Berlin")
    [series] = reading.series
    assert (series.data_frequency, series.missing, len(series.values)) == ("Hours", [], 12)
    assert series.timestamps[0] == start.replace(tzinfo=BERLIN).astimezone(UTC).strftime(
        "%Y-%m-%dT%H:%M:%SZ"
    )
    assert series.values == [*range(12)][:: -1 if is_reversed else 1]


def test_days_of_a_zone_are_counted_by_its_calendar() -> None:
    offsets = [datetime(2024, 3, 28, tzinfo=BERLIN) + timedelta(days=i) for i in range(8)]
    dates = [moment.strftime("%Y-%m-%dT%H:%M:%S%z") for moment in offsets]
    assert {date[-4:] for date in dates} == {"0100", "0200"}
    [series] = read_dates(dates).series
    assert (series.data_frequency, series.timestamps[-1]) == ("Daily", "2024-04-04T00:00:00")
    in_utc = [moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") for moment in offsets]
    [series] = read_dates(in_utc, timezone="Europe/Berlin").series
    assert (series.data_frequency, series.timestamps[-1]) == ("Daily", "2024-04-04T00:00:00")


def test_hours_whose_offsets_differ_become_utc() -> None:
    dates = hours(SPRING.replace(tzinfo=BERLIN), 12, "%Y-%m-%dT%H:%M:%S%z")
    reading = read_dates(dates)
    [series] = reading.series
    assert (series.data_frequency, series.missing, series.timestamps[0]) == (
        "Hours",
        [],
        "2024-03-30T19:00:00Z",
    )
    assert "The offsets differ; brought to UTC." in notes_of(reading)


def test_times_of_which_some_have_an_offset_need_a_zone() -> None:
    dates = ["2024-01-01T00:00:00", "2024-01-01T01:00:00+01:00", "2024-01-01T02:00:00+01:00"]
    assert requirements(read_dates(dates)) == ["timezone"]
    [series] = read_dates(dates, timezone="Europe/Berlin").series
    assert series.timestamps == [
        "2023-12-31T23:00:00Z",
        "2024-01-01T00:00:00Z",
        "2024-01-01T01:00:00Z",
    ]


def test_an_hour_that_comes_twice_opens_a_question_with_the_zones_that_fit() -> None:
    dates = hours(AUTUMN.replace(tzinfo=BERLIN), 12, LOCAL)
    reading = read_dates(dates)
    assert requirements(reading) == ["timezone"]
    assert [question.parameter for question in reading.questions] == ["timezone"]
    assert requirements(read_dates(dates, timezone="Europe/Berlin")) == []
    assert requirements(read_dates(dates, duplicates=Duplicates.MEAN)) == []
    meters = [f"{date},{name},{n}" for name in "ab" for n, date in enumerate(dates)]
    assert requirements(read_text(meters, layout=Layout.LONG)) == ["timezone"]
    assert "The clock goes back: it shows the hour from 2024-10-27 02:00 twice" in notes_of(reading)
    [zones] = [question for question in reading.questions if question.parameter == "timezone"]
    names = {choice.value for choice in zones.choices}
    assert "Europe/Berlin" in names
    assert names.isdisjoint({"Europe/Paris", "America/New_York", "Europe/London", "Asia/Tokyo"})


@pytest.mark.parametrize("is_reversed", [False, True], ids=["oldest first", "newest first"])
def test_quarters_of_an_hour_that_comes_twice_are_in_order(*, is_reversed: bool) -> None:
    start = AUTUMN.replace(tzinfo=BERLIN).astimezone(UTC)
    moments = [start + timedelta(minutes=15 * i) for i in range(48)]
    dates = [moment.astimezone(BERLIN).strftime(LOCAL) for moment in moments]
    reading = read_dates(dates[::-1] if is_reversed else dates)
    assert [remark.code for remark in reading.remarks] == ["reversed"] * is_reversed
    mixed = [*dates[20:], *dates[:20]]
    assert "The rows were not in order" in notes_of(read_dates(mixed))


def test_a_repeated_hour_on_another_day_is_a_repeated_date() -> None:
    dates = [f"2024-04-28 0{hour}:00" for hour in (0, 1, 2, 2, 3, 4)]  # a Sunday
    daily = [f"2024-10-{day}" for day in (24, 25, 26, 27, 27, 28, 29)]
    for reading in (read_dates(dates), read_dates(daily)):
        assert [question.parameter for question in reading.questions] == ["duplicates"]
        assert "The same date again: " in notes_of(reading)


def test_several_values_of_many_dates_are_named_once_and_counted() -> None:
    text = "\n".join(f"2024-01-0{day},{n}" for day in (1, 2) for n in range(1, 6))
    [question] = [q for q in read_text(text).questions if q.parameter == "duplicates"]
    assert question.choices[0].example == "1 and 2 and 3 and 2 more become 15"


def test_an_hour_that_the_clock_skips_is_filled_by_itself() -> None:
    dates = hours(SPRING.replace(tzinfo=BERLIN), 12, LOCAL)
    reading = read_dates(dates)
    [series] = reading.series
    assert (len(series.values), series.missing) == (13, [])
    assert series.values[5:9] == [5, 5.5, 6, 7]
    assert "2024-03-31 02:00 does not exist, and is filled in." in notes_of(reading)


def test_only_the_skipped_hour_is_filled_without_an_answer() -> None:
    dates = hours(SPRING.replace(tzinfo=BERLIN), 24, LOCAL)
    del dates[20]
    reading = read_dates(dates)
    [series] = reading.series
    assert series.missing == ["2024-03-31T17:00:00"]
    assert len(series.values) == 24
    assert [question.parameter for question in reading.questions] == ["timezone", "fill"]
    [filled] = read_dates(dates, fill=Fill.PREVIOUS).series
    assert (len(filled.values), filled.missing) == (25, series.missing)


def test_a_time_that_does_not_exist_in_the_zone_is_left_out() -> None:
    dates = [f"2024-03-31 0{hour}:00" for hour in range(6)]
    reading = read_dates(dates, timezone="Europe/Berlin")
    assert "Left out line 3: the clock in Europe/Berlin skips that time." in notes_of(reading)
    [series] = reading.series
    assert (len(series.values), series.data_frequency) == (5, "Hours")


@pytest.mark.parametrize(
    ("how", "value"), [(Duplicates.SUM, 7), (Duplicates.MEAN, 3.5), (Duplicates.LAST, 5)]
)
def test_several_values_of_a_date_become_what_is_chosen(how: Duplicates, value: float) -> None:
    text = "2024-01-01,1\n2024-01-02,2\n2024-01-02,5\n2024-01-03,4"
    reading = read_text(text)
    assert requirements(reading) == ["duplicates"]
    [question] = reading.questions
    examples = {choice.value: choice.example for choice in question.choices}
    assert examples[how] == f"2 and 5 become {value}"
    [series] = read_text(text, duplicates=how).series
    assert series.values == [1, value, 4]


def test_values_of_a_day_are_combined_by_the_local_day() -> None:
    """Half past eleven in the evening in UTC is the next day in Berlin."""
    times = [f"2024-01-{day:02d}T{hour}:30:00Z" for day in range(1, 15) for hour in ("08", "23")]
    [series] = read_dates(times, timezone="Europe/Berlin", per=PeriodAggregation.DAY_TOTAL).series
    assert series.timestamps[:2] == ["2024-01-01T00:00:00", "2024-01-02T00:00:00"]
    assert series.timestamps[-1] == "2024-01-15T00:00:00"
    assert series.values[1] == 1 + 2  # of 23:30 the day before, and of 08:30


def hours_without(*gone: str) -> list[str]:
    """Return hours of four weeks from 2026-09-07 and of one from 2027-03-26, without some."""
    parts = ((datetime(2026, 9, 7), 672), (datetime(2027, 3, 26), 168))
    start, count = parts[gone[0] > "2027"]
    every = (f"{start + timedelta(hours=i):{LOCAL}}" for i in range(count))
    return [hour for hour in every if hour not in gone]


@pytest.mark.parametrize(
    "gone",
    [
        ["2026-09-13 03:00"],
        ["2026-09-20 02:00"],
        ["2026-09-27 00:00", "2026-10-04 01:00"],
        ["2027-03-28 04:00"],
    ],
)
def test_a_gap_early_on_a_sunday_opens_a_question_where_no_clock_changes(gone: list[str]) -> None:
    reading = read_dates(hours_without(*gone))
    assert "The clock goes forward" not in notes_of(reading)
    assert f"Missing: {gone[0].removesuffix(' 00:00')}" in notes_of(reading)


@pytest.mark.parametrize("gone", ["2026-10-04 02:00", "2027-03-28 01:00", "2027-03-28 02:00"])
def test_an_hour_that_the_clock_of_a_zone_skips_is_filled(gone: str) -> None:
    reading = read_dates(hours_without(gone))
    assert f"The clock goes forward: {gone} does not exist" in notes_of(reading)
    assert reading.series[0].missing == []


def test_an_hour_that_the_table_has_is_not_skipped_by_the_clock() -> None:
    rows = [f"{date};{i}" for i, date in enumerate(hours_without("2027-03-29 24:00"))]
    rows[rows.index("2027-03-28 02:00;50")] = "2027-03-28 02:00;-"
    assert "The clock goes forward" not in notes_of(read_text(rows))


@pytest.mark.parametrize("name", ["PDT", "CEST", "(MESZ)", "GMT+1"])
def test_the_name_of_a_zone_behind_a_time_is_left_out_and_said(name: str) -> None:
    reading = read_dates([f"Aug {day}, 2026 8:58:59 AM {name}" for day in range(1, 21)])
    [series] = reading.series
    assert (series.data_frequency, series.timestamps[0]) == ("Daily", "2026-08-01T08:58:59")
    assert f"“{name}” is left out" in notes_of(reading)
    assert reading.notation.date_form.pattern.endswith("{half:1}M")
