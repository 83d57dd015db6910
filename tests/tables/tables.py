"""Tables for the tests of the reader: text read with answers, and workbooks made by hand."""

import datetime as dt
import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

import pytest

from app.tables.answers import Answers, TableBounds
from app.tables.errors import UnreadableTableError
from app.tables.forecasts.read import read_to_forecast
from app.tables.forecasts.types import ForecastOptions, TableToForecast
from app.tables.read_table import read_table
from app.tables.reading import Reading

TODAY = dt.date(2026, 12, 31)
BOUNDS = TableBounds(TODAY)
WITH_HISTORY = ForecastOptions(
    1, "forecast-model-2", 0.95, None, includes_history=True, includes_sum=False
)
Row = Sequence[object]


def read_text(
    text: str | Sequence[str], bounds: TableBounds = BOUNDS, **answers: object
) -> Reading:
    """Read a text, or lines of one."""
    whole = text if isinstance(text, str) else "\n".join(text)
    return read_table(whole.encode(), Answers(**answers), bounds)


def read_bytes(content: bytes, **answers: object) -> Reading:
    return read_table(content, Answers(**answers), BOUNDS)


def table_to_forecast(
    content: bytes, *, includes_sum: bool = False, **answers: object
) -> TableToForecast:
    table = read_to_forecast(content, Answers(**answers), BOUNDS, includes_sum)
    assert isinstance(table, TableToForecast)
    return table


def rejection_of(content: bytes) -> UnreadableTableError:
    with pytest.raises(UnreadableTableError) as rejection:
        read_table(content, Answers(), BOUNDS)
    return rejection.value


def notes_of(reading: Reading) -> str:
    """Return the questions and the remarks of a reading, one a line."""
    asked = [question.question for question in reading.questions]
    return "\n".join([*asked, *(remark.full_text for remark in reading.remarks)])


def requirements(reading: Reading) -> list[str]:
    """Return the parameters that have to be answered."""
    return [question.parameter for question in reading.questions if question.required]


def workbook(
    sheets: Mapping[str, Sequence[Row]], *, hidden: Sequence[str] = (), **parts: bytes
) -> bytes:
    """Return a workbook: numbers and strings as they are, bytes as a cell's XML."""
    names = list(sheets)
    tags = "".join(
        f'<sheet name="{escape(name)}" sheetId="{n}" r:id="rId{n}"'
        f"{' state=' + chr(34) + 'hidden' + chr(34) if name in hidden else ''}/>"
        for n, name in enumerate(names, 1)
    )
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    package = "http://schemas.openxmlformats.org/package/2006"
    relations = "".join(
        f'<Relationship Id="rId{n}" Type="{office}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in range(1, len(names) + 1)
    )
    styles = (
        f'<styleSheet xmlns="{main}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/>'
        "</cellXfs></styleSheet>"
    )
    files = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>{tags}</sheets>'
        "</workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">{relations}'
        f'<Relationship Id="rId90" Type="{office}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": styles,
    }
    for n, rows in enumerate(sheets.values(), 1):
        files[f"xl/worksheets/sheet{n}.xml"] = _sheet(rows, main)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for path, content in (files | parts).items():
            file.writestr(path, content)
    return packed.getvalue()


def _sheet(rows: Sequence[Row], namespace: str) -> str:
    body = "".join(
        f'<row r="{n}">{"".join(_cell(cell, column, n) for column, cell in enumerate(row))}</row>'
        for n, row in enumerate(rows, 1)
    )
    return f'<worksheet xmlns="{namespace}"><sheetData>{body}</sheetData></worksheet>'


def _cell(cell: object, column: int, row: int) -> str:
    place = f"{chr(65 + column)}{row}" if column < 26 else f"A{chr(39 + column)}{row}"
    if cell is None:
        return ""
    if isinstance(cell, bytes):
        return cell.decode().replace("@", place)
    if isinstance(cell, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(cell)}</t></is></c>'
    return f'<c r="{place}"><v>{cell!r}</v></c>'


def date_cell(days: float) -> bytes:
    """Return a cell with a date, in Excel's days."""
    return f'<c r="@" s="1"><v>{days}</v></c>'.encode()
