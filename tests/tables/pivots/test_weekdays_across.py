"""The days of a week across become days, in any language and whichever day labels the week."""

import datetime as dt

import pytest

from app.tables.pivots.weekdays_across import find_weekdays
from tests.tables.tables import notes_of, read_text, requirements

MONDAYS = [dt.date(2025, 1, 6) + dt.timedelta(7 * week) for week in range(8)]
ENGLISH = "Mon,Tue,Wed,Thu,Fri,Sat,Sun"


def weeks(header: str, labels: list[str], width: int = 7) -> list[str]:
    rows = [[str(10 * width * i + day) for day in range(width)] for i in range(len(labels))]
    return [header, *(",".join([label, *row]) for label, row in zip(labels, rows, strict=True))]


@pytest.mark.parametrize(
    ("header", "first"),
    [
        ("week mon tue wed thu fri sat sun", 0),
        ("week Sunday Monday Tuesday Wednesday Thursday Friday Saturday", 6),
        ("KW Mo Di Mi Do Fr Sa So", 0),
        ("semaine lun. mar. mer. jeu. ven. sam. dim.", 0),
        ("week M T W T F S S", 0),
        ("settimana lun mar mer gio ven", 0),
        ("tydzień pn. wt. śr. czw. pt.", 0),
    ],
)
def test_the_days_of_a_week_are_known(header: str, first: int) -> None:
    cells = header.split()
    assert find_weekdays(cells) == ([*range(1, len(cells))], first)


@pytest.mark.parametrize("header", ["week Mon Wed Fri Sun Tue", "week M T W T F", "mo tu we th"])
def test_unordered_weekday_columns_are_not_a_week(header: str) -> None:
    assert find_weekdays(header.split()) == ([], 0)


@pytest.mark.parametrize(
    ("header", "labels", "first"),
    [
        (f"Week of,{ENGLISH}", [f"{day}" for day in MONDAYS], "2025-01-06"),
        (f"W/E,{ENGLISH}", [f"{d + dt.timedelta(6):%d/%m/%Y}" for d in MONDAYS], "2025-01-06"),
        (f"Week,{ENGLISH}", [f"2025-W{week:02}" for week in range(2, 10)], "2025-01-06"),
        (
            "Week,Sun,Mon,Tue,Wed,Thu,Fri,Sat",
            [f"{day - dt.timedelta(1):%m/%d/%Y}" for day in MONDAYS],
            "2025-01-05",
        ),
    ],
)
def test_each_day_has_its_date(header: str, labels: list[str], first: str) -> None:
    reading = read_text(weeks(header, labels))
    [series] = reading.series
    assert not requirements(reading)
    assert series.timestamps[0] == f"{first}T00:00:00"
    assert series.values[:8] == [0, 1, 2, 3, 4, 5, 6, 70]
    assert f"begin on {first}." in notes_of(reading)


def test_weeks_of_five_days_lack_weekends() -> None:
    [series] = read_text(weeks("Week,Mo,Di,Mi,Do,Fr", [f"{day}" for day in MONDAYS], 5)).series
    assert series.values[:6] == [0, 1, 2, 3, 4, 50]
    assert series.timestamps[5] == "2025-01-13T00:00:00"


def test_weeks_without_a_year_ask_for_it_only() -> None:
    rows = weeks(f"KW,{ENGLISH}", [f"KW {week}" for week in range(2, 10)])
    assert requirements(read_text(rows)) == ["year"]
    assert read_text(rows, year=2025).series[0].timestamps[0] == "2025-01-06T00:00:00"


def test_days_of_the_week_by_month_stay_columns() -> None:
    rows = weeks(f"Month,{ENGLISH}", [f"2024-{month:02}" for month in range(1, 13)])
    assert len(read_text(rows).series) == 7
