"""Dates as people write them: read as they were meant, or asked about.

The frequency that is found is one that the service accepts, and the entries that are missing are
those that the service misses.
"""

import datetime as dt
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.tables.answers import DateOrder, Fill, TableBounds
from app.tables.dates.month_names import month_of
from app.tables.errors import WrongAnswerError
from app.tables.reading import Reading
from app.timeseries.calendar.fit import fit_calendar
from app.timeseries.calendar.frequency import Frequency
from tests.tables.kinds import case
from tests.tables.tables import BOUNDS, notes_of, read_text, rejection_of, requirements
from tests.timeseries.calendar.calendars import (
    business_days,
    defects,
    month_ticks,
    omit,
    ticks,
    times,
)

REGULAR = {
    "seconds": (Frequency.SECONDS, ticks(timedelta(seconds=1), 12)),
    "ten seconds": (Frequency.SECONDS, ticks(timedelta(seconds=10), 12)),
    "five minutes": (Frequency.MINUTES, ticks(timedelta(minutes=5), 12)),
    "hours": (Frequency.HOURS, ticks(timedelta(hours=1), 30)),
    "two hours": (Frequency.HOURS, ticks(timedelta(hours=2), 30)),
    "days": (Frequency.DAILY, ticks(timedelta(days=1), 40)),
    "two days": (Frequency.DAILY, ticks(timedelta(days=2), 40)),
    "business days": (Frequency.DAILY, business_days(40)),
    "weeks": (Frequency.WEEKLY, ticks(timedelta(days=7), 20)),
    "month starts": (Frequency.MONTHLY, month_ticks(1, 30, "2023-01-01T00:00:00")),
    "month ends": (Frequency.MONTHLY, month_ticks(1, 30, "2023-01-31T00:00:00", 31)),
    "the 30th": (Frequency.MONTHLY, month_ticks(1, 30, "2023-01-30T00:00:00", 30)),
    "two months": (Frequency.MONTHLY, month_ticks(2, 12, "2023-01-01T00:00:00")),
    "quarters": (Frequency.QUARTERLY, month_ticks(3, 12, "2020-01-01T00:00:00")),
    "quarter ends": (Frequency.QUARTERLY, month_ticks(3, 12, "2020-03-31T00:00:00", 31)),
    "years": (Frequency.YEARLY, month_ticks(12, 12, "1990-07-01T00:00:00")),
    "29 February": (Frequency.YEARLY, month_ticks(12, 12, "2000-02-29T00:00:00", 29)),
    "the first century": (Frequency.YEARLY, month_ticks(12, 12, "0090-01-01T00:00:00")),
}
# Each moment, and all the ways in which it may be written.
FORMS = {
    "2024-03-05T00:00:00": "2024-03-05|2024/3/5|20240305|05.03.2024|05.03.24|5 March 2024"
    "|Mar 5, 2024|05-Mar-2024|05-Mar-24|5. März 2024|5 de marzo de 2024",
    "2024-03-05T06:07:00": "2024-03-05 06:07|5.3.2024 06:07",
    "2024-03-05T06:07:08": "2024-03-05T06:07:08|2024-03-05 06:07:08.000000",
    "2024-03-05T06:07:08Z": "2024-03-05T06:07:08Z|2024-03-05 06:07:08 UTC|1709618828|1709618828000",
    "2024-03-05T06:07:08+05:30": "2024-03-05T06:07:08+0530",
    "2024-03-05T06:07:08-08:00": "2024-03-05T06:07:08-08",
    "2024-03-25T00:00:00": "03/25/2024|25/03/2024|25-03-2024",
    "2024-03-25T00:30:00": "3/25/2024 12:30 AM",
    "2024-03-25T06:07:00": "25/3/2024 06:07",
    "2024-03-25T13:30:00": "3/25/2024 1:30 pm",
    "1968-03-25T00:00:00": "3/25/68",
    "2024-03-01T00:00:00": "2024-03|03/2024|Mar 2024|Mar-24|Mär 2024|mars 2024",
    "1969-03-01T00:00:00": "Mar '69",
    "2024-07-01T00:00:00": "2024-Q3|2024Q3|Q3 2024",
    "2024-01-01T00:00:00": "2024-W01|2024",
    "2024-12-01T00:00:00": "Dez. 2024|déc. 2024|dic 2024",
    "2020-08-01T00:00:00": "août 2020",
}
WRITTEN = [(moment, form) for moment, forms in FORMS.items() for form in forms.split("|")]
STYLES = {
    "%Y-%m-%d": DateOrder.MONTH,
    "%d.%m.%Y": DateOrder.MONTH,
    "%d/%m/%Y": DateOrder.DAY,
    "%m/%d/%Y": DateOrder.MONTH,
    "%d %B %Y": DateOrder.MONTH,
    "%b %d, %Y": DateOrder.MONTH,
    "%Y%m%d": DateOrder.MONTH,
    "%d-%b-%y": DateOrder.MONTH,
    "%m/%d/%Y %I:%M %p": DateOrder.MONTH,
}
LEVANTINE = [
    "كانون الثاني", "شباط", "آذار", "نيسان", "أيار", "حزيران",
    "تموز", "آب", "أيلول", "تشرين الأول", "تشرين الثاني", "كانون الأول",
]  # fmt: skip


def table(dates: list[str], separator: str = ";") -> str:
    """Return a column of dates beside a column of numbers."""
    return "\n".join(f"{date}{separator}{index + 1}" for index, date in enumerate(dates))


def dates_of(reading: Reading) -> list[str]:
    return list(reading.series[0].timestamps)


@pytest.mark.parametrize(("frequency", "dates"), REGULAR.values(), ids=REGULAR)
def test_the_frequency_found_is_one_that_the_service_accepts(
    frequency: Frequency, dates: list[str]
) -> None:
    [series] = read_text(table(dates)).series
    assert series.timestamps == dates
    assert (series.data_frequency, series.missing) == (frequency, [])
    assert fit_calendar(times(dates), frequency).step == series.step


@pytest.mark.parametrize(
    "name", ["five minutes", "hours", "days", "business days", "month ends", "quarters"]
)
def test_the_missing_entries_are_those_that_the_service_names(name: str) -> None:
    frequency, dates = REGULAR[name]
    holed = omit(dates, 4, 8, 9)
    [series] = read_text(table(holed)).series
    assert series.missing == [dates[4], dates[8], dates[9]]
    for date, issue in zip([dates[4], dates[8]], defects(holed, frequency).values(), strict=True):
        assert date in issue
    [filled] = read_text(table(holed), fill=Fill.LINEAR).series
    assert (filled.timestamps, filled.missing) == (dates, series.missing)
    assert filled.values[7:11] == pytest.approx([7, 22 / 3, 23 / 3, 8])


@pytest.mark.parametrize(("moment", "written"), WRITTEN)
def test_dates_are_read_as_they_were_meant(moment: str, written: str) -> None:
    assert dates_of(read_text(f"date;value\n{written};5"))[0] == moment


@pytest.mark.parametrize(
    "written",
    [
        *("2024-02-30", "2024-13-01", "30.02.2024", "2024-W54", "31.04.2024", "2024-Q5"),
        *("32/01/2024", "soon", "2024-01-01 25:00", "2024-01-01T00:00:00+25:00"),
    ],
)
def test_a_row_without_a_date_is_left_out_and_named(written: str) -> None:
    days = ["2024-01-01", written, "2024-01-03", "2024-01-04", "2024-01-05"]
    reading = read_text(table(days))
    assert reading.series[0].values == [1, 3, 4, 5]
    assert f"Left out line 2: “{written}” is not a date." in notes_of(reading)


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_months_have_names_in_four_languages(language: str) -> None:
    names = {
        "en": "January February March April May June July August September October November "
        "December",
        "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre "
        "décembre",
        "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
        "diciembre",
    }[language].split()
    assert [month_of(name) for name in names] == list(range(1, 13))
    assert [month_of(name[:4]) for name in names] == list(range(1, 13))
    assert month_of("jui") is None


def test_a_day_that_may_be_a_month_opens_a_question() -> None:
    reading = read_text("03/04/2024;1\n04/04/2024;2")
    assert requirements(reading) == ["date_order"]
    assert {choice.value: choice.example for choice in reading.questions[0].choices} == {
        "day-first": "03/04/2024 is 2024-04-03",
        "month-first": "03/04/2024 is 2024-03-04",
    }
    [series] = read_text("03/04/2024;1\n04/04/2024;2", date_order=DateOrder.DAY).series
    assert series.timestamps == ["2024-04-03T00:00:00", "2024-04-04T00:00:00"]


@pytest.mark.parametrize(
    ("last", "first"), [("13/2/2024", "2024-02-01T00:00:00"), ("2/13/2024", "2024-01-02T00:00:00")]
)
def test_day_and_month_are_distinguished_by_any_row_that_shows_it(last: str, first: str) -> None:
    reading = read_text(f"1/2/2024,1\n1/3/2024,2\n{last},3")
    assert requirements(reading) == []
    assert dates_of(reading)[0] == first


def test_dates_in_both_orders_are_rejected_with_an_example_of_each() -> None:
    forms = ["%m/%d/%Y", "%d/%m/%Y"]
    rows = [f"{day:{forms[n % 2]}},{n}" for n, day in enumerate(case.days("2024-01-01", 40))]
    rejection = rejection_of(case.to_text("date,sales", rows).encode())
    assert rejection.row == 15
    assert str(rejection).startswith(
        "line 15 has “14/01/2024”, with the day first, and line 14 “01/13/2024”, with the month"
    )


def test_the_order_in_which_dates_are_regular_is_proposed() -> None:
    months = [f"01/{month:02d}/{year},1" for year in (2023, 2024) for month in range(1, 13)]
    reading = read_text(months)
    [series] = reading.series
    assert (series.data_frequency, series.missing, requirements(reading)) == ("Monthly", [], [])
    changed = read_text(months, date_order=DateOrder.MONTH)
    assert dates_of(changed)[1] == "2023-01-02T00:00:00"


def test_two_columns_of_dates_open_a_question() -> None:
    text = "ordered,shipped,sales\n2024-01-01,2024-01-09,1\n2024-01-02,2024-01-11,2"
    reading = read_text(text)
    assert requirements(reading) == ["dates"]
    assert [choice.value for choice in reading.questions[0].choices] == ["ordered", "shipped"]
    assert dates_of(read_text(text, dates="shipped"))[0] == "2024-01-09T00:00:00"
    called = read_text(text.replace("ordered", "Date"))
    assert (requirements(called), called.chosen.dates) == ([], "Date")


@pytest.mark.parametrize(("second", "asked"), [("Available On (UTC)", []), ("Shipped", ["dates"])])
def test_dates_of_creation_are_chosen_before_dates_of_availability(
    second: str, asked: list[str]
) -> None:
    rows = [f"2024-01-{day:02},2024-02-{day:02},{day}" for day in range(1, 29)]
    reading = read_text([f"Created (UTC),{second},Net", *rows])
    assert requirements(reading) == asked
    assert reading.asks("dates")


def test_the_newest_row_may_come_first() -> None:
    days = REGULAR["days"][1][:12]
    reading = read_text(table(days[::-1]))
    assert (dates_of(reading), reading.remarks[0].code) == (days, "reversed")
    assert read_text(table([days[1], days[0], *days[2:]])).remarks[0].code == "sorted"


def test_most_dates_may_be_missing_where_the_step_is_named() -> None:
    days = [f"2024-01-{day:02d}" for day in (1, 2, 5, 13, 14, 27)]
    assert read_text(table(days)).series[0].data_frequency is None
    answers = {"data_frequency": Frequency.DAILY, "fill": Fill.ZERO}
    [series] = read_text(table(days), **answers).series
    assert (len(series.values), sum(series.values), series.step) == (27, 21, 1)


@pytest.mark.parametrize(
    ("seconds", "line"),
    [((0, 7, 11, 13, 29, 31, 60, 64), 2), ((0, 9, 10, 30, 31, 70, 80), 2), ((3, 4, 5, 9, 20), 4)],
)
def test_irregular_dates_name_the_first_that_breaks_the_step(
    seconds: tuple[int, ...], line: int
) -> None:
    reading = read_text([f"2024-01-01 10:0{n // 60}:{n % 60:02};{n}" for n in seconds])
    [remark] = reading.remarks
    assert (remark.code, remark.rows) == ("irregular", [line])


def test_a_step_that_the_dates_do_not_have_is_rejected() -> None:
    weeks = table(ticks(timedelta(weeks=1), 6))
    with pytest.raises(WrongAnswerError, match="the dates are 1 week apart; leave it out"):
        read_text(weeks, data_frequency=Frequency.DAILY)
    assert len(read_text(weeks, data_frequency=Frequency.WEEKLY).series[0].values) == 6


def test_a_gap_of_ten_years_of_seconds_is_counted_quickly() -> None:
    text = table([*ticks(timedelta(seconds=1), 99), "2034-01-01T00:00:00"])
    reading = read_text(text, replace(BOUNDS, today=dt.date.max))
    assert len(reading.series[0].missing) == 1000
    assert "315,619,101 values from 2024-01-01 00:01:39 on. Too many to be filled." in notes_of(
        reading
    )


@pytest.mark.parametrize("form", STYLES)
@settings(max_examples=20, deadline=None)
@given(
    start=st.datetimes(datetime(1945, 1, 1), datetime(2044, 1, 1)).map(
        lambda time: time.replace(hour=0, minute=0, second=0, microsecond=0)
    ),
    step=st.sampled_from([1, 7]),
)
def test_dates_of_every_form_are_read_as_they_were_written(
    form: str, start: datetime, step: int
) -> None:
    days = [start + timedelta(days=step * i) for i in range(40)]
    text = table([day.strftime(form) for day in days])
    reading = read_text(text, replace(BOUNDS, today=dt.date.max), date_order=STYLES[form])
    assert dates_of(reading) == [day.isoformat() for day in days]


@pytest.mark.parametrize("start", [dt.date(1, 1, 1), dt.date(9999, 4, 1)])
def test_a_fiscal_year_may_begin_in_any_year(start: dt.date) -> None:
    rows = [f"FY{2020 + i // 4} Q{i % 4 + 1},{i}" for i in range(12)]
    [series] = read_text(["quarter,n", *rows], start=start).series
    assert series.timestamps[0] == f"{start}T00:00:00"
    assert len(series.values) == (12 if start.year == 1 else 3)


def test_months_of_two_words_are_read_below_years() -> None:
    rows = [f"{name},{i},{i + 12}" for i, name in enumerate(LEVANTINE, 1)]
    [series] = read_text("\n".join(["الشهر,2022,2023", *rows, "المجموع,78,222"])).series
    assert series.values == [*range(1, 25)]
    assert series.timestamps[0] == "2022-01-01T00:00:00"


def test_indonesian_days_of_the_week_are_read() -> None:
    days = ["Senin", "Selasa", "Rabu", "Kamis", "Jumat", "Sabtu", "Minggu"]
    rows = [f'"{days[i % 7]}, {i + 1} Januari 2024",{i}' for i in range(31)]
    [series] = read_text("\n".join(["Tanggal,Jumlah", *rows])).series
    assert series.timestamps[-1] == "2024-01-31T00:00:00"


@pytest.mark.parametrize("mark", [" - ", " to ", ",", "~"])
def test_a_range_of_days_begins_with_its_first(mark: str) -> None:
    weeks = [dt.date(2023, 1, 2) + dt.timedelta(weeks=week) for week in range(20)]
    lines = [f"{day}{mark}{day + dt.timedelta(6)}\t{day.day}" for day in weeks]
    [series] = read_text(["Date\tVisits", *lines]).series
    assert series.data_frequency == "Weekly"
    assert series.timestamps[0].startswith("2023-01-02")
    assert len(series.values) == 20


@pytest.mark.parametrize("form", ['"{0};{1:02}"', "{0}-{1:02}", "{0}-{1}", "{0}/{1}"])
@pytest.mark.parametrize("name", ['"Jaar;Week"', "Jaar-Week"])
def test_years_and_weeks_in_one_column_are_weeks(form: str, name: str) -> None:
    weeks = [(2023, week) for week in range(1, 53)] + [(2024, week) for week in range(1, 11)]
    rows = [f"{form.format(*week)},{n}" for n, week in enumerate(weeks)]
    [series] = read_text([f"{name},Omzet", *rows]).series
    assert (series.data_frequency, series.missing, len(series.values)) == ("Weekly", [], 62)
    assert (series.timestamps[0], series.timestamps[-1]) == (
        "2023-01-02T00:00:00",
        "2024-03-04T00:00:00",
    )


def test_years_and_months_in_one_quoted_cell_are_months() -> None:
    rows = [f'"2023;{month:02}",{month}' for month in range(1, 13)]
    [series] = read_text(['"Jaar;Maand",Omzet', *rows]).series
    assert (series.data_frequency, series.timestamps[-1]) == ("Monthly", "2023-12-01T00:00:00")


def test_an_ambiguous_order_of_day_and_month_is_the_only_question_about_dates() -> None:
    for days in ((1, 2, 6, 7, 9), (1, 2, 3, 5, 6, 7)):
        dates = [f"0{day}/0{month}/2024" for month in (1, 2) for day in days]
        reading = read_text(table(dates))
        assert [question.parameter for question in reading.questions] == ["date_order"]
        assert reading.remarks == []
        assert requirements(read_text(table(dates), date_order=DateOrder.DAY)) == []
    assert "fill" in [
        q.parameter for q in read_text(table(dates), date_order="day-first").questions
    ]


def test_days_of_one_year_in_two_digits_are_not_those_of_many_years() -> None:
    days = [dt.date(2024, 1, 2) + dt.timedelta(i + i // 5 * 2) for i in range(150)]
    [series] = read_text(
        ["Date;Crédit", *[f"{day:%d/%m/%y};{100 + i}" for i, day in enumerate(days)]]
    ).series
    assert (series.timestamps[0], series.timestamps[-1][:4]) == ("2024-01-02T00:00:00", "2024")
    months = [
        f"{year:02}/{month:02}/01,{year + month}" for year in range(5, 24) for month in range(1, 13)
    ]
    [series] = read_text(["Month,Sales", *months]).series
    assert series.timestamps[-1] == "2023-12-01T00:00:00"


@pytest.mark.parametrize(
    ("first", "last"), [(1949, 1960), (1958, 2024), (1990, 2040), (2025, 2034)]
)
def test_years_of_two_digits_follow_each_other_and_are_no_plan_for_2058(
    first: int, last: int
) -> None:
    dates = [dt.date(year, month, 1) for year in range(first, last + 1) for month in range(1, 13)]
    bounds = TableBounds(dates[-1])
    [series] = read_text([f"{date:%b-%y};{n}" for n, date in enumerate(dates)], bounds).series
    assert [stamp[:7] for stamp in series.timestamps] == [f"{date:%Y-%m}" for date in dates]


@pytest.mark.parametrize("mark", ["*", " (e)"])
def test_a_mark_after_a_year_does_not_matter(mark: str) -> None:
    rows = [f"{year}{mark if year > 2017 else ''};{year - 1900}" for year in range(2000, 2020)]
    assert len(read_text(rows).series[0].values) == len(rows)


def test_a_russian_word_for_the_year_may_be_after_a_day() -> None:
    rows = [f"01.{month:02}.2024 г.,{month}" for month in range(1, 13)]
    assert dates_of(read_text(rows))[-1] == "2024-12-01T00:00:00"


def test_a_plan_of_the_next_decades_is_not_of_the_last_century() -> None:
    bounds = TableBounds(dt.date(2040, 1, 1))
    rows = [f"31/12/{year};{year * 7}" for year in range(31, 40)]
    assert dates_of(read_text(rows, bounds))[0] == "2031-12-31T00:00:00"


def test_dates_below_those_of_today_follow_them_however_far_apart() -> None:
    rows = [f"15.{month:02}.{year};{month}" for year in (20, 50) for month in range(1, 7)]
    stamps = dates_of(read_text(rows, TableBounds(dt.date(2051, 1, 1))))
    assert (stamps[0][:4], stamps[-1][:4]) == ("2020", "2050")


def test_a_date_that_is_taken_for_one_of_the_last_century_is_reported() -> None:
    rows = [f"01.{month:02}.{year};{month}" for year in (58, 59) for month in range(1, 13)]
    assert "“01.01.58” is read as a date of 1958." in notes_of(read_text(rows))


@pytest.mark.parametrize("unit", ["p", "F"])
def test_values_with_one_letter_are_no_years(unit: str) -> None:
    rows = [f"2024-01-{day:02},{1900 + day * day}{unit},{day}" for day in range(1, 13)]
    series = read_text(["Date,Furnace,Other", *rows]).series
    assert series[0].values == [1900 + day * day for day in range(1, 13)]
