"""Tables for the tests, sent to POST /tables/forecast."""

import csv
import io
from typing import Any

from python_calamine import CalamineWorkbook
from werkzeug.test import TestResponse

from tests.support.api import Api

CSV, JSON = "text/csv", "application/json"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
FAST = "model=forecast-model-2"

GERMAN = "\r\n".join(
    ["Monat;Nord;Süd"]
    + [f"01.{month:02}.2024;{100 + month},5;1.{200 + month},25" for month in range(1, 13)]
)


def panel(series: int, points: int = 12, name: str = "s") -> str:
    """A long table of months."""
    rows = (
        f"{name}{n},{2020 + month // 12}-{month % 12 + 1:02}-01,{10 + n % 7 + month % 3}"
        for n in range(series)
        for month in range(points)
    )
    return "\n".join(["shop,month,sales", *rows])


def forecast(
    caller: Api, content: str | bytes, query: str = "", *, accept: str | None = None
) -> TestResponse:
    """Send a table, to be forecast three steps by the quick model unless ``query`` says more."""
    sent = content.encode() if isinstance(content, str) else content
    headers = {"Content_Type": CSV} | ({"Accept": accept} if accept else {})
    wanted = "&".join(filter(None, ["" if "horizon" in query else "horizon=3", FAST, query]))
    return caller.request("POST", f"/tables/forecast?{wanted}", sent, **headers)


def rows_of(answer: TestResponse, delimiter: str = ",") -> list[list[str]]:
    """The cells of a CSV response."""
    assert answer.status_code == 200, answer.text
    text = answer.get_data().decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text), delimiter=delimiter))


def sheet_of(answer: TestResponse, number: int = 0) -> list[list[Any]]:
    """The cells of a sheet of a workbook."""
    assert answer.status_code == 200, answer.text
    book = CalamineWorkbook.from_filelike(io.BytesIO(answer.get_data()))
    return book.get_sheet_by_index(number).to_python()
