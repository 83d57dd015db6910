"""Tables in blocks: nothing of a table is lost or changed, and a block stays small."""

import datetime as dt
import io
import pickle
from dataclasses import replace

import pytest
import xlsxwriter

from app.tables.answers import Answers
from app.tables.forecasts import blocks
from app.tables.forecasts.blocks import forecast_one
from app.tables.forecasts.files import write_forecasts
from app.tables.forecasts.types import (
    FileFormat,
    SeriesForecast,
    TableInBlocks,
)
from tests.tables.tables import BOUNDS, WITH_HISTORY, table_to_forecast

FIRST = dt.date(2001, 1, 1)
OPTIONS = replace(WITH_HISTORY, horizon=2, includes_sum=True)


def long_table(series: int, days: int, is_each_tenth_short: bool = False) -> bytes:
    """Return a table with a row for each series and day."""
    rows = (
        f"s{n},{FIRST + dt.timedelta(day)},{day * n % 13}"
        for n in range(series)
        for day in range(4 if is_each_tenth_short and n % 10 == 9 else days)
    )
    return "\n".join(["shop,day,sales", *rows]).encode()


def wide_table(series: int, days: int) -> bytes:
    """Return a table with a column for each series; each tenth is too short for a forecast."""
    rows = (
        [
            f"{FIRST + dt.timedelta(day)}",
            *("" if n % 10 == 9 and day > 4 else f"{day * n % 13}" for n in range(series)),
        ]
        for day in range(days)
    )
    return "\n".join(map(",".join, [["day", *(f"c{n}" for n in range(series))], *rows])).encode()


def read_in_blocks(content: bytes) -> TableInBlocks:
    bounds = replace(BOUNDS, max_series=1_000)
    table = blocks.read_blocks(content, Answers(), bounds, OPTIONS, 3)
    assert isinstance(table, TableInBlocks)
    return table


def series_of(table: TableInBlocks) -> list[list[str]]:
    """Return the names of the series of each block."""
    return [[series.name for series in pickle.loads(block.pickled)] for block in table.blocks]


@pytest.mark.parametrize(
    "content", [wide_table(90, 14), long_table(150, 12, True)], ids=["wide", "long"]
)
def test_files_are_the_same_as_of_the_table_as_a_whole(content: bytes) -> None:
    table = read_in_blocks(content)
    pickled = [block.pickled for block in table.blocks]
    halves = pickled[:20], pickled[20:]
    computed = [blocks.forecast_blocks(OPTIONS, half) for half in halves]
    parts = [block.pickled for block in computed]
    whole = table_to_forecast(content, includes_sum=OPTIONS.includes_sum)
    forecasts = [
        SeriesForecast.of_problem()
        if series.validated is None
        else forecast_one(OPTIONS, series.validated)
        for series in whole.series
    ]
    for form in FileFormat:
        file = blocks.write_blocks(pickled, table.style, table.remarks, parts, OPTIONS, form)
        assert file == write_forecasts(whole, forecasts, OPTIONS, form), form
    problems = [f"{series.name} {series.problem}" for series in whole.series if series.problem]
    assert (table.problem_count, table.problems) == (len(problems), problems[:3])
    assert (table.series_count, table.forecast_count) == (
        len(whole.series),
        len(whole.series) - len(problems),
    )
    assert sum(block.problem_count for block in computed) == 0


def test_blocks_are_small_and_a_small_table_has_one_for_each_series() -> None:
    many = series_of(read_in_blocks(long_table(600, 12)))
    assert {*map(len, many[:-1])} == {blocks.MAX_BLOCK_SERIES}
    assert {*map(len, series_of(read_in_blocks(long_table(30, 12))))} == {1}
    assert {*map(len, series_of(read_in_blocks(long_table(300, 150)))[:-1])} == {4}, "300 // 64"


def test_long_series_share_no_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "MAX_TABLE_BLOCK_POINTS", 30)
    assert {*map(len, series_of(read_in_blocks(long_table(300, 12)))[:-1])} == {2}


def test_the_size_of_a_block_counts_only_series_that_can_be_forecast() -> None:
    table = read_in_blocks(long_table(300, 12, True))
    first, second, third = table.blocks[:3]
    assert (first.series_count, first.forecast_count, first.point_count) == (4, 4, 48)
    assert (third.series_count, third.forecast_count, third.point_count) == (4, 3, 36)
    assert third.short_forecasts == pytest.approx(3 * 1.012)
    assert second == (second.pickled, *first[1:])


@pytest.mark.parametrize(("number_format", "shown"), [("0.0%", "100%"), ("0.00", "1")])
def test_the_bound_in_a_notice_is_written_as_the_workbook_shows_values(
    number_format: str, shown: str
) -> None:
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        sheet, style = book.add_worksheet(), book.add_format({"num_format": number_format})
        sheet.write_row(0, 0, ["day", "occupancy"])
        for n in range(100):
            sheet.write(n + 1, 0, f"{FIRST + dt.timedelta(n)}")
            sheet.write(n + 1, 1, min(1, 0.9 + n * 7 % 11 / 50), style)
    [series] = table_to_forecast(file.getvalue()).series
    [notice] = forecast_one(OPTIONS, series.validated).notices
    assert notice.startswith(f"nothing is forecast above {shown}: ")
