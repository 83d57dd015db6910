"""Tables, and calls of POST /tables/forecast."""

import csv
import io
import zipfile
from typing import Any
from xml.etree import ElementTree

from python_calamine import CalamineWorkbook
from werkzeug.test import TestResponse

from tests.support.api import Api

CSV, JSON = "text/csv", "application/json"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
FAST = "model=forecast-model-2"

GERMAN = "\r\n".join(
    ["Monat;Nord;Süd"]
    + [f"01.{month:02}.2024;{100 + month},5;1.{200 + month},25" for month in range(1, 13)]
)


def panel(series: int, points: int = 12, name: str = "s") -> str:
    """Return a long table of monthly values."""
    rows = (
        f"{name}{n},{2020 + month // 12}-{month % 12 + 1:02}-01,{10 + n % 7 + month % 3}"
        for n in range(series)
        for month in range(points)
    )
    return "\n".join(["shop,month,sales", *rows])


def forecast(
    caller: Api, content: str | bytes, query: str = "", *, accept: str | None = None
) -> TestResponse:
    """Send a table for a forecast of three steps by the quick model; ``query`` overrides that."""
    sent = content.encode() if isinstance(content, str) else content
    headers = {"Content_Type": CSV} | ({"Accept": accept} if accept else {})
    wanted = "&".join(filter(None, ["" if "horizon" in query else "horizon=3", FAST, query]))
    return caller.request("POST", f"/tables/forecast?{wanted}", sent, **headers)


def rows_of(answer: TestResponse, delimiter: str = ",") -> list[list[str]]:
    """Return the cells of a CSV response."""
    assert answer.status_code == 200, answer.text
    text = answer.get_data().decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text), delimiter=delimiter))


def sheet_of(answer: TestResponse, number: int = 0) -> list[list[Any]]:
    """Return the cells of a sheet of a workbook."""
    assert answer.status_code == 200, answer.text
    book = CalamineWorkbook.from_filelike(io.BytesIO(answer.get_data()))
    return book.get_sheet_by_index(number).to_python()


def part_of(answer: TestResponse, name: str) -> bytes:
    """Return a part of a workbook, such as ``styles``."""
    with zipfile.ZipFile(io.BytesIO(answer.get_data())) as file:
        return file.read(f"xl/{name}.xml")


def fonts_of(answer: TestResponse) -> list[list[str]]:
    """Return the fonts of the cells of a workbook: ``bold``, ``coloured`` or empty."""
    styles, sheet = (
        ElementTree.fromstring(part_of(answer, name)) for name in ("styles", "worksheets/sheet1")
    )
    fonts = [
        "bold" if font.find(f"{_MAIN}b") is not None else "coloured" if _is_coloured(font) else ""
        for font in styles.iter(f"{_MAIN}font")
    ]
    formats = [fonts[int(xf.get("fontId", 0))] for xf in styles.find(f"{_MAIN}cellXfs") or ()]
    return [
        [formats[int(cell.get("s", 0))] for cell in row.iter(f"{_MAIN}c")]
        for row in sheet.iter(f"{_MAIN}row")
    ]


def _is_coloured(font: ElementTree.Element) -> bool:
    colour = font.find(f"{_MAIN}color")
    return colour is not None and "rgb" in colour.attrib
