"""Small bodies of attackers, which made release 1.2.0 work long or take much memory."""

import datetime as dt
import gzip
import io
import zipfile

import numpy as np
import orjson
import zstandard

from app.core.memory_units import MEBIBYTE
from tests.support.series import regular_body

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
CSV = "text/csv"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def workbook(sheet: str, shared: str = "") -> bytes:
    """Return a workbook with one sheet of this XML, and with these shared strings."""
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"/>',
        "_rels/.rels": _relations("officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": (
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}">'
            '<sheets><sheet name="S" sheetId="1" r:id="r0"/></sheets></workbook>'
        ),
        "xl/_rels/workbook.xml.rels": _relations(
            "worksheet", "worksheets/sheet1.xml", "sharedStrings", "sharedStrings.xml"
        ),
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_MAIN}"><sheetData>{sheet}',
        "xl/sharedStrings.xml": f'<sst xmlns="{_MAIN}">{shared}</sst>',
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return packed.getvalue()


def _relations(*pairs: str) -> str:
    targets = zip(pairs[::2], pairs[1::2], strict=True)
    inside = "".join(
        f'<Relationship Id="r{number}" Type="{_RELATIONS}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{inside}</Relationships>'


def unclosed_tag(attributes: int = 20_000) -> bytes:
    """Return a workbook whose sheet has one tag that never ends."""
    return workbook('<row r="1"><c ' + 'r="A1" ' * attributes)


def repeated_string(characters: int = MEBIBYTE, cells: int = 1_500) -> bytes:
    """Return a workbook in which many cells refer to one long string."""
    rows = "".join(
        f'<row r="{row}"><c r="A{row}" t="s"><v>0</v></c></row>' for row in range(1, cells + 1)
    )
    return workbook(f"{rows}</sheetData></worksheet>", f"<si><t>{'x' * characters}</t></si>")


def dashes(number: int = 3_000) -> bytes:
    """Return a CSV file with a line that is almost a separator."""
    return b"date,value,x\n" + b"-" * number + b",-,-\n"


def honest_table(rows: int = 50_000) -> bytes:
    """Return a CSV file of 2.3 MB with hourly values, as a customer may have it."""
    first = dt.datetime(2020, 1, 1)
    lines = (
        f"{first + dt.timedelta(hours=row)},{row % 24 + row / 7:.4f},{row % 168:.4f},{row:.2f}"
        for row in range(rows)
    )
    return "\n".join(["time,load,temperature,total", *lines, ""]).encode()


def empty_objects(size: int = 64 * MEBIBYTE) -> bytes:
    """Return JSON of this size whose objects take thirty times as much memory."""
    return b"[" + b"{}," * (size // 3 - 1) + b"{}]"


def prometheus_bomb() -> bytes:
    """Return such objects as a response of Prometheus, in 61 kB of gzip."""
    response = b'{"status":"success","data":%s}' % empty_objects(62 * MEBIBYTE)
    return gzip.compress(response, 9)


def timegpt_bomb(size: int = 32 * MEBIBYTE) -> bytes:
    """Return such objects as a TimeGPT call, in 3 kB of zstd."""
    body = b'{"freq":"D","h":1,"series":%s}' % empty_objects(size - 100)
    return zstandard.ZstdCompressor(level=19).compress(body)


def noisy_values(number: int) -> list[float]:
    """Return values with a season and bursts, which models take longest to fit."""
    rng = np.random.default_rng(1)
    season = 10 * np.sin(np.arange(number) * np.pi / 12)
    return (100 + season + rng.standard_t(2, number).cumsum()).round(6).tolist()


def long_series(points: int = 50_000, horizon: int = 100) -> bytes:
    """Return the most expensive forecast request."""
    body = regular_body("Hours", points, "1990-01-01T00:00:00") | {"forecast_horizon": horizon}
    body["series"][0]["values"] = noisy_values(points)
    return orjson.dumps(body)
