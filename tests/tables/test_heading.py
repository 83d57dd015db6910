"""Where the names of columns are read from."""

import pytest

from tests.tables.tables import read_text


@pytest.mark.parametrize(
    ("header", "expected"), [(",sales", ["sales"]), (",gdp,cpi", ["gdp", "cpi"])]
)
def test_the_index_of_pandas_has_no_name_and_its_columns_keep_theirs(
    header: str, expected: list[str]
) -> None:
    rows = [f"2024-01-{day:02}" + f",{day}.5" * len(expected) for day in range(1, 20)]
    reading = read_text("\n".join([header, *rows]))
    assert [series.name for series in reading.series] == expected
