"""How the playground reads pasted text: its modules, run in a real browser.

What it finds is held to the service's own calendar: the frequency that the page proposes is one
that the service accepts, and the entries that the page misses are those that the service misses.
"""

from datetime import timedelta

import pytest
from playwright.sync_api import Page

from app.forecasting.calendar.fit import fit_calendar
from app.forecasting.calendar.frequency import Frequency
from tests.forecasting.calendar.calendars import (
    business_days,
    defects,
    every,
    every_month,
    times,
    without,
)
from tests.pages.reading import FOLDER, UNIT_TABLE

pytestmark = pytest.mark.services

# The best of two: the first compiles the modules.
TIMED = """async ([folder, rows, units]) => {
    const {readSeries} = await import(`${folder}/reading.js`);
    const dateOf = (i) => new Date(1.6e12 + i * 3.6e6).toISOString().slice(0, 16).replace('T', ' ');
    const text = Array.from({length: rows}, (_, i) => `${dateOf(i)};${i % 97},5 €`).join('\\n');
    const timed = () => {
        const started = performance.now();
        const {points, dropped} = readSeries(text, units, {maxPoints: 50_000});
        return {points: points.length, dropped, milliseconds: performance.now() - started};
    };
    return [timed(), timed()].toSorted((a, b) => a.milliseconds - b.milliseconds)[0];
}"""


def table(dates: list[str], separator: str = ",") -> str:
    """A column of dates beside a column of numbers."""
    return "\n".join(f"{date}{separator}{index + 1}" for index, date in enumerate(dates))


REGULAR = {
    "seconds": (Frequency.SECONDS, every(timedelta(seconds=1), 12)),
    "ten seconds": (Frequency.SECONDS, every(timedelta(seconds=10), 12)),
    "five minutes": (Frequency.MINUTES, every(timedelta(minutes=5), 12)),
    "hours": (Frequency.HOURS, every(timedelta(hours=1), 30)),
    "two hours": (Frequency.HOURS, every(timedelta(hours=2), 30)),
    "days": (Frequency.DAILY, every(timedelta(days=1), 40)),
    "two days": (Frequency.DAILY, every(timedelta(days=2), 40)),
    "business days": (Frequency.DAILY, business_days(40)),
    "weeks": (Frequency.WEEKLY, every(timedelta(days=7), 20)),
    "month starts": (Frequency.MONTHLY, every_month(1, 30, "2023-01-01T00:00:00")),
    "month ends": (Frequency.MONTHLY, every_month(1, 30, "2023-01-31T00:00:00", 31)),
    "the 30th": (Frequency.MONTHLY, every_month(1, 30, "2023-01-30T00:00:00", 30)),
    "two months": (Frequency.MONTHLY, every_month(2, 12, "2023-01-01T00:00:00")),
    "quarters": (Frequency.QUARTERLY, every_month(3, 12, "2020-01-01T00:00:00")),
    "quarter ends": (Frequency.QUARTERLY, every_month(3, 12, "2020-03-31T00:00:00", 31)),
    "years": (Frequency.YEARLY, every_month(12, 12, "1990-07-01T00:00:00")),
    "29 February": (Frequency.YEARLY, every_month(12, 12, "2000-02-29T00:00:00", 29)),
    "the first century": (Frequency.YEARLY, every_month(12, 12, "0090-01-01T00:00:00")),
}


@pytest.mark.parametrize(("frequency", "dates"), REGULAR.values(), ids=REGULAR)
def test_the_frequency_found_is_one_that_the_service_accepts(read, frequency, dates) -> None:
    found = read(table(dates))
    assert found["dates"] == dates
    assert (found["frequency"], found["missing"], found["strays"]) == (frequency, 0, [])
    fit_calendar(times(dates), frequency)


@pytest.mark.parametrize(
    "name", ["five minutes", "hours", "days", "business days", "month ends", "quarters"]
)
def test_the_first_missing_entries_are_those_that_the_service_names(read, name) -> None:
    frequency, dates = REGULAR[name]
    holed = without(dates, 4, 8, 9)
    found = read(table(holed))
    assert (found["frequency"], found["missing"]) == (frequency, 3)
    assert found["firstMissing"] == [dates[4], dates[8]]
    issues = defects(holed, frequency).values()
    for date, issue in zip(found["firstMissing"], issues, strict=True):
        assert date in issue
    filled = read(table(holed), fill="linear")
    assert filled["dates"] == dates
    assert filled["values"][7:11] == pytest.approx([7, 22 / 3, 23 / 3, 8])
    assert filled["lines"][7:11] == [7, None, None, 8]


# Each moment, and all the ways in which it may be written.
FORMS = {
    "2024-03-05T00:00:00": "2024-03-05|2024/3/5|20240305|05.03.2024|05.03.24|5 March 2024"
    "|Mar 5, 2024|05-Mar-2024|05-Mar-24",
    "2024-03-05T06:07:00": "2024-03-05 06:07|5.3.2024 06:07",
    "2024-03-05T06:07:08": "2024-03-05T06:07:08|2024-03-05 06:07:08.000000",
    "2024-03-05T06:07:08Z": "2024-03-05T06:07:08Z|2024-03-05 06:07:08 UTC|1709618828|1709618828000",
    "2024-03-05T06:07:08+05:30": "2024-03-05T06:07:08+0530",
    "2024-03-05T06:07:08-08:00": "2024-03-05T06:07:08-08",
    "2024-03-25T00:00:00": "03/25/2024|25/03/2024|25-03-2024",
    "2024-03-25T00:30:00": "3/25/2024 12:30 AM",
    "2024-03-25T06:07:00": "25/3/24 06:07",
    "2024-03-25T13:30:00": "3/25/2024 1:30 pm",
    "2068-03-25T00:00:00": "3/25/68",
    "2024-03-01T00:00:00": "2024-03|03/2024|Mar 2024|Mar-24",
    "1969-03-01T00:00:00": "Mar '69",
    "2024-07-01T00:00:00": "2024-Q3|2024Q3|Q3 2024",
    "2024-01-01T00:00:00": "2024-W01|2024",
    "2025-12-29T00:00:00": "2026-W01",
}


@pytest.mark.parametrize(
    ("written", "meant"),
    [(written, meant) for meant, forms in FORMS.items() for written in forms.split("|")],
)
def test_a_date_is_read_in_every_common_form(read, written, meant) -> None:
    assert read(f'"{written}",1')["dates"] == [meant]


@pytest.mark.parametrize(
    "written",
    [
        *("2024-02-30", "2024-13-01", "31.04.24", "2024-W54", "31.04.2024", "2024-Q5"),
        *("32/01/2024", "soon", "2024-01-01 25:00"),
    ],
)
def test_what_is_no_date_is_left_out_and_named(read, written) -> None:
    found = read(f"2024-01-01,1\n{written},2\n2024-01-03,3\n2024-01-04,4\n2024-01-05,5")
    assert found["values"] == [1, 3, 4, 5]
    assert found["words"].startswith(f"Left out line 2: “{written}” is not a date.")


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " , "])
@pytest.mark.parametrize("header", ["", "date{}value\n", '"the, date"{}"the ""value"""\n'])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\n\n"])
def test_delimiters_headers_and_line_ends_are_found(read, separator, header, ending) -> None:
    dates = REGULAR["days"][1][:12]
    text = "\ufeff" + header.format(separator) + table(dates, separator) + "\n"
    found = read(text.replace("\n", ending))
    assert (found["dates"], found["values"]) == (dates, [*range(1, 13)])
    lines = [index + bool(header) for index in range(12)]
    assert found["lines"] == [2 * n + 1 if ending == "\n\n" else n + 1 for n in lines]


def test_rows_that_lack_something_are_named_with_their_lines(read) -> None:
    text = "day,n\n2024-01-01,1\n2024-01-02,\n,3\n2024-01-04,four\n2024-01-05,5\n2024-01-06,6"
    found = read(text + "\n2024-01-07,7")
    for sentence in ("line 4: no date.", "line 5: “four” is not a number.", "No value: line 3."):
        assert sentence in found["words"]
    assert (found["lines"], found["missing"]) == ([2, 6, 7, 8], 3)


def test_duplicates_and_strays_are_named(read) -> None:
    days = REGULAR["days"][1][:14]
    found = read(table([*days[:5], days[4], *days[5:]]))
    assert (found["repeats"]["lines"], found["missing"]) == ([[5, 6]], 0)
    stray = days[6].replace("T00", "T07")
    found = read(table([*days[:6], stray, *days[7:]]))
    assert found["strays"] == [6]


def test_the_newest_row_may_come_first(read) -> None:
    days = REGULAR["days"][1][:12]
    found = read(table(days[::-1]))
    assert (found["dates"], found["reordered"]) == (days, "reversed")
    assert found["lines"] == [*range(12, 0, -1)]
    assert read(table([days[1], days[0], *days[2:]]))["reordered"] == "sorted"


def test_day_and_month_are_told_apart_by_any_row_that_shows_it(read) -> None:
    found = read("1/2/2024,1\n2/2/2024,2\n13/2/2024,3")
    assert found["order"]["orders"] == ["day"]
    found = read("1/2/2024,1\n1/3/2024,2\n1/13/2024,3")
    assert found["order"]["orders"] == ["month"]


def test_where_no_row_shows_it_the_regular_reading_wins_and_can_be_changed(read) -> None:
    months = [f"01/{month:02d}/{year},1" for year in (2023, 2024) for month in range(1, 13)]
    found = read("\n".join(months))
    assert found["order"]["orders"] == ["day", "month"]
    assert (found["frequency"], found["missing"]) == ("Monthly", 0)
    changed = read("\n".join(months), order="month")
    assert changed["dates"][1] == "2023-01-02T00:00:00"


def test_offsets_that_differ_by_daylight_saving_become_utc(read) -> None:
    hours = [f"2024-03-31T0{hour}:00:00+01:00" for hour in (0, 1)]
    hours += [f"2024-03-31T0{hour}:00:00+02:00" for hour in (3, 4, 5)]
    found = read(table(hours))
    assert found["toUtc"]
    assert found["dates"][:2] == ["2024-03-30T23:00:00Z", "2024-03-31T00:00:00Z"]
    assert (found["frequency"], found["missing"]) == ("Hours", 0)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "No column of dates was found."),
        ("a,b\nc,d", "No column of dates was found."),
        ("1;2\n3;4\n5;6", "No column of dates was found."),
        ("2024-01-01\n2024-01-02", "No column of numbers was found beside the dates."),
    ],
)
def test_what_is_no_series_is_said_plainly(read, text, problem) -> None:
    assert read(text)["problem"].startswith(f"{problem} Paste a date and a number in each line")


def test_a_huge_hole_is_counted_at_once(read) -> None:
    dates = [*every(timedelta(seconds=1), 99), "2034-01-01T00:00:00"]
    found = read(table(dates))
    assert (len(found["dates"]), found["frequency"]) == (100, "Seconds")
    assert found["missing"] > 300_000_000


@pytest.mark.parametrize(("rows", "kept", "seconds"), [(20_000, 20_000, 1), (200_000, 50_000, 10)])
def test_long_pastes_are_read_in_time(scripts: Page, rows: int, kept: int, seconds: int) -> None:
    found = scripts.evaluate(TIMED, [FOLDER, rows, UNIT_TABLE])
    assert (found["points"], found["dropped"]) == (kept, rows - kept)
    assert found["milliseconds"] < 1000 * seconds
