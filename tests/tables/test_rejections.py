"""Whatever is sent instead of a table: named, in bounded time and memory."""

import datetime as dt
import functools
import io
import random
import resource
import time
import zipfile
import zlib

import pytest

from app.tables.answers import Answers, Fill
from app.tables.errors import UnreadableTableError
from app.tables.read_table import read_file
from tests.tables.tables import BOUNDS, read_bytes, rejection_of, workbook

MEBIBYTE = 1024 * 1024
SALES = [["day", "n"], ["2024-01-01", 1], ["2024-01-02", 2]]
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
HUGE = {
    "a million columns": b",".join([b"1"] * 1_000_000),
    "a row of a million columns": b"day,n\n2024-01-01,1\n" + b"," * 1_000_000,
    "a cell of 4 MB": b"day,n\n2024-01-01," + b"x" * 4_000_000,
    "a number of 4 MB": b"day,n\n2024-01-01," + b"1" * 4_000_000,
    "a quoted cell of 4 MB": b'day,n\n2024-01-01,"' + b"," * 4_000_000 + b'"',
    "a quotation mark that stays open": b'"' + b"a,b\n" * 1_000_000,
    "words": b"a " * 2_000_000,
    "lines": b"a;b\n" * 1_000_000,
    "quotation marks": b'"\n' * 2_000_000,
    "noise": random.Random(1).randbytes(4_000_000).replace(b"\x00", b" "),
    "one wide row among many": b"a\n" * 1_000_000 + b"," * 4_000,
}


def zip_of(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(name, content)
    return packed.getvalue()


def test_formulas_without_values_are_named_beside_what_was_not_found() -> None:
    formula = b'<c r="B2"><f>1+1</f></c>'
    issue = rejection_of(workbook({"a": [["day", "n"], *([day, formula] for day, _ in SALES[1:])]}))
    assert issue.issue.startswith("no column of numbers was found beside the dates; row 2")
    assert issue.issue.endswith(
        "; also, 2 formulas have no stored value (the first is in B2): "
        "open the workbook in its program and save it, so that they are stored"
    )


@pytest.mark.parametrize(
    ("content", "issue"),
    [
        (b"", "the body is empty"),
        (b" \r\n\t", "the body is empty"),
        (b"\x89PNG\r\n\x1a\n....", "a picture (PNG)"),
        (b"\xff\xd8\xff\xe0..JFIF", "a picture (JPEG)"),
        (b"GIF89a....", "a picture (GIF)"),
        (b"RIFF\x10\x00\x00\x00WEBPVP8 ", "a picture (WebP)"),
        (b"%PDF-1.7", "a PDF, not a table: copy the table out of it"),
        (b"PAR1\x15....PAR1", "a Parquet file"),
        (b"ts=2024-01-01 level=info ms=5\n" * 9, "write the names once, in the first line"),
        (b"cpu,host=a used=1.5 1704067200000000000\n" * 9, "write the names once, in the first"),
        (b":20:START\n:25:1/2\n", "a bank statement (MT940), not a table: export it as CSV"),
        (b"!Type:Bank\nD01/01/2024\n", "a bank statement (QIF), not a table: export it as CSV"),
        (b"OFXHEADER:100\nDATA:OFXSGML\n", "a bank statement (OFX), not a table: export it as CSV"),
        (b"100,NEM12,200506081149,U,N\n", "(NEM12), not a table: send a row for each interval"),
        (b"SQLite format 3\x00", "a database"),
        (b"\x1f\x8b\x08", "a compressed file (gzip), not a table: unpack it"),
        (b"BZh91AY&SY", "bzip2"),
        (OLE + b"...", "an old workbook (.xls)"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "the workbook has a password"),
        (b"PK\x03\x04 and so on", "the workbook is broken: open it in its program"),
        (zip_of(**{"a.csv": b"day,n\n2024-01-01,1"}), "a ZIP archive: unpack it"),
        (zip_of(**{"book.xlsx": workbook({"a": SALES})}), "a ZIP archive: unpack it"),
        (zip_of(**{"content.xml": b"<x/>"}), "an OpenDocument file"),
        (zip_of(**{"word/document.xml": b"<x/>"}), "a Word document"),
        (zip_of(**{"xl/workbook.bin": b"x"}), "a binary workbook (.xlsb)"),
        (zip_of(**{"xl/workbook.xml": b"<x/>"}), "the workbook is"),
        (workbook({"a": []}), "the workbook is empty"),
        (b"<!DOCTYPE html><table><tr>", "a web page"),
        (b"<table><tr>" + b"<td>1" * 5_001, "row 1 has more than 5,000 cells"),
        (b"<table>" + b"<td colspan=4000>1<tr>" * 1_000, "at most 3,000,000 cells"),
        (b'<?xml version="1.0"?><Workbook>', "a web page or XML without a table"),
        (b'{"a": {"date": "2024-01-01"}}', "this JSON has no table"),
        (b"day,n\n2024-01-01,\x001\n", "line 2 has a null byte"),
        (b"a,b\nc,d", "no column of dates was found; line 2, column 1 has “c”"),
        (b"1;2\n3;4\n5;6", "no column of dates was found"),
        (
            b"room,time,calls\nA,08:00,3\nA,08:30,5\nA,09:00,4",
            "line 2, column 2 has “08:00”, a time without a day: put the day before it",
        ),
        (b"2024-01-01\n2024-01-02", "no column of numbers was found beside the dates"),
        (
            b"id,created\n" + b"".join(b"A%d,2024-01-%02d\n" % (i, i) for i in range(1, 13)),
            "to count rows, such as tickets, add a column that is 1 in each row",
        ),
        (b"day,n\n", "no column of dates was found"),
        (
            b"date,item,stock\n2024-05-01,a,3\n2024-05-01,b,5\n2024-05-01,c,7\n",
            "all 3 rows have one date, 2024-05-01: send rows of several dates",
        ),
        (b"shop,Jan,Feb,Mar\nN,x,y,z\nS,u,v,w", "dates without a year are side by side in line 1"),
    ],
)
def test_content_that_is_not_a_table_is_named(content: bytes, issue: str) -> None:
    assert issue in rejection_of(content).issue


@pytest.mark.parametrize("name", ["PAR1", "BZh", "BZh9"])
def test_a_column_may_be_called_like_the_signature_of_a_file(name: str) -> None:
    rows = [f"{day},2024-01-{day:02},{day}" for day in range(1, 9)]
    reading = read_bytes("\n".join([f"{name},date,{name}", *rows]).encode())
    assert [len(series.values) for series in reading.series] == [8, 8]


def test_a_rejection_names_row_and_column() -> None:
    rejection = rejection_of(b"Shop,Sales\n\nNorth,12\n")
    assert (rejection.row, rejection.column) == (3, 1)


@functools.cache
def bomb(path: str = "xl/worksheets/sheet2.xml", size: int = 600 * MEBIBYTE) -> bytes:
    """Return a workbook whose sheet is hundreds of megabytes of spaces, with a few tags."""
    spaces = b"<a/>".ljust(MEBIBYTE // 8) * 8
    book = io.BytesIO(workbook({"a": SALES}))
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(b"<a>" + spaces[:-7])
    packed += b"".join(packer.compress(spaces) for _ in range(size // MEBIBYTE - 1))
    packed += packer.compress(b"</a>") + packer.flush()
    with zipfile.ZipFile(book, "a") as file:
        part = zipfile.ZipInfo(path)
        part.compress_type = zipfile.ZIP_STORED
        file.writestr(part, packed)
    # Say that stored bytes were compressed, in both places where a ZIP archive says it.
    content = bytearray(book.getvalue())
    for mark, method, sizes in ((b"PK\x03\x04", 8, 18), (b"PK\x01\x02", 10, 20)):
        at = content.rfind(mark)
        content[at + method : at + method + 2] = (8).to_bytes(2, "little")
        content[at + sizes + 4 : at + sizes + 8] = size.to_bytes(4, "little")
    return bytes(content)


@pytest.mark.parametrize("size", [600 * MEBIBYTE, 2000], ids=["true size", "false size"])
def test_a_zip_bomb_is_rejected_in_bounded_time_and_memory(size: int) -> None:
    content = bomb()
    if size != 600 * MEBIBYTE:  # what the archive says of it is false
        content = content.replace(
            (600 * MEBIBYTE).to_bytes(4, "little"), size.to_bytes(4, "little")
        )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.process_time()
    rejection = rejection_of(content)
    assert rejection.is_too_large or "broken" in rejection.issue
    assert time.process_time() - started < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300 * 1024  # KiB


@pytest.mark.parametrize(
    "far",
    [
        b'<c r="XFD1048576"><v>1</v></c>',
        b"<c  r = 'AAA1048576' ><v>1</v></c>",
        b'<x:c xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
        b'r="ZZZ999999"><x:v>1</x:v></x:c>',
        b'<c r="ALL2"><v>1</v></c>' + b'</row><row r="1048576">' + b"<c><v>1</v></c>" * 9,
    ],
)
def test_a_cell_far_away_does_not_make_a_huge_sheet(far: bytes) -> None:
    rejection = rejection_of(workbook({"a": [*SALES, [far]]}))
    assert "send" in rejection.issue
    assert rejection.is_too_large or rejection.column


def test_cells_far_away_that_are_empty_do_no_harm() -> None:
    book = workbook({"a": [*SALES, [b'<c r="XFD1048576" s="1"/>']]})
    assert read_bytes(book).series[0].values == [1, 2]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_workbook_packed_in_an_unusual_way_is_rejected(method: int) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as file:
        file.writestr("xl/workbook.xml", b" " * 100_000)
    assert "an unusual way" in rejection_of(packed.getvalue()).issue


def test_a_workbook_of_very_many_parts_is_rejected() -> None:
    parts = {f"xl/{n}.xml": b"" for n in range(2_001)}
    assert "2,001 parts" in rejection_of(zip_of(**parts)).issue


@pytest.mark.parametrize("content", HUGE.values(), ids=HUGE)
def test_huge_nonsense_ends_in_bounded_time(content: bytes) -> None:
    started = time.process_time()
    assert rejection_of(content).issue
    assert time.process_time() - started < 10


def test_the_job_returns_rejections_whole_on_the_way_to_another_process() -> None:
    import pickle

    rejection = pickle.loads(pickle.dumps(read_file(b"a,b\nc,d", Answers(), BOUNDS)))
    assert (rejection.row, rejection.column, rejection.is_too_large) == (2, 1, False)
    wrong = pickle.loads(pickle.dumps(read_file(b"a,b\nc,d", Answers(sheet="x"), BOUNDS)))
    assert wrong.parameter == "sheet"


def with_a_gap(columns: int, days: int, gap: int) -> bytes:
    """Return a wide table whose days have a gap."""
    start = dt.date(1990, 1, 1)
    offsets = [*range(days), *range(days + gap, 2 * days + gap)]
    lines = [f"{start + dt.timedelta(offset)}" + ",1" * columns for offset in offsets]
    return "\n".join(["day" + "".join(f",c{n}" for n in range(columns)), *lines]).encode()


@pytest.mark.parametrize("fill", [None, Fill.LINEAR])
def test_missing_entries_of_all_columns_together_are_bounded(fill: Fill | None) -> None:
    for columns, days, gap in ((200, 30, 49_000), (10, 20, 40_000), (400, 30, 2_500)):
        reading = read_file(with_a_gap(columns, days, gap), Answers(fill=fill), BOUNDS)
        if isinstance(reading, UnreadableTableError):
            assert "counting those that are missing" in str(reading)
            continue
        series = reading.series
        assert sum(len(read.timestamps) + len(read.missing) for read in series) <= 260_000


def test_a_table_that_leaves_neither_series_nor_a_question_is_rejected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.tables.read_table.make_series", lambda _values, _reading: [])
    rejection = read_file(b"day,n\n2024-01-01,1\n2024-01-02,2", Answers(), BOUNDS)
    assert isinstance(rejection, UnreadableTableError)
    assert rejection.issue.startswith("no series in the table: send")
