"""Names in the column of the dates, each above its own, are series."""

from tests.tables.kinds.case import level, lines, months
from tests.tables.tables import read_text, required, words

SINCE = months(2023, 1, 14)
ITEMS = {"Apples": level(14, 100, 0), "Pears": level(14, 70, 0), "Plums": level(14, 300, 0)}


def compact(subtotals: bool = True, total: bool = True) -> list[str]:
    """The rows of a compact pivot table."""
    rows = []
    for name, values in ITEMS.items():
        rows.append(f"{name},{sum(values):.0f}" if subtotals else f"{name},")
        rows += [f"{day:%b %Y},{value:.0f}" for day, value in zip(SINCE, values, strict=True)]
    return [*rows, f"Grand Total,{sum(map(sum, ITEMS.values())):.0f}"] if total else rows


def test_items_above_their_months_are_series_without_their_subtotals() -> None:
    for rows in (compact(), compact(subtotals=False), compact(total=False)):
        for above in ([], ["Sales of fruit,", ""], ["Filter:,all shops", ""]):
            reading = read_text(lines(above, "Row Labels,Sum of Sales", rows))
            assert required(reading) == []
            assert {series.name: [*series.values] for series in reading.series} == ITEMS
            assert "Names above their dates are series: “Apples”, “Pears”" in words(reading)
            assert reading.chosen.names == "Row Labels"
            again = read_text(lines(above, "Row Labels,Sum of Sales", rows), header=len(above) + 1)
            assert [series.name for series in again.series] == [*ITEMS]


def test_rows_between_header_and_first_name_are_left_out() -> None:
    reading = read_text(lines("Item,Sales", "By month,", compact()))
    assert [series.name for series in reading.series] == [*ITEMS]


def test_titles_of_parts_with_other_dates_are_no_names() -> None:
    rows = compact()[1:13]
    later = [f"{day:%b %Y},5" for day in months(2024, 1, 12)]
    [series] = read_text(lines("month,sales", "First,", rows, "Second,", later)).series
    assert len(series.values) == 24


def test_a_header_that_pages_repeat_is_no_name() -> None:
    rows = compact()[1:15]
    reading = read_text(lines("month,sales", rows, "month,sales", rows))
    assert "Names above" not in words(reading)
