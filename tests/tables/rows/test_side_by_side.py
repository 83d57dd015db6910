"""Blocks of the same columns with other dates are one table, with the same dates several series."""

from tests.tables.kinds.case import days, to_text
from tests.tables.tables import notes_of, read_text


def block(first: str, count: int, base: int) -> list[str]:
    return [f"{day},{base + i}" for i, day in enumerate(days(first, count))]


def join_blocks(*blocks: list[str]) -> list[str]:
    height = max(map(len, blocks))
    padded = [[*rows, *["," for _ in range(height - len(rows))]] for rows in blocks]
    return [",,".join(row) for row in zip(*padded, strict=True)]


MONTHS = [block("2023-01-01", 31, 100), block("2023-02-01", 28, 200), block("2023-03-01", 31, 300)]


def test_months_side_by_side_are_read_one_below_the_other() -> None:
    text = to_text(
        "Takings of the first quarter",
        "JANUARY,,,FEBRUARY,,,MARCH,",
        "Date,Sales,,Date,Sales,,Date,Sales",
        join_blocks(*MONTHS),
        "TOTAL,1,,TOTAL,2,,TOTAL,3",
    )
    reading = read_text(text)
    [series] = reading.series
    assert series.name == "Sales"
    assert [*series.values] == [*range(100, 131), *range(200, 228), *range(300, 331)]
    assert "3 tables side by side, each with Date, Sales" in notes_of(reading)


def test_columns_with_the_same_dates_are_not_stacked() -> None:
    north, south = block("2023-01-01", 31, 100), block("2023-01-01", 31, 500)
    reading = read_text(to_text("Date,Sales,,Date,Sales", join_blocks(north, south)))
    assert "side by side" not in notes_of(reading)
    assert len(reading.series) == 2


def test_blocks_with_other_names_are_not_stacked() -> None:
    reading = read_text(to_text("Date,Sales,,Date,Cost", join_blocks(*MONTHS[:2])))
    assert "side by side" not in notes_of(reading)


def test_names_that_repeat_in_one_row_of_text_are_not_blocks() -> None:
    rows = [f"{day},{i},up,{i},up" for i, day in enumerate(days("2023-01-01", 31))]
    reading = read_text(to_text("date,a,trend,b,trend", rows))
    assert [series.name for series in reading.series] == ["a", "b"]


def test_blocks_that_share_dates_keep_the_labels_above_them() -> None:
    north, south = block("2023-01-01", 31, 100), block("2023-01-01", 31, 500)
    text = to_text("North,,,South,", "Date,Sales,,Date,Sales", join_blocks(north, south))
    reading = read_text(text)
    assert [series.name for series in reading.series] == ["North", "South"]
    assert [reading.series[1].values[0], len(reading.series[1].values)] == [500, 31]


def test_values_of_a_second_block_keep_its_own_dates() -> None:
    north, south = block("2023-01-01", 31, 100), block("2023-01-06", 31, 500)
    reading = read_text(to_text("Date,Sales,,Date,Sales", join_blocks(north, south)))
    starts = {series.name: series.timestamps[0] for series in reading.series}
    assert starts == {"Table 1": "2023-01-01T00:00:00", "Table 2": "2023-01-06T00:00:00"}
