"""Real pastes and what the playground reads from each: the files in ``pastes``.

A paste is a list of lines. ``expect`` names what the reading must have: its points (``values``,
``first``, ``last``, ``lines``), the questions it ``asks``, what it ``says`` among all sentences,
and timestamps as they are ``written`` in the form of the paste.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.pages.reading import DECODE, FOLDER, Read

pytestmark = pytest.mark.services

PASTES = {
    f"{file.stem}: {paste['name']}": paste
    for file in sorted(Path(__file__).with_name("pastes").glob("*.json"))
    for paste in json.loads(file.read_text())
}
TEXT = "Datum;Größe in €\n2024-01-01;1\n2024-01-02;2"


@pytest.mark.parametrize("paste", PASTES.values(), ids=PASTES)
def test_a_paste_is_read_right_or_asked_about(read: Read, paste: dict[str, Any]) -> None:
    expected = dict(paste["expect"])
    said = expected.pop("says", [])
    found = read("\n".join(paste["paste"]), expected.get("written", {}), **paste.get("choices", {}))
    assert {name: found[name] for name in expected} == expected
    assert [sentence for sentence in said if sentence not in found["words"]] == []
    assert said or found["problem"] or found["warned"] == 0


@pytest.mark.parametrize(
    "encoded",
    [
        TEXT.encode(),
        TEXT.encode("utf-8-sig"),
        TEXT.encode("utf-16"),
        TEXT.encode("utf-16-le"),
        b"\xfe\xff" + TEXT.encode("utf-16-be"),
        TEXT.encode("windows-1252"),
    ],
    ids=["UTF-8", "UTF-8 with a mark", "UTF-16", "UTF-16 without a mark", "big endian", "Windows"],
)
def test_a_file_is_read_in_any_usual_encoding(scripts: Page, encoded: bytes) -> None:
    found = scripts.evaluate(DECODE, [FOLDER, "series.csv", [*encoded]])
    assert found["text"].removeprefix("\ufeff") == TEXT


@pytest.mark.parametrize(
    ("name", "start", "refusal"),
    [
        ("a.xlsx", b"PK\x03\x04\x14", "a.xlsx is an Excel workbook. Open it, save it as CSV"),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1", "a.xls is an Excel workbook. Open it, save it as CSV"),
        ("a.ods", b"PK\x03\x04\x14", "a.ods is an OpenDocument spreadsheet. Open it, save"),
        ("a.parquet", b"PAR1\x15", "a.parquet is a Parquet file. Write it as CSV"),
        ("a.pdf", b"%PDF-1.7", "a.pdf is a PDF. Copy the table out of it"),
        ("a.csv.gz", b"\x1f\x8b\x08", "a.csv.gz is a compressed file. Unpack it"),
        ("a.bin", b"\x01\x00\x02\x03\x09", "a.bin is not a text file."),
    ],
)
def test_what_is_no_text_is_refused_with_a_remedy(
    scripts: Page, name: str, start: bytes, refusal: str
) -> None:
    found = scripts.evaluate(DECODE, [FOLDER, name, [*start]])
    assert found["refusal"].startswith(refusal)
