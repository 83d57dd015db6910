"""OpenDocument spreadsheets that were made to be slow or large: repetitions, attributes, depth."""

import datetime as dt
import io
import zipfile
from collections.abc import Callable, Iterator
from functools import partial

from tests.tables.hostile_workbooks import DOCTYPES, LARGE, XML
from tests.tables.kinds.case import spreadsheet

Maker = Callable[[], bytes]
_TYPED = 'office:value-type="{}" office:{}="{}"'
CELL = (
    '<table:table-cell office:value-type="float" office:value="1"><text:p>1</text:p>'
    "</table:table-cell>"
)
NUMBER = ' office:value-type="float" office:value="1"'
COUNTS = ("0", "-1", "1e9", "99999999", "4294967296", "1" * 30, "9" * 100_000, "", "2.5", "١")


def spreadsheet_of(
    rows: str, mimetype: str = "spreadsheet", head: str = "", **parts: bytes
) -> bytes:
    """Return a spreadsheet with rows of XML; ``parts`` are further ones, by path."""
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(spreadsheet([["a"]]))) as file,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as changed,
    ):
        for name in file.namelist():
            text = file.read(name).decode()
            if name == "content.xml":
                start, end = text.index("<table:table-row>"), text.index("</table:table>")
                text = text[:start] + rows + text[end:]
                text = text.replace("?>", f"?>{head}", 1)
            if name == "mimetype":
                text = f"application/vnd.oasis.opendocument.{mimetype}"
            changed.writestr(name, parts.pop(name, text))
        for name, content in parts.items():
            changed.writestr(name, content)
    return packed.getvalue()


def row(cells: str, repeats: object = 1) -> str:
    return f'<table:table-row table:number-rows-repeated="{repeats}">{cells}</table:table-row>'


def repeat(count: object, value: str = "") -> str:
    return f'<table:table-cell table:number-columns-repeated="{count}"{value}/>'


def _dated_rows(cell: str, rows: int = 1_000) -> str:
    """Return rows of a day and a cell."""
    first = dt.date(1990, 1, 1)
    return "".join(
        row(repeat(1, " " + _TYPED.format("date", "date-value", first + dt.timedelta(n))) + cell)
        for n in range(rows)
    )


def _text(text: str) -> str:
    kind = 'office:value-type="string"'
    return f"<table:table-cell {kind}><text:p>{text}</text:p></table:table-cell>"


def _value_cell(kind: str, value: str) -> str:
    attribute = {"date": "date-value", "time": "time-value", "boolean": "boolean-value"}
    return repeat(1, " " + _TYPED.format(kind, attribute.get(kind, "value"), value))


def _tables(count: int, name: str = "s{}", rows: str = "") -> str:
    """Close the table that is open, and add others."""
    return "".join(
        f'</table:table><table:table table:name="{name.format(n)}">{rows}' for n in range(count)
    )


ROWS: dict[str, Callable[[], str]] = {
    **{f"rows repeated {n[:20]}": lambda n=n: _dated_rows(CELL, 12) + row(CELL, n) for n in COUNTS},
    **{
        f"columns repeated {n[:20]}": lambda n=n: (
            _dated_rows(CELL, 12) + row(repeat(n, NUMBER) + CELL)
        )
        for n in COUNTS
    },
    "rows of 5,000 columns by three tags": lambda: row(repeat(4_999) + CELL, 200),
    "a million cells by one tag": lambda: row(repeat(5_000, NUMBER), 200),
    "repeated rows of repeated columns": lambda: row(repeat(4_999, NUMBER), 20_000_000) * 100,
    "repeated covered cells": lambda: row(
        repeat(4_999).replace("table-cell", "covered-table-cell") + CELL, 200
    ),
    "rows that are empty, and one far below": lambda: row("", 90_000_000) * 50 + row(CELL),
    "many empty rows": lambda: "<table:table-row/>" * 300_000 + row(CELL),
    "a million cells": lambda: row(CELL * 500) * 800,
    "50,000 rows": lambda: _dated_rows(CELL, 50_000),
    "a value of 40 MB": lambda: _dated_rows(_value_cell("float", "1" * LARGE), 1),
    "a formula of 40 MB": lambda: row(repeat(1, f' table:formula="{"x" * LARGE}"')),
    "formulas of 30,000 characters": lambda: _dated_rows(
        repeat(1, f'{NUMBER} table:formula="{"A1+" * 10_000}"'), 400
    ),
    "a repeated string of 30,000 characters": lambda: row(
        repeat(4_000, f' office:value-type="string" office:string-value="{"x" * 30_000}"')
    ),
    "a repeated string of 30,000 characters in content": lambda: (
        row(_text("x" * 30_000), 900)
        + row(_text("x" * 30_000).replace("cell ", "cell table:number-columns-repeated='900' "))
    ),
    "strings of 30,000 characters": lambda: _dated_rows(_text("x" * 30_000)),
    "spaces": lambda: _dated_rows(_text('<text:s text:c="30000"/>'), 500),
    "a hundred million spaces": lambda: _dated_rows(_text('<text:s text:c="99999999"/>'), 1),
    "300,000 tags of a space": lambda: _dated_rows(_text("<text:s/>" * 300), 1_000),
    "many paragraphs": lambda: _dated_rows(_text("x</text:p><text:p>" * 300), 1_000),
    "comments of people": lambda: _dated_rows(
        CELL.replace("</table", "<office:annotation><text:p>x</text:p></office:annotation></table"),
        20_000,
    ),
    "styles": lambda: _dated_rows(repeat(1, f'{NUMBER} table:style-name="{"s" * 200}"'), 40_000),
    "tables in cells": lambda: row(
        '<table:table-cell><table:table table:name="t">' * 20
        + row(repeat(5_000, NUMBER), 200)
        + "</table:table></table:table-cell>" * 20
    ),
    "groups of rows": lambda: "<table:table-row-group>" * 40 + _dated_rows(CELL, 12),
    "5,000 tables": lambda: _tables(5_000),
    "5,000 tables with a cell far away": lambda: _tables(
        5_000, rows=row(repeat(4_000) + CELL, 200)
    ),
    "100,000 tables": lambda: _tables(100_000),
    "a table with a name of 1 MB": lambda: _tables(1, "s" * 1_000_000, _dated_rows(CELL, 12)),
    "columns that are declared": lambda: (
        '<table:table-column table:number-columns-repeated="99999999"/>' * 50_000
    ),
    **{
        f"{kind} {value[:24]}": lambda kind=kind, value=value: _dated_rows(
            _value_cell(kind, value), 200
        )
        for kind, values in {
            "float": ("1e308", "1e999", "-0", "nan", "1" * 5_000, "0." + "0" * 5_000 + "1", ""),
            "date": (
                "9999-12-31",
                "0000-00-00",
                "99999999-01-01",
                "2024-01-01T24:61:61",
                "x" * 5_000,
            ),
            "time": ("PT99999999H", "PT" + "1H" * 2_000, "P1Y", "-PT1S"),
            "boolean": ("true", "maybe", "1" * 5_000),
            "percentage": ("0.5", "1e400"),
            "currency": ("1", "€" * 5_000),
            "unknown": ("1",),
        }.items()
        for value in values
    },
}
PARTS: dict[str, Maker] = {
    **{
        f"a bomb of 70 MB in {part}": lambda part=part: spreadsheet_of(
            _dated_rows(CELL, 12), **{part: b"<a>" + b"<b/>".ljust(70_000) * 1_000 + b"</a>"}
        )
        for part in ("content.xml", "styles.xml", "META-INF/manifest.xml", "Thumbnails/a.png")
    },
    "a type of 40 MB": lambda: spreadsheet_of(row(CELL), "spreadsheet" + " " * LARGE),
    "another kind": lambda: spreadsheet_of(row(CELL), "text"),
    "an encrypted part": lambda: spreadsheet_of(
        row(CELL),
        **{
            "META-INF/manifest.xml": b'<manifest:manifest xmlns:manifest="m"><manifest:file-entry '
            b'manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry>'
            b"</manifest:manifest>"
        },
    ),
    "content in UTF-16": lambda: spreadsheet_of(
        "", **{"content.xml": "<?xml version='1.0' encoding='UTF-16'?><a/>".encode("utf-16")}
    ),
}


def spreadsheet_makers() -> Iterator[tuple[str, Maker]]:
    """Yield names and makers of the spreadsheets."""
    for title, body in (XML | ROWS).items():
        yield f"ods: {title}", lambda body=body: spreadsheet_of(body())
    entities = row(_text("&a;" * 10_000))
    for title, doctype in DOCTYPES.items():
        yield f"ods: {title}", partial(spreadsheet_of, entities, head=doctype)
    for title, make in PARTS.items():
        yield f"ods: {title}", make
