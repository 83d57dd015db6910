"""With fill=zero, columns side by side end on the same date, as far as one of them has values."""

import datetime as dt

from app.tables.answers import Fill
from tests.tables.kinds.case import days, to_text
from tests.tables.tables import read_text

DAYS = days("2025-01-01", 40)


def table(second: list[int | str], extra: int = 0) -> str:
    """Return a table of two columns, with some dates without values behind it."""
    rows = [f"{d:%d.%m.%Y};{n + 50};{v}" for n, (d, v) in enumerate(zip(DAYS, second, strict=True))]
    return to_text("Datum;A;B", rows, [f"{d:%d.%m.%Y};;" for d in days("2025-02-10", extra)])


def values(text: str, fill: Fill = Fill.ZERO) -> list[list[float | None]]:
    return [[*series.values] for series in read_text(text, fill=fill).series]


def test_a_few_empty_cells_at_the_ends_of_a_column_are_zeros() -> None:
    full, other = values(table(["", "", *range(20, 54), "", "", "", ""]))
    assert len(full) == len(other) == 40
    assert (other[:3], other[-5:]) == ([0, 0, 20], [53, 0, 0, 0, 0])


def test_a_column_with_runs_of_empty_cells_has_them_at_its_ends() -> None:
    sparse = [n if n % 8 == 1 else "" for n in range(40)]
    _, other = values(table(sparse))
    assert other == [n or 0 for n in sparse]


def test_a_column_that_has_ended_or_begins_later_gets_no_zeros_there() -> None:
    ended, started = [*range(30, 50), *[""] * 20], [*[""] * 20, *range(30, 50)]
    for cells in (ended, started):
        assert values(table(cells))[1] == [*range(30, 50)]


def test_dates_without_any_value_are_not_zeros() -> None:
    full, other = values(table([*range(20, 40), "", *range(41, 59), ""], extra=3))
    assert (len(full), len(other), other[-2:]) == (40, 40, [58, 0])


def test_a_column_without_values_until_a_day_is_left_out() -> None:
    text = table([*[""] * 30, *range(30, 40)])
    until = dt.date(2025, 1, 25)
    [series] = read_text(text, fill=Fill.ZERO, until=until).series
    assert (series.name, len(series.values)) == ("A", 25)


def test_linear_fill_does_not_extend_a_series() -> None:
    _, other = values(table(["", *range(20, 59)]), Fill.LINEAR)
    assert other == [*range(20, 59)]
