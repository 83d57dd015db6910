"""Hidden rows and columns are read like the others, and named."""

from xml.sax.saxutils import quoteattr

import pytest

from app.tables.reading import Reading
from tests.tables.hostile_spreadsheets import spreadsheet_of
from tests.tables.hostile_workbooks import MAIN
from tests.tables.tables import read_bytes, workbook

SHEET = "xl/worksheets/sheet1.xml"


def sheet(hidden_rows: range, columns: str) -> bytes:
    """Return a sheet of twelve days with two columns of values."""
    rows = "".join(
        f'<row r="{n}"{" hidden=" + chr(34) + "1" + chr(34) if n in hidden_rows else ""}>'
        f'<c r="A{n}" t="inlineStr"><is><t>2024-01-{n:02}</t></is></c>'
        f'<c r="B{n}"><v>{n}</v></c><c r="C{n}"><v>{2 * n}</v></c></row>'
        for n in range(1, 13)
    )
    body = (
        f'<worksheet xmlns="{MAIN}"><cols>{columns}</cols><sheetData>{rows}</sheetData></worksheet>'
    )
    return workbook({"a": [["x"]]}, **{SHEET: body.encode()})


def remarks(reading: Reading) -> list[str]:
    return [remark.remark for remark in reading.remarks if remark.code == "hidden_cells"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (sheet(range(3, 6), ""), "rows 3 to 5."),
        (sheet(range(0), '<col min="3" max="3" hidden="1"/>'), "column C."),
        (sheet(range(4, 5), '<col min="2" max="16384" hidden="true"/>'), "row 4; columns B to C."),
    ],
)
def test_hidden_rows_and_columns_of_a_sheet_are_named(content: bytes, expected: str) -> None:
    reading = read_bytes(content)
    assert [len(series.values) for series in reading.series] == [12, 12]
    assert remarks(reading) == [f"Hidden in the workbook, and read like the others: {expected}"]


def test_a_sheet_that_hides_only_what_is_empty_reports_nothing() -> None:
    content = sheet(range(0), '<col min="4" max="9" hidden="1"/><col min="1" max="1" hidden="0"/>')
    assert remarks(read_bytes(content)) == []


def test_hidden_rows_of_another_sheet_are_not_named() -> None:
    rows = [["date", "value"], *([f"2024-01-{day:02}", day] for day in range(1, 13))]
    hidden = (
        f'<worksheet xmlns="{MAIN}"><sheetData><row r="1" hidden="1"><c r="A1"><v>1</v></c></row>'
    )
    other = f"{hidden}</sheetData></worksheet>".encode()
    content = workbook({"a": rows, "b": []}, **{"xl/worksheets/sheet2.xml": other})
    assert remarks(read_bytes(content, sheet="a")) == []


def test_a_million_overlapping_columns_take_no_memory() -> None:
    columns = '<col min="1" max="16384" hidden="1"/>' * 100_000
    reading = read_bytes(sheet(range(0), columns))
    assert remarks(reading) == ["Hidden in the workbook, and read like the others: columns A to C."]


def test_hidden_rows_and_columns_of_an_opendocument_spreadsheet_are_named() -> None:
    columns = '<table:table-column/><table:table-column table:visibility="collapse"/>'
    rows = "".join(
        f"<table:table-row{' table:visibility=' + quoteattr('filter') if day == 2 else ''}>"
        f'<table:table-cell office:value-type="date" office:date-value="2024-01-{day:02}"/>'
        '<table:table-cell office:value-type="float" office:value="5"><text:p>5</text:p>'
        "</table:table-cell></table:table-row>"
        for day in range(1, 13)
    )
    reading = read_bytes(spreadsheet_of(columns + rows))
    assert remarks(reading) == [
        "Hidden in the workbook, and read like the others: row 2; column B."
    ]
