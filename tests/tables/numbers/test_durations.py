"""Durations are read in hours however written, and no column with digits is dropped silently."""

from collections.abc import Callable

import pytest

from app.tables.numbers.durations import has_several_units, parse_hours
from tests.tables.kinds.case import days, to_text
from tests.tables.tables import notes_of, read_text

DAYS = days("2026-01-01", 60)
SECONDS = [120 + i * 7 % 90 for i in range(60)]


@pytest.mark.parametrize(
    ("cell", "seconds"),
    [
        ("2 min 50s", 170),
        ("2m 50s", 170),
        ("2m50s", 170),
        ("1h 05m", 3900),
        ("1h05", 3900),
        ("1 Std. 5 Min.", 3900),
        ("1 hora 5 minutos", 3900),
        ("2 ч 5 мин", 7500),
        ("1時間5分", 3900),
        ("2 hours, 5 minutes", 7500),
        ("PT2M50S", 170),
        ("3 days 02:10:00", 267_000),
        ("-2m 5s", -125),
        ("0 days 00:00:01.500000", 1.5),
    ],
)
def test_a_duration_of_several_units_is_one(cell: str, seconds: float) -> None:
    hours = parse_hours(cell)
    assert hours is not None
    assert round(hours * 3600, 6) == seconds
    assert has_several_units(cell)


@pytest.mark.parametrize(
    ("cell", "seconds"), [("00:00:01.25", 1.25), ("-0:00:00,9", -0.9), ("0:01:01.500000", 61.5)]
)
def test_fractions_of_a_second_count(cell: str, seconds: float) -> None:
    assert parse_hours(cell) == pytest.approx(seconds / 3600)


@pytest.mark.parametrize("cell", ["", "P", "12", "5 m 3 m", "1h 99x", "2 min 50 sold", "m" * 50])
def test_a_cell_that_is_not_a_duration_is_missing(cell: str) -> None:
    assert parse_hours(cell) is None
    assert not has_several_units(cell)


def read_column(write: Callable[[int], str], name: str = "visit") -> tuple[list[float], str]:
    rows = [f"{day};{s // 7};{write(s)}" for day, s in zip(DAYS, SECONDS, strict=True)]
    reading = read_text(to_text(f"date;visits;{name}", rows))
    return [
        value for series in reading.series if series.name == name for value in series.values
    ], notes_of(reading)


@pytest.mark.parametrize(
    "write",
    [
        lambda s: f"{s // 60} min {s % 60}s",
        lambda s: f"{s // 60}m {s % 60:02}s",
        lambda s: f"{s // 60}m {s % 60}s" if s > 200 else f"{s}s",
        lambda s: f"{s // 60}m {s % 60}s" if s % 60 else f"{s // 60}m",
    ],
)
def test_a_column_of_durations_is_read_in_hours(write: Callable[[int], str]) -> None:
    values, _ = read_column(write)
    assert values == pytest.approx([s / 3600 for s in SECONDS])


@pytest.mark.parametrize(
    ("write", "first", "remark"),
    [
        (lambda h: f"{51 - h}:46", 51 / 60, "“1:05:28” is 1.091 and “51:46” is 0.8628"),
        (lambda h: f"0:{51 - h}:46", 51 / 60, "“1:05:28” is 1.091."),
        (lambda h: f"{h}:51:46", 51 / 60, "“1:05:28” is 1.091."),
        (lambda h: f"0:{h}5:46" if h % 2 else f"{h}:51", 51 / 60, "“1:05:28” is 1.091."),
    ],
)
def test_short_clocks_beside_long_ones_are_minutes_unless_others_have_no_hours(
    write: Callable[[int], str], first: float, remark: str
) -> None:
    rows = [f"{day},{write(i % 4 // 2) if i % 2 else '1:05:28'}" for i, day in enumerate(DAYS)]
    reading = read_text(to_text("date,duration", rows))
    assert reading.series[0].values[1] == pytest.approx(first, abs=0.02)
    assert f"In “duration”, durations are read as hours: {remark}" in notes_of(reading)


@pytest.mark.parametrize(
    "write",
    [
        lambda s: f"{s} (est.)",
        lambda s: f"{s} of 300",
        lambda s: f"approx. {s} pieces",
        lambda s: f"about {s} per visitor",
    ],
)
def test_a_column_with_digits_is_not_dropped_silently(write: Callable[[int], str]) -> None:
    values, message = read_column(write)
    assert not values
    assert f"Not read: “visit”; “{write(120)}” is not a number." in message


def test_a_column_of_times_of_day_is_not_dropped_silently() -> None:
    rows = [f"{day};{i % 7 + 3};08:{i % 60:02};17:{i % 50:02}" for i, day in enumerate(DAYS)]
    reading = read_text(to_text("date;visits;opened;closed", rows))
    assert [series.name for series in reading.series] == ["visits"]
    assert "Not read: “closed”; “17:00” may be a time of day" in notes_of(reading)
    reading = read_text(to_text("date;visits;opened;duration of sales", rows))
    assert [series.name for series in reading.series] == ["visits", "duration of sales"]


@pytest.mark.parametrize("name", ["Uhrzeit", "Uhrzeit (MEZ)", "Buchungszeit", "Startzeit"])
def test_times_of_day_are_not_added_up_as_hours(name: str) -> None:
    rows = [f"{day};{7 + i % 15:02}:{10 + i % 40}:59;{i % 9}" for i, day in enumerate(DAYS)]
    reading = read_text(to_text(f"Datum;{name};Brutto", rows))
    assert [series.name for series in reading.series] == ["Brutto"]


def test_a_time_of_day_in_another_column_is_not_a_series() -> None:
    rows = [f"{day};{8 + i % 9}:{i * 7 % 60:02}:11;{10 + i % 7}" for i, day in enumerate(DAYS)]
    booked = [f"{day};{row}" for day, row in zip(DAYS, rows, strict=True)]
    for time, columns in (
        ("Abschlusszeit", ["Betrag"]),
        ("Arbeitszeit", ["Arbeitszeit", "Betrag"]),
    ):
        reading = read_text(to_text(f"Buchungsdatum;Abschlussdatum;{time};Betrag", booked))
        assert reading.chosen.columns == columns
        assert ("may be a time of day" in notes_of(reading)) == (time == "Abschlusszeit")


@pytest.mark.parametrize("cell", ["PT1H", "PT15M", "60 min"])
def test_a_duration_equal_in_each_row_is_not_a_series(cell: str) -> None:
    rows = [f"{day};{cell};{10 + i % 7}" for i, day in enumerate(DAYS)]
    reading = read_text(to_text("day;Resolution;load", rows))
    assert reading.chosen.columns == ["load"]
    assert "“Resolution” is the same in each row" in notes_of(reading)
    changed = [*rows[:-1], rows[-1].replace(cell, "PT2H")]
    assert read_text(to_text("day;Resolution;load", changed)).chosen.columns == [
        "Resolution",
        "load",
    ]
