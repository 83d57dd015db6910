"""A table with its right answer, and the means to write tables in the forms of programs."""

import datetime as dt
import io
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape

Values = Sequence[float]


@dataclass(frozen=True)
class Case:
    """A table.

    ``series``: the values of all series, by name; ``first`` (how its first timestamp begins) and
    ``frequency``: of the first one; ``asks``: the parameters that have to be answered, ``then``:
    with what; ``says``: something that is reported; ``rejected``: why it cannot be read.
    """

    name: str
    content: str | bytes
    series: Mapping[str, Values] = field(default_factory=dict)
    first: str = ""
    frequency: str | None = "Monthly"
    asks: tuple[str, ...] = ()
    then: Mapping[str, Any] = field(default_factory=dict)
    says: str = ""
    rejected: str = ""

    @property
    def body(self) -> bytes:
        return self.content if isinstance(self.content, bytes) else self.content.encode()


def to_text(*rows: str | Iterable[str]) -> str:
    """Join lines, some of them in lists, to a text."""
    flat: list[str] = []
    for row in rows:
        flat.extend([row] if isinstance(row, str) else row)
    return "\n".join(flat) + "\n"


def draw(count: int, base: float = 1000, digits: int = 2, period: int = 12) -> list[float]:
    """Draw values with a season and some noise, always the same ones."""
    noise = [(i * 7919 + 104_729) % 1009 / 1009 for i in range(count)]
    return [
        round(base * (1 + 0.2 * ((i % period) / period) + 0.3 * noise[i]), digits)
        for i in range(count)
    ]


def months(year: int, month: int, count: int) -> list[dt.date]:
    """Return the first days of months."""
    start = 12 * year + month - 1
    return [dt.date((start + i) // 12, (start + i) % 12 + 1, 1) for i in range(count)]


def days(first: str, count: int, step: int = 1) -> list[dt.date]:
    """Days, ``step`` apart."""
    start = dt.date.fromisoformat(first)
    return [start + dt.timedelta(step * i) for i in range(count)]


def month_ends(year: int, month: int, count: int) -> list[dt.date]:
    return [day - dt.timedelta(1) for day in months(year, month, count + 1)[1:]]


def number(value: float, mark: str = ".", group: str = "", digits: int = 2) -> str:
    """Return a number in the notation of a country."""
    text = f"{value:,.{digits}f}"
    return text.replace(",", "\0").replace(".", mark).replace("\0", group)


def german(value: float, digits: int = 2) -> str:
    return number(value, ",", ".", digits)


def rows_of(
    dates: Sequence[Any], values: Sequence[Any], form: Callable[[Any, Any], str]
) -> list[str]:
    return [form(date, value) for date, value in zip(dates, values, strict=True)]


def listing(header: str, form: str, values: Values, dates: Sequence[object]) -> str:
    """Return one series; ``form`` has the date ``d``, the value ``v`` and the index ``i``."""
    return to_text(
        header,
        [form.format(d=d, v=v, i=i) for i, (d, v) in enumerate(zip(dates, values, strict=True))],
    )


def spreadsheet(rows: Sequence[Sequence[object]], name: str = "Sheet1") -> bytes:
    """Return an OpenDocument spreadsheet (.ods)."""
    names = "urn:oasis:names:tc:opendocument:xmlns"
    body = "".join(
        f"<table:table-row>{''.join(map(_ods_cell, row))}</table:table-row>" for row in rows
    )
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content '
        f'xmlns:office="{names}:office:1.0" xmlns:table="{names}:table:1.0" '
        f'xmlns:text="{names}:text:1.0" office:version="1.2"><office:body><office:spreadsheet>'
        f'<table:table table:name="{escape(name)}">{body}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    manifest = (
        f'<?xml version="1.0" encoding="UTF-8"?><manifest:manifest xmlns:manifest="{names}'
        ':manifest:1.0"><manifest:file-entry manifest:full-path="content.xml" '
        'manifest:media-type="text/xml"/></manifest:manifest>'
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        file.writestr("content.xml", content)
        file.writestr("META-INF/manifest.xml", manifest)
    return packed.getvalue()


def _ods_cell(cell: object) -> str:
    if cell is None:
        return "<table:table-cell/>"
    if isinstance(cell, dt.date):
        kind = f'office:value-type="date" office:date-value="{cell.isoformat()}"'
    elif isinstance(cell, (int, float)):
        kind = f'office:value-type="float" office:value="{cell!r}"'
    else:
        kind = 'office:value-type="string"'
    text = escape(str(cell))
    return f"<table:table-cell {kind}><text:p>{text}</text:p></table:table-cell>"
