"""Bounds of OpenDocument spreadsheets, whose tags can stand for any number of cells."""

import pytest

from app.tables.errors import UnreadableTableError
from tests.tables.hostile_spreadsheets import CELL, repeat, row, spreadsheet_of
from tests.tables.tables import read_bytes


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (row(CELL, 10_000_000), "rows of up to"),
        (row(repeat(6_000) + CELL), "more than 5,000 columns"),
        (row(repeat(9_999_999) + repeat(9_999_999)), "more than 5,000 columns"),
        (row(repeat(4_000) + CELL) * 800, "cells"),
        (row(repeat(1, ' table:formula="x"'), 99_999_999), "rows of up to"),
        (row(repeat(9_000, ' office:value="1"'), 100), "more than 5,000 columns"),
        (row(repeat(500, f' office:string-value="{"x" * 200_000}"')), "characters"),
        (row(repeat(500, f' table:formula="{"x" * 30_000}"'), 10), "characters"),
        (row(CELL.replace("1</text:p>", '<text:s text:c="99999999"/></text:p>')), "characters"),
        (row(CELL.replace("1</text:p>", f"{'x' * 30_000}</text:p>"), 1_000), "characters"),
        (row(repeat(1).replace('"1"', '"many"')), "not a number"),
        ("<a>" * 100 + "</a>" * 100, "elements 64 deep"),
        (row("<b/>" * 1_200_001), "elements of XML"),
        (row("<b>"), "the spreadsheet is broken"),
    ],
)
def test_a_spreadsheet_beyond_the_bounds_is_rejected_before_it_is_expanded(
    rows: str, why: str
) -> None:
    with pytest.raises(UnreadableTableError, match=why):
        read_bytes(spreadsheet_of(rows))


def test_a_document_type_is_rejected() -> None:
    with pytest.raises(UnreadableTableError, match="document type"):
        read_bytes(spreadsheet_of(row(CELL), head="<!DOCTYPE a>"))


def test_other_documents_are_named() -> None:
    with pytest.raises(UnreadableTableError, match="another kind of OpenDocument"):
        read_bytes(spreadsheet_of(row(CELL), mimetype="text"))


def test_empty_cells_to_the_end_of_the_sheet_count_nothing() -> None:
    dated = "".join(
        row(
            f'<table:table-cell office:value-type="date" office:date-value="2024-01-{day:02}"/>'
            + CELL
            + repeat(16_382)
        )
        for day in range(1, 13)
    )
    rows = dated + row(repeat(16_384), 1_048_564)
    [series] = read_bytes(spreadsheet_of(rows)).series
    assert series.values == [1] * 12
