"""Weeks down and years across are one weekly series."""

import pytest

from tests.tables.kinds.case import lines
from tests.tables.tables import read_text

YEARS = range(2019, 2023)


def weeks_down(header: str, weeks: int = 52) -> str:
    rows = [
        ",".join([str(week), *(str(100 * (year - 2018) + week) for year in YEARS)])
        for week in range(1, weeks + 1)
    ]
    rows.append(",".join(["53", "", "253", "", ""]) if weeks == 52 else "")
    return lines(f"{header}," + ",".join(map(str, YEARS)), rows, "Total,1,2,3,4")


@pytest.mark.parametrize("header", ["Week", "KW", "Kalenderwoche", "Semana epidemiológica", "週"])
def test_weeks_down_and_years_across_are_one_series(header: str) -> None:
    [series] = read_text(weeks_down(header)).series
    assert series.data_frequency == "Weekly"
    assert series.missing == []
    assert series.timestamps[0].startswith("2018-12-31")  # the first week of 2019 by ISO 8601
    assert len(series.values) == 4 * 52 + 1
    assert series.values[:2] == [101, 102]
    assert 253 in series.values


@pytest.mark.parametrize("header", ["No", "Shop", "Product"])
def test_numbers_of_other_things_are_names(header: str) -> None:
    reading = read_text(weeks_down(header))
    assert len(reading.series) > 50


def test_a_few_weeks_are_not_taken_for_those_of_a_year() -> None:
    reading = read_text(weeks_down("Week", 12))
    assert all(series.data_frequency != "Weekly" for series in reading.series)
