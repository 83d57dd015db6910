"""Triangles before numbers are minus signs where they are written so, and arrows elsewhere."""

import pytest

from tests.tables.kinds.case import months, to_text
from tests.tables.tables import notes_of, read_bytes, read_text, workbook

VALUES = [1_250.0, -310.0, 1_480.0, -95.0, 1_320.0, 1_610.0, -205.0, 1_400.0, 1_375.0, 1_290.0]
SINCE = months(2024, 1, 10)


def written_number(value: float, sign: str) -> str:
    return f'"{sign if value < 0 else ""}{abs(value):,.0f}"'


def table(name: str, sign: str) -> str:
    rows = [f"{day:%Y-%m},{written_number(v, sign)}" for day, v in zip(SINCE, VALUES, strict=True)]
    return to_text(f"月,{name}", rows)


@pytest.mark.parametrize("sign", ["△", "▲", "△ ", "▲ "])
def test_a_triangle_before_a_number_is_a_minus_in_japan(sign: str) -> None:
    [series] = read_text(table("営業利益", sign)).series
    assert series.values == VALUES


def test_a_black_triangle_read_as_minus_is_reported() -> None:
    assert "▲ before numbers is read as minus." in notes_of(read_text(table("営業利益", "▲")))


def test_black_triangles_of_a_workbook_are_minus_signs() -> None:
    rows = [
        ["月", "利益"],
        *(
            [f"{d:%Y-%m}", written_number(v, "▲").strip('"')]
            for d, v in zip(SINCE, VALUES, strict=True)
        ),
    ]
    [series] = read_bytes(workbook({"a": rows})).series
    assert series.values == VALUES


def test_up_and_down_arrows_are_not_signs() -> None:
    rows = [f"{day:%Y-%m},{100 + i},{'▲▼'[i % 2]} {i}%" for i, day in enumerate(SINCE)]
    reading = read_text(to_text("月,売上,前年比", rows))
    assert [series.values for series in reading.series] == [[100.0 + i for i in range(10)]]


def test_an_up_arrow_in_a_western_table_is_not_a_minus_sign() -> None:
    rows = [f"{day:%Y-%m},{100 + i},▲ {i + 1}%" for i, day in enumerate(SINCE)]
    reading = read_text(to_text("month,sales,change", rows))
    assert min(value for series in reading.series for value in series.values) > 0
