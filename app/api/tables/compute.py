"""Read a table, forecast its series, and write the file: all by engine processes."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from app.api.computing.batch_cost import count_cost, guess_forecast_seconds
from app.api.computing.batches import OutOfTimeError, batch_job, run_batch_job
from app.api.computing.engine_jobs import BYTES_PER_POINT, run_job
from app.api.errors.api_error import ApiError
from app.api.errors.validation import MAX_ERRORS
from app.api.read.reading import MAX_READING_SECONDS, READ_JOB, rejection_error, table_bounds
from app.api.request_state import JobDetails
from app.api.tables.schemas import TableForecastRequest
from app.compute.jobs import Job
from app.core.settings import MAX_CALL_SECONDS
from app.forecasting.jobs.windows import equivalent_forecasts
from app.forecasting.model_ids import LIGHT_MODEL
from app.tables.forecasts.types import FileFormat, ForecastBlock, ForecastOptions, TableInBlocks
from app.tables.reading import Question

_MAX_WRITING_SECONDS = 20.0
_MAX_FORECASTING_SECONDS = MAX_CALL_SECONDS - _MAX_WRITING_SECONDS  # with the reading of the table
_MAX_TABLE_SERIES = 20_000
MAX_FORECAST_ROWS = 500_000  # with the same number of rows of history they fit a worksheet
MAX_WIDE_NUMBERS = 2_000_000  # rows times series of a wide table, where most may be empty
MAX_REPEATED_CHARACTERS = 50_000_000  # of a long table, which has each name in every row

FORECAST_BLOCKS_JOB = batch_job(
    "app.tables.forecasts.blocks:forecast_blocks", "table forecast", READ_JOB.remedy
)
_READ_BLOCKS_JOB = replace(
    READ_JOB, function="app.tables.forecasts.blocks:read_blocks", noun="table reading"
)
_WRITE_BLOCKS_JOB = Job(
    "app.tables.forecasts.blocks:write_blocks",
    noun="table writing",
    remedy=READ_JOB.remedy,
    seconds_per_point=1e-5,
    is_low_priority=True,
)
_GUESSED_BLOCK_SECONDS = 0.0005  # a guess, for a block without its forecasts


def read_table_blocks(
    content: bytes, request: TableForecastRequest, file_format: FileFormat
) -> TableInBlocks:
    """Return the series of a table, of which at least one can be forecast.

    Raise ApiError: 400, 413 or 422 as POST /read, 422 for questions that are open, for a table
    without a series that can be forecast, and for one whose forecasts are too large a file.
    """
    points = len(content) // BYTES_PER_POINT
    options = request.options
    arguments = content, request.answers, table_bounds(_MAX_TABLE_SERIES), options, MAX_ERRORS
    table = run_job(
        _READ_BLOCKS_JOB,
        *arguments,
        points=points,
        keep_slot=True,
        timeout_seconds=MAX_READING_SECONDS,
    )
    if not isinstance(table, TableInBlocks):
        raise rejection_error(table)
    if table.questions:
        raise _open_questions_error(table.questions)
    if not table.forecast_count:
        raise _no_forecast_error(table.problems)
    _reject_too_large(table, options, file_format)
    return table


def _reject_too_large(
    table: TableInBlocks, options: ForecastOptions, file_format: FileFormat
) -> None:
    """Raise a 422 if a file cannot have the forecasts. In JSON each series is separate."""
    series_count = table.series_count
    row_count = series_count * options.horizon
    if row_count > MAX_FORECAST_ROWS:
        issue = (
            f"{series_count:,} series of {options.horizon} periods are {row_count:,} rows, at most "
            f"{MAX_FORECAST_ROWS:,} are returned; send a horizon of at most "
            f"{MAX_FORECAST_ROWS // series_count}, or fewer series"
        )
        raise ApiError(422, "Too many forecasts", issue)
    if file_format is FileFormat.JSON:
        return
    if table.wide_row_count * series_count > MAX_WIDE_NUMBERS:
        issue = (
            f"the series have different dates: {table.wide_row_count:,} rows of {series_count:,} "
            f"series are more than the {MAX_WIDE_NUMBERS:,} numbers of a table with a column for "
            "each series; send fewer series, or a long table: a row for each series and date"
        )
        raise ApiError(422, "Too many dates", issue)
    if table.repeated_characters > MAX_REPEATED_CHARACTERS:
        issue = (
            "the names of series would be repeated in all rows: "
            f"{table.repeated_characters:,} characters, at most {MAX_REPEATED_CHARACTERS:,} are "
            "written; send shorter names, a shorter horizon or fewer series"
        )
        raise ApiError(422, "Too long names", issue)


def forecast_table_blocks(
    table: TableInBlocks, options: ForecastOptions, started: float
) -> list[ForecastBlock]:
    """Return the forecasts of all series in order, which count against the caller's limits.

    ``started`` is when the call began, by ``time.monotonic``: it has ``_MAX_FORECASTING_SECONDS``.
    """
    forecasts_counted = table.forecast_count * equivalent_forecasts(options.horizon)
    count_cost(forecasts_counted, table.point_count, _never_fits_error)

    def arguments(first: int, last: int) -> tuple[Any, ...]:
        return options, [block.pickled for block in table.blocks[first:last]]

    forecasts_of_blocks = np.array([block.short_forecasts for block in table.blocks])
    seconds = guess_forecast_seconds(options.model_id)
    guesses = _GUESSED_BLOCK_SECONDS + seconds * forecasts_of_blocks
    details = JobDetails(
        options.model_id, table.point_count, options.horizon, series_count=table.forecast_count
    )
    remaining_seconds = _MAX_FORECASTING_SECONDS - (time.monotonic() - started)
    try:
        forecasts: list[ForecastBlock] = run_batch_job(
            FORECAST_BLOCKS_JOB, arguments, guesses, remaining_seconds, details
        )
    except OutOfTimeError as error:
        count = max(1, int(error.fraction * table.forecast_count))
        remedy = f"send about {count:,} series in a request"
        faster = "" if options.model_id == LIGHT_MODEL else f", or model={LIGHT_MODEL}"
        raise error.as_api_error(remedy + faster) from None
    details.fallback_count = sum(block.fallback_count for block in forecasts)
    return forecasts


def render_file(
    table: TableInBlocks,
    forecasts: Sequence[ForecastBlock],
    options: ForecastOptions,
    file_format: FileFormat,
) -> bytes:
    blocks = [block.pickled for block in table.blocks]
    computed = [block.pickled for block in forecasts]
    arguments = blocks, table.style, table.remarks, computed, options, file_format
    return run_job(
        _WRITE_BLOCKS_JOB,
        *arguments,
        points=table.long_row_count,
        keep_slot=True,
        timeout_seconds=_MAX_WRITING_SECONDS,
    )


def _never_fits_error(issue: str, cost: int, limit: int) -> ApiError:
    parts = max(2, -(-cost // limit))
    remedy = f"send the table in {parts:,} parts, at different times"
    return ApiError(422, "Too many forecasts", f"{issue}; {remedy}")


def _open_questions_error(questions: Sequence[Question]) -> ApiError:
    """Return the 422 of questions: each an entry of ``errors``, with its choices."""
    errors = [
        {
            "field": question.parameter,
            "issue": f"{question.question} Send {question.parameter}=… in the query.",
            "provided": None,
            "question": question.question,
            "choices": question.choices,
        }
        for question in questions
    ]
    first_error = {name: errors[0][name] for name in ("field", "issue", "provided")}
    details = {**first_error, "errors": errors}
    return ApiError(
        422, "The table leaves questions open", details=details, field=questions[0].parameter
    )


def _no_forecast_error(problems: Sequence[str]) -> ApiError:
    """Return the 422 of a table without a series that can be forecast, with the first problems."""
    errors = [{"field": "body", "issue": problem, "provided": None} for problem in problems]
    return ApiError(
        422, "No series can be forecast", details={**errors[0], "errors": errors}, field="body"
    )
