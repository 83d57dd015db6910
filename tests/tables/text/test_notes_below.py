"""Notes below a table, with a date among them, do not decide how dates are returned."""

import pytest

from tests.tables.tables import read_text

YEARS = [f"{year},{year % 7}.5" for year in range(2005, 2022)]
QUARTERS = [f"{year}Q{q},{year % 7 + q}" for year in range(2010, 2015) for q in (1, 2, 3, 4)]


@pytest.mark.parametrize(
    ("rows", "note", "pattern"),
    [
        (YEARS, "Stand: April 2025,", "{year:4}"),
        (QUARTERS, "21 April 2022", "{year:4}Q{quarter:1}"),
        (QUARTERS, "21 April 2022,\nNext release 21 July 2022,", "{year:4}Q{quarter:1}"),
        ([*YEARS, "2022-01-01,3.5"], "", "{year:4}-{month:2}-{day:2}"),
        (YEARS, "2022,", "{year:4}"),
    ],
)
def test_dates_are_written_like_those_beside_values(
    rows: list[str], note: str, pattern: str
) -> None:
    style = read_text(["Period,Value", *rows, note]).notation.date_form
    assert style is not None
    assert style.pattern == pattern
