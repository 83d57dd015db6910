"""Records with a line for each field, as psql and MySQL print them."""

import pytest

from tests.tables.kinds.case import to_text
from tests.tables.tables import read_text, rejection_of

PSQL = "-[ RECORD {} ]--+-----"
MYSQL = "*************************** {}. row ***************************"


@pytest.mark.parametrize(
    ("beginning", "fields"),
    [
        (PSQL, ["day   | {}", "sales | {}", "note  | a: b"]),
        (MYSQL, ["  day: {}", "sales: {}", " note: a | b"]),
    ],
    ids=["psql", "MySQL"],
)
def test_each_record_is_a_row(beginning: str, fields: list[str]) -> None:
    day, sales, note = fields
    rows = [
        to_text(beginning.format(n), day.format(f"2024-01-{n:02}"), sales.format(10 * n), note)
        for n in range(1, 8)
    ]
    [series] = read_text("\n".join(rows)).series
    assert series.name == "sales"
    assert series.values == [10 * n for n in range(1, 8)]
    assert series.timestamps[0] == "2024-01-01T00:00:00"


def test_a_record_may_lack_a_field() -> None:
    rows = [to_text(PSQL.format(n), f"day | 2024-01-{n:02}", f"a | {n}") for n in range(1, 9)]
    rows[3] = to_text(PSQL.format(4), "day | 2024-01-04")
    [series] = read_text("\n".join(rows)).series
    assert series.missing == ["2024-01-04T00:00:00"]


def test_records_of_too_many_names_are_rejected() -> None:
    rows = [to_text(PSQL.format(n), *(f"n{n}_{i} | 1" for i in range(3_000))) for n in (1, 2)]
    assert "the table has 6,000 columns" in rejection_of("\n".join(rows).encode()).issue


@pytest.mark.parametrize(
    ("beginning", "field"), [(PSQL, "{} | {}"), (MYSQL, "{}: {}")], ids=["psql", "MySQL"]
)
def test_fields_of_one_name_are_columns_of_their_own(beginning: str, field: str) -> None:
    rows = [
        to_text(
            beginning.format(n),
            field.format("day", f"2024-01-{n:02}"),
            field.format("sales", n),
            field.format("sales", 100 + n),
        )
        for n in range(1, 8)
    ]
    series = read_text("\n".join(rows)).series
    assert {s.name: s.values for s in series} == {
        "sales": [*range(1, 8)],
        "sales (column 3)": [*range(101, 108)],
    }


@pytest.mark.parametrize(
    "note",
    [
        "x\n-[ RECORD 1 ]-\ny | z",
        "x\n*** 1. row ***\ny: z",
        "x\n{|\n|-\n| a || b\n|-\n| 1 || 2\n|}",
    ],
    ids=["psql", "MySQL", "MediaWiki"],
)
def test_cells_with_other_tables_are_notes_of_their_rows(note: str) -> None:
    rows = [f'2024-{n:02}-01,{n},"{note if n > 10 else ""}"' for n in range(1, 13)]
    [series] = read_text(to_text("day,sales,note", rows)).series
    assert series.values == [*range(1, 13)]


def test_records_below_a_query_with_quotation_marks_are_read() -> None:
    rows = [to_text(PSQL.format(n), f"day | 2024-01-{n:02}", f"a | {n}") for n in range(1, 9)]
    [series] = read_text(to_text('SELECT "day", a', 'FROM "t";', rows)).series
    assert series.values == [*range(1, 9)]


def test_the_second_line_of_a_value_is_no_field() -> None:
    rows = [
        to_text(PSQL.format(n), f"day | 2024-01-{n:02}", f"a | {n}", "note | x +", "     | 7")
        for n in range(1, 9)
    ]
    [series] = read_text("\n".join(rows)).series
    assert series.values == [*range(1, 9)]
