"""Words of an aligned print belong to the name that they are below, also behind empty cells."""

from typing import Any

import pytest

from app.tables.text.print_columns import place_words
from tests.tables.tables import notes_of, read_text

YEARS = """
     Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec
1949         132 129 121 135 148 148 136 119 104 118
1950 115 126 141 135 125 149 170 170 158 133 114 140
1951 145 150 178 163 172 178 199 199
"""
QUARTERS = """
     Qtr1 Qtr2 Qtr3 Qtr4
1960           0.95 0.85
1961 0.61 0.69 0.92 0.83
1962 0.72 0.77
"""
FRAME = """
            sales  cost
date
2024-01-01    1.0   2.0
2024-01-02    2.0   3.0
2024-01-03          5.0
2024-01-04   17.0   6.0
"""
LEFT_ALIGNED = """
date        sales  cost
2024-01-01  1.0    2.0
2024-01-02         3.0
2024-01-03  112.0
"""


def read_series(text: str) -> dict[str, tuple[str, str, list[Any]]]:
    reading = read_text(text.strip("\n"))
    return {s.name: (s.timestamps[0][:7], s.timestamps[-1][:7], s.values) for s in reading.series}


def test_a_first_year_that_begins_in_march_is_not_moved_to_january() -> None:
    [(first, last, values)] = read_series(YEARS).values()
    assert (first, last, len(values), values[0], values[-1]) == ("1949-03", "1951-08", 30, 132, 199)
    assert "begin" not in notes_of(read_text(YEARS))


def test_months_down_and_years_across_begin_in_march_too() -> None:
    rows = [f"{n:02};{n if n > 2 else ''};{n + 20}" for n in range(1, 13)]
    [(first, last, values)] = read_series("\n".join(["Month;2020;2021", *rows])).values()
    assert (first, last, values) == ("2020-03", "2021-12", [*range(3, 13), *range(21, 33)])


def test_quarters_as_r_writes_them_are_read() -> None:
    [(first, last, values)] = read_series(QUARTERS).values()
    assert (first, last) == ("1960-07", "1962-04")
    assert values == [0.95, 0.85, 0.61, 0.69, 0.92, 0.83, 0.72, 0.77]


def test_names_stay_over_their_columns_above_an_index_of_dates() -> None:
    series = read_series(FRAME)
    assert series["sales"][2] == [1, 2, 17]
    assert series["cost"][2] == [2, 3, 5, 6]


def test_columns_that_are_aligned_on_the_left_have_places_too() -> None:
    series = read_series(LEFT_ALIGNED)
    assert (series["sales"][2], series["cost"][2]) == ([1, 112], [2, 3])


def test_a_second_object_below_is_not_mixed_with_the_first() -> None:
    prints = (
        "> sales" + YEARS + "> visits" + YEARS.replace(" 1", " 7") + "> frequency(sales)\n[1] 12"
    )
    reading = read_text(prints)
    assert [(len(series.values), max(series.values)) for series in reading.series] == [(30, 199)]
    assert "Another table begins in line 7: only the first is read." in notes_of(reading)


@pytest.mark.parametrize(
    "lines",
    [
        ["date sales cost", "2024-01-01 1.0 2.0", "2024-01-02 5.0"],
        ["date  sales  cost", "2024-01-01  1  2", "2024-01-02  2"],
        ["", "2024-01-01 1.0 2.0"],
    ],
)
def test_without_alignment_nothing_is_moved(lines: list[str]) -> None:
    assert place_words(lines, [0, *[1] * (len(lines) - 1)]) == {}


def test_names_of_two_lines_stand_over_their_fields() -> None:
    days = [f"{day:02}/01/2024" for day in range(1, 26)]
    rows = [
        f"{day} {100 + i:>9} {i / 2:>9.2f} % {i % 3:>7} {2_000 + i:>12,}"
        for i, day in enumerate(days)
    ]
    head = [
        "Date            Total     Occ. %      No        Average",
        "                 Occ.               Show           Rate",
    ]
    reading = read_text([*head, "-" * 53, "History", *rows])
    names = [series.name for series in reading.series]
    assert names == ["Total Occ.", "Occ. %", "No Show", "Average Rate"]
    occupied, share, absent, rate = (series.values for series in reading.series)
    assert (occupied[0], share[4], absent[2], rate[24]) == (100, 2.0, 2, 2_024)
