"""The XML of a workbook is bounded before calamine parses it, and rejections name the place."""

import pytest

from app.tables.reading import Suggestion
from app.tables.workbooks import bounded_xml
from app.tables.workbooks.workbook import MAX_SHEETS
from tests.tables.hostile_workbooks import MAIN, SALES, SHEET
from tests.tables.tables import read_bytes, rejection_of, workbook

TEXT = "x" * (bounded_xml.MAX_CELL_LENGTH + 1)
ATTRIBUTES = "".join(f' a{n}=""' for n in range(bounded_xml.MAX_ATTRIBUTES + 1))


def sheet(cells: str, doctype: str = "", **parts: bytes) -> bytes:
    body = f'{doctype}<worksheet xmlns="{MAIN}"><sheetData>{cells}</sheetData></worksheet>'
    return workbook({"a": SALES}, **{SHEET: body.encode()}, **parts)


def strings(*texts: str) -> dict[str, bytes]:
    table = "".join(f"<si><t>{text}</t></si>" for text in texts)
    return {"xl/sharedStrings.xml": f'<sst xmlns="{MAIN}">{table}</sst>'.encode()}


@pytest.mark.parametrize(
    ("content", "issue"),
    [
        (sheet(f"<c{ATTRIBUTES}/>"), "65 attributes in a tag"),
        (
            sheet("<c" + ' r="A1"' * 20_000),
            "part xl/worksheets/sheet1.xml of the workbook is broken (",
        ),
        (sheet("<a>" * 65 + "</a>" * 65), "elements 64 deep"),
        (sheet("", '<!DOCTYPE x [<!ENTITY a "b">]>'), "a document type"),
        (sheet("<!--" + " " * 400_000 + "-->"), "more than 262,144 bytes without a tag"),
        (sheet("".join(f"<a{n}/>" for n in range(20_000))), "more than 2,000 names"),
        (sheet('<row><c r="ABCD1"><v>1</v></c></row>'), "a cell at “ABCD1”"),
        (sheet('<row r="x"><c><v>1</v></c></row>'), "a row or column “x”"),
        (sheet(f'<c r="C5" t="str"><v>{TEXT}</v></c>'), "cell C5 has 32,768 characters"),
        (sheet(f'<c t="inlineStr"><is><t>{TEXT}</t></is></c>'), "a cell of row 1 has 32,768"),
        (sheet("", **strings(TEXT)), "a shared string has 32,768 characters"),
        (
            sheet('<c t="s"><v>1</v></c>' * 500, **strings("x", TEXT[1:])),
            "the cells of the workbook have 16,383,500 characters: send at most 16,000,000",
        ),
        (
            sheet("", **strings("x"), **{"xl/a.xml": b"<sst><si><t>y</t></si></sst>"}),
            "shared strings, and so has another part",
        ),
        (sheet('<c t="str"><v>0<c t="s"><v>0</v></c></v></c>'), "a cell inside a string"),
        (sheet('<c t="str"><v>0<is><t>1</t></is></v></c>'), "a string inside another one"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_workbook_above_a_bound_is_rejected_by_its_name(content: bytes, issue: str) -> None:
    assert issue in rejection_of(content).issue


def test_a_cell_too_far_to_the_right_is_rejected_by_its_place() -> None:
    rejection = rejection_of(sheet('<row r="3"><c r="ALL3"><v>1</v></c></row>'))
    assert "cell ALL3 is in column 1,000" not in rejection.issue  # 1,000 columns are read
    rejection = rejection_of(sheet('<row r="3"><c r="XFD3"><v>1</v></c></row>'))
    assert "cell XFD3 is in column 16,384" in rejection.issue
    assert (rejection.row, rejection.column) == (3, 16_384)


def test_many_cells_may_refer_to_a_short_string() -> None:
    rows = "".join(
        f'<row><c s="1"><v>{43_000 + n}</v></c><c t="s"><v>0</v></c><c><v>{n}</v></c></row>'
        for n in range(2_000)
    )
    [series] = read_bytes(sheet(rows, **strings("note", TEXT[1:])), columns=("Column 3",)).series
    assert len(series.values) == 2_000


@pytest.mark.parametrize("encoding", ["utf-16", "cp037"])
def test_xml_is_parsed_in_the_encoding_in_which_it_was_checked(
    encoding: str,
) -> None:
    far = '<c r="XFD1048576"><v>1</v></c>'
    body = f'<?xml version="1.0" encoding="{encoding}"?><worksheet>{far}</worksheet>'
    book = workbook({"a": SALES}, **{SHEET: body.encode(encoding)})
    assert ("null bytes" if encoding == "utf-16" else "broken") in rejection_of(book).issue


def test_only_the_first_sheets_and_the_named_one_are_searched() -> None:
    book = workbook({f"s{n}": SALES for n in range(MAX_SHEETS + 5)})
    reading = read_bytes(book)
    [remark] = reading.remarks
    assert remark.code == "sheets"
    assert remark.suggestion == Suggestion("sheet", None, "For another, send its name.")
    assert len(reading.questions[0].choices) == MAX_SHEETS
    last = read_bytes(book, sheet=f"s{MAX_SHEETS + 4}")
    assert last.series[0].values == [1, 2]
