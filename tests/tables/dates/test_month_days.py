"""Days of a month across, beside numbers of months: no day is read as a month."""

import calendar

import pytest

from tests.tables.tables import read_text, rejection_of, requirements

NAMES = ["D_{:02}", "{}", "Day {}", "Tag{}"]


def grid(name: str, years: tuple[int, ...], stations: str = "") -> list[str]:
    """Return rows of months, with the years if these are several; a value is 100 month + day."""
    rows = [
        f"{f'{station},' * bool(stations)}{f'{year},' * (len(years) > 1)}{month},"
        + ",".join(
            str(100 * month + day) if day <= calendar.monthrange(year, month)[1] else ""
            for day in range(1, 32)
        )
        for station in stations or "-"
        for year in years
        for month in range(1, 13)
    ]
    header = "Station," * bool(stations) + "Year," * (len(years) > 1) + "Month,"
    return [header + ",".join(name.format(day) for day in range(1, 32)), *rows]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("stations", ["", "AB"])
def test_days_across_are_dated_by_the_year_and_month_beside_them(name: str, stations: str) -> None:
    reading = read_text(grid(name, (2022, 2023), stations))
    assert requirements(reading) == []
    assert [series.name for series in reading.series] == [*(stations or ["value"])]
    for series in reading.series:
        assert (series.timestamps[0], len(series.values)) == ("2022-01-01T00:00:00", 730)
        assert series.values[-1] == 1231


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("stations", ["", "AB"])
def test_only_the_year_of_days_across_is_asked_without_one(name: str, stations: str) -> None:
    rows = grid(name, (2023,), stations)
    assert requirements(read_text(rows)) == ["year"]
    reading = read_text(rows, year=2023)
    assert requirements(reading) == []
    for series in reading.series:
        assert (series.timestamps[0], len(series.values)) == ("2023-01-01T00:00:00", 365)
        assert series.values[-1] == 1231


@pytest.mark.parametrize("stations", ["", "AB"])
@pytest.mark.parametrize("month", ["{n}", "{name}"])
def test_months_of_a_year_that_begins_in_april_stay_in_their_order(
    month: str, stations: str
) -> None:
    rows = [
        f"{f'{station},' * bool(stations)}{month.format(n=n, name=calendar.month_abbr[n])},"
        + ",".join(
            str(100 * n + day) if day <= calendar.monthrange(2023, n)[1] else ""
            for day in range(1, 32)
        )
        for station in stations or "-"
        for n in (4, 5, 6, 7, 8, 9, 10, 11, 12, 1, 2, 3)
    ]
    header = "Station," * bool(stations) + "Month," + ",".join(map(str, range(1, 32)))
    assert requirements(read_text([header, *rows])) == ["year"]
    reading = read_text([header, *rows], year=2022)
    assert len(reading.series) == max(len(stations), 1)
    for series in reading.series:
        assert (series.timestamps[0], series.values[0]) == ("2022-04-01T00:00:00", 401)
        assert (series.timestamps[-1], series.values[-1]) == ("2023-03-31T00:00:00", 331)


def test_names_of_months_beside_years_date_the_days_across() -> None:
    header, *rows = grid("{}", (2022, 2023))
    named_rows = [
        f"{year},{calendar.month_name[int(month)]},{values}"
        for year, month, values in (row.split(",", 2) for row in rows)
    ]
    assert read_text([header, *named_rows]).series == read_text([header, *rows]).series


def test_repeated_months_without_years_are_not_put_into_one_year() -> None:
    header, *rows = grid("D_{:02}", (2023,), "AB")
    assert (
        "no column of dates" in rejection_of("\n".join([header, *rows, *rows[::-1]]).encode()).issue
    )


def test_columns_that_are_not_days_stay_columns() -> None:
    rows = [f"{1990 + n // 12},{n % 12 + 1}" + f",{n}" * 31 for n in range(24)]
    header = "Year,Month," + ",".join(f"sensor {n}" for n in range(1, 32))
    assert len(read_text([header, *rows]).series) == 31
