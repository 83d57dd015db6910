"""Texts of untrusted tables in files that a spreadsheet opens."""

import pytest

from app.tables.forecasts.formulas import escape_formula


@pytest.mark.parametrize("start", [*"=+-@\t\r\n", *"\uff1d\uff0b\uff0d\uff20"])
def test_a_name_that_would_be_computed_is_written_as_text(start: str) -> None:
    assert escape_formula(f"{start}HYPERLINK()") == f"'{start}HYPERLINK()"
    assert escape_formula(f"a{start}b") == f"a{start}b"
