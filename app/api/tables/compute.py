"""Read a table, forecast its series, and write the file: all by engine processes."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from app.api.computing.batch_cost import count_cost, guess_forecast_seconds
from app.api.computing.batches import OutOfTimeError, batch_job, run_batch
from app.api.computing.engine_jobs import BYTES_PER_POINT, run_job
from app.api.errors.api_error import ApiError
from app.api.errors.problems import MAX_ERRORS
from app.api.read.reading import refusal_error, table_bounds
from app.api.request_state import JobDetails
from app.api.tables.problems import (
    long_names_error,
    no_forecast_error,
    open_questions_error,
    too_large_error,
    too_many_dates_error,
)
from app.api.tables.schemas import TableForecastRequest
from app.compute.jobs import Job
from app.forecasting.model_ids import LIGHT_MODEL
from app.forecasting.types import MAX_HORIZON
from app.tables.forecasts.types import FileFormat, ForecastBlock, ForecastOptions, TableInBlocks

SECONDS = 50.0  # a call takes at most this long before its file is written
MAX_SERIES = 20_000
MAX_FORECAST_ROWS = 500_000  # with as many rows of history they fit a sheet of a workbook
MAX_WIDE_NUMBERS = 2_000_000  # rows times series of a wide table, where most may be empty
MAX_REPEATED_CHARACTERS = 50_000_000  # of a long table, which has each name in every row
MAX_READING_SECONDS, MAX_WRITING_SECONDS = 20.0, 20.0

REMEDY = "send a smaller table"
FORECASTS = batch_job("app.tables.forecasts.blocks:forecast_blocks", "table forecast", REMEDY)
READING, WRITING = (
    Job(
        f"app.tables.forecasts.blocks:{function}",
        noun=noun,
        remedy=REMEDY,
        seconds=seconds,
        seconds_per_point=seconds_per_point,
        is_low_priority=True,
    )
    for function, noun, seconds, seconds_per_point in (
        ("read_blocks", "table reading", 0.03, 2e-5),
        ("write_blocks", "table writing", 0.02, 1e-5),
    )
)
BLOCK_SECONDS = 0.0005  # a guess, for a block without its forecasts


def read_blocks(
    content: bytes, request: TableForecastRequest, file_format: FileFormat
) -> TableInBlocks:
    """Return the series of a table, one of which at least can be forecast.

    Raises:
        ApiError: 400, 413 or 422 as POST /read, 422 for questions that are open, for a table of
            which no series can be forecast, and for one whose forecasts are too large a file.
    """
    points, options = len(content) // BYTES_PER_POINT, request.options
    arguments = content, request.answers, table_bounds(MAX_SERIES), options, MAX_ERRORS
    table = run_job(
        READING, *arguments, points=points, keeps_slot=True, seconds=MAX_READING_SECONDS
    )
    if not isinstance(table, TableInBlocks):
        raise refusal_error(table)
    if table.questions:
        raise open_questions_error(table.questions)
    if not table.forecasts:
        raise no_forecast_error(table.problems)
    _reject_too_large(table, options, file_format)
    return table


def _reject_too_large(
    table: TableInBlocks, options: ForecastOptions, file_format: FileFormat
) -> None:
    """Raise a 422 if a file cannot have the forecasts. JSON has each series once, by itself."""
    if table.series * options.horizon > MAX_FORECAST_ROWS:
        raise too_large_error(table.series, options.horizon, MAX_FORECAST_ROWS)
    if file_format is FileFormat.JSON:
        return
    if table.wide_rows * table.series > MAX_WIDE_NUMBERS:
        raise too_many_dates_error(table.wide_rows, table.series, MAX_WIDE_NUMBERS)
    if table.repeated_characters > MAX_REPEATED_CHARACTERS:
        raise long_names_error(table.repeated_characters, MAX_REPEATED_CHARACTERS)


def forecast_blocks(
    table: TableInBlocks, options: ForecastOptions, started: float
) -> list[ForecastBlock]:
    """Return the forecasts of all series in order, which count against the caller's limits.

    ``started`` is the time of ``time.monotonic`` from which the call has ``SECONDS``.
    """
    count_cost(table.forecasts, table.points, _never_fits_error)

    def arguments(first: int, last: int) -> tuple[Any, ...]:
        return options, [block.pickled for block in table.blocks[first:last]]

    forecasts_of_blocks = np.array([block.short_forecasts for block in table.blocks])
    guess = guess_forecast_seconds(options.model_id) * max(1, options.horizon / MAX_HORIZON)
    guesses = BLOCK_SECONDS + guess * forecasts_of_blocks
    details = JobDetails(options.model_id, table.points, options.horizon, series=table.forecasts)
    left = SECONDS - (time.monotonic() - started)
    try:
        forecasts: list[ForecastBlock] = run_batch(FORECASTS, arguments, guesses, left, details)
    except OutOfTimeError as error:
        count = max(1, int(error.fraction * table.forecasts))
        remedy = f"send about {count:,} series in a request"
        faster = "" if options.model_id == LIGHT_MODEL else f", or model={LIGHT_MODEL}"
        raise error.as_api_error(remedy + faster) from None
    details.fallbacks = sum(block.fell_back for block in forecasts)
    return forecasts


def write_file(
    table: TableInBlocks,
    forecasts: Sequence[ForecastBlock],
    options: ForecastOptions,
    file_format: FileFormat,
) -> bytes:
    blocks = [block.pickled for block in table.blocks]
    computed = [block.pickled for block in forecasts]
    arguments = blocks, table.style, table.remarks, computed, options, file_format
    written: bytes = run_job(
        WRITING, *arguments, points=table.rows, keeps_slot=True, seconds=MAX_WRITING_SECONDS
    )
    return written


def _never_fits_error(issue: str, cost: int, limit: int) -> ApiError:
    parts = max(2, -(-cost // limit))
    remedy = f"send the table in {parts:,} parts, at different times"
    return ApiError(422, "Too many forecasts", {"issue": f"{issue}; {remedy}"})
