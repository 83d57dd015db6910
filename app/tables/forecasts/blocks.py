"""Forecast tables in blocks of pickled series: jobs of engine processes.

A web worker passes the blocks on between them as bytes. It never has the series as objects, which
take time and memory.
"""

import logging
import pickle
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from app.forecasting.forecast import forecast
from app.forecasting.jobs.windows import relative_costs
from app.tables.answers import Answers, TableBounds
from app.tables.errors import RejectedTableError
from app.tables.forecasts.files import write_forecasts
from app.tables.forecasts.read import read_to_forecast
from app.tables.forecasts.types import (
    FileFormat,
    ForecastBlock,
    ForecastOptions,
    SeriesBlock,
    SeriesForecast,
    SeriesToForecast,
    TableInBlocks,
    TableStyle,
    TableToForecast,
)
from app.tables.reading import Remark
from app.timeseries.calendar.fit import BeyondCalendarError
from app.timeseries.series import Series

# A block is the unit of an engine's work: a larger one saves the web worker's time. It is at most
# as long as a part of a batch, and small tables have blocks for all engines.
MAX_BLOCK_SERIES = 8
MAX_TABLE_BLOCK_POINTS = 4_000
_MIN_BLOCKS = 64  # of a table with at least as many series
logger = logging.getLogger(__name__)


def read_blocks(
    content: bytes,
    answers: Answers,
    bounds: TableBounds,
    options: ForecastOptions,
    max_problems: int,
) -> TableInBlocks | RejectedTableError:
    """Read a file, or return the error; list at most ``max_problems`` of the series' problems."""
    try:
        table = read_to_forecast(content, answers, bounds, options.includes_sum)
    except RejectedTableError as rejection:
        return rejection
    problems = [f"{series.name} {series.problem}" for series in table.series if series.problem]
    return TableInBlocks(
        blocks=[_series_block(block, options.horizon) for block in _blocks_of(table.series)],
        style=table.style,
        questions=table.questions,
        remarks=table.remarks,
        problems=problems[:max_problems],
        problem_count=len(problems),
        long_row_count=sum(map(options.count_rows, table.series)),
        wide_row_count=_count_wide_rows(table, options),
        repeated_characters=_count_repeated_characters(table, options),
    )


def forecast_blocks(options: ForecastOptions, blocks: Sequence[bytes]) -> ForecastBlock:
    """Forecast the series of some blocks."""
    forecasts = [
        SeriesForecast.of_problem() if validated is None else forecast_one(options, validated)
        for validated in (series.validated for series in _unpickle_series(blocks))
    ]
    return ForecastBlock(
        pickle.dumps(forecasts),
        problem_count=sum(bool(result.problem) for result in forecasts),
        fallback_count=sum(result.is_fallback for result in forecasts),
    )


def write_blocks(
    blocks: Sequence[bytes],
    style: TableStyle,
    remarks: Sequence[Remark],
    forecasts: Sequence[bytes],
    options: ForecastOptions,
    file_format: FileFormat,
) -> bytes:
    """Return the file of a table with its forecasts: of all its blocks, each in order."""
    table = TableToForecast([*_unpickle_series(blocks)], style, (), remarks)
    computed: list[SeriesForecast] = [*chain.from_iterable(map(pickle.loads, forecasts))]
    return write_forecasts(table, computed, options, file_format)


def _blocks_of(table_series: Sequence[SeriesToForecast]) -> Iterator[list[SeriesToForecast]]:
    max_series = min(MAX_BLOCK_SERIES, max(1, len(table_series) // _MIN_BLOCKS))
    block: list[SeriesToForecast] = []
    point_count = 0
    for series in table_series:
        point_count += series.values.size
        if block and (len(block) == max_series or point_count > MAX_TABLE_BLOCK_POINTS):
            yield block
            block = []
            point_count = series.values.size
        block.append(series)
    if block:
        yield block


def _series_block(block: list[SeriesToForecast], horizon: int) -> SeriesBlock:
    sizes = np.array([series.values.size for series in block if not series.problem], np.int64)
    return SeriesBlock(
        pickle.dumps(block),
        series_count=len(block),
        forecast_count=len(sizes),
        point_count=int(sizes.sum()),
        short_forecasts=float(relative_costs(sizes, horizon).sum()),
    )


def _unpickle_series(blocks: Sequence[bytes]) -> Iterator[SeriesToForecast]:
    return chain.from_iterable(map(pickle.loads, blocks))


def forecast_one(options: ForecastOptions, series: Series) -> SeriesForecast:
    """Forecast a series as POST /forecast does; one that fails has a problem."""
    try:
        result = forecast(
            series, options.horizon, options.confidence, options.model_id, options.country
        )
    except BeyondCalendarError as error:
        return SeriesForecast.of_problem(str(error))
    except MemoryError:  # the engine's memory limit: its caller reports it
        raise
    except Exception:  # an error in one series must not fail the others
        logger.exception("a series of a table could not be forecast")
        problem = "could not be computed: send it to POST /forecast, and report the request id"
        return SeriesForecast.of_problem(problem)
    return SeriesForecast(
        result.median, result.lower, result.upper, result.notices, is_fallback=result.is_fallback
    )


def _count_repeated_characters(table: TableToForecast, options: ForecastOptions) -> int:
    """Return how many characters of names, descriptions and problems all rows of a long table have.

    A wide table has 0: its names are in the header.
    """
    if not table.style.text_headers:
        return 0
    return sum(
        options.count_rows(series) * sum(map(len, (*series.texts, series.problem)))
        for series in table.series
    )


def _count_wide_rows(table: TableToForecast, options: ForecastOptions) -> int:
    """Return how many rows a wide table with the forecasts has at most, 0 for a long one.

    Series that end at the same time with the same step share the rows of their forecasts.
    """
    if table.style.text_headers or not table.series:
        return 0
    ends = {
        (
            series.times[-1].item(),
            series.calendar.frequency,
            series.calendar.step,
            type(series.calendar.axis),
        )
        for series in table.series
        if series.calendar is not None and not series.problem
    }
    row_count = len(ends) * options.horizon
    if options.includes_history:
        row_count += np.unique(np.concatenate([series.times for series in table.series])).size
    return row_count
