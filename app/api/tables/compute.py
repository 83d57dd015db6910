"""Read a table, forecast its series, and write the file: all by engine processes."""

import time
from typing import Any

import numpy as np

from app.api.computing.batch_cost import count_cost
from app.api.computing.batches import OutOfTimeError, run_batch
from app.api.computing.engine_jobs import BYTES_PER_POINT, run_job
from app.api.errors.api_error import ApiError
from app.api.read.routes import refusal_error, table_bounds
from app.api.request_log import JobDetails
from app.api.tables.problems import (
    long_names_error,
    no_forecast_error,
    open_questions_error,
    too_large_error,
    too_many_dates_error,
)
from app.api.tables.schemas import TableForecastRequest
from app.compute.jobs import Job
from app.core import instruments
from app.forecasting.model_ids import MODEL_IDS
from app.tables.forecasts.types import (
    FileFormat,
    ForecastOptions,
    SeriesForecast,
    TableToForecast,
    count_repeated_characters,
    count_wide_rows,
)

SECONDS = 50.0  # that a call takes at most, before its file is written
MAX_SERIES = 20_000
MAX_FORECAST_ROWS = 500_000  # with as many of the history they fit a sheet of a workbook
MAX_WIDE_NUMBERS = 2_000_000  # rows times series of a wide table, where most may be empty
MAX_REPEATED_CHARACTERS = 50_000_000  # of a long table, which has each name in every row
MAX_READING_SECONDS, MAX_WRITING_SECONDS = 20.0, 20.0

# Its parts say what they take; the place of a call takes no time by itself.
FORECASTS, READING, WRITING = (
    Job(
        f"app.tables.forecasts.{function}",
        noun=noun,
        remedy="send a smaller table",
        seconds=seconds,
        seconds_per_point=seconds_per_point,
        is_low_priority=True,
    )
    for function, noun, seconds, seconds_per_point in (
        ("compute:forecast_series", "table forecast", 0.0, 0.0),
        ("read:read_to_forecast", "table reading", 0.03, 2e-5),
        ("files:write_forecasts", "table writing", 0.02, 1e-5),
    )
)
# Guesses, of which only the ratios count after the first part.
FORECAST_SECONDS, SLOW_MODEL, SLOW_MODEL_FACTOR = 0.006, next(iter(MODEL_IDS)), 4
MANY_POINTS = 1_000  # take twice as long as a few; further ones hardly add to that
MIN_FRACTION = 0.01  # of a call: less is not a measure of anything


def read_table(content: bytes, request: TableForecastRequest) -> TableToForecast:
    """Return the series of a table, one of which at least can be forecast.

    Raises:
        ApiError: 400, 413 or 422 as POST /read, 422 for questions that are open, for a table of
            which no series can be forecast, and for one that has too many.
    """
    points, options = len(content) // BYTES_PER_POINT, request.options
    arguments = content, request.answers, table_bounds(MAX_SERIES), options.has_sum
    table = run_job(
        READING, *arguments, points=points, keeps_slot=True, seconds=MAX_READING_SECONDS
    )
    if not isinstance(table, TableToForecast):
        raise refusal_error(table)
    if table.questions:
        raise open_questions_error(table.questions)
    if all(history.problem for history in table.series):
        raise no_forecast_error(table.series)
    if len(table.series) * options.horizon > MAX_FORECAST_ROWS:
        raise too_large_error(len(table.series), options.horizon, MAX_FORECAST_ROWS)
    rows = count_wide_rows(table, options)
    if rows * len(table.series) > MAX_WIDE_NUMBERS:
        raise too_many_dates_error(rows, len(table.series), MAX_WIDE_NUMBERS)
    characters = count_repeated_characters(table, options)
    if characters > MAX_REPEATED_CHARACTERS:
        raise long_names_error(characters, MAX_REPEATED_CHARACTERS)
    return table


def forecast_table(
    table: TableToForecast, options: ForecastOptions, started: float
) -> list[SeriesForecast]:
    """Return the forecast of each series, which counts against the caller's limits.

    ``started`` is the time of ``time.monotonic`` from which the call has ``SECONDS``.
    """
    sent = [history.series for history in table.series if not history.problem]
    sizes = np.array([len(series.values) for series in sent])
    count_cost(len(sent), int(sizes.sum()), _never_fits_error)

    def arguments(first: int, last: int) -> tuple[Any, ...]:
        return options, sent[first:last]

    usual = FORECAST_SECONDS * (SLOW_MODEL_FACTOR if options.model_id == SLOW_MODEL else 1)
    guesses = usual * (1 + np.minimum(sizes, MANY_POINTS) / MANY_POINTS)
    details = JobDetails(options.model_id, int(sizes.sum()), options.horizon, series=len(sent))
    left = SECONDS - (time.monotonic() - started)
    try:
        parts = run_batch(FORECASTS, arguments, guesses, left, details)
    except OutOfTimeError as error:
        count = max(1, int(max(error.fraction, MIN_FRACTION) * len(sent)))
        remedy = f"send about {count:,} series in a request"
        faster = "" if options.model_id == "forecast-model-2" else ", or model=forecast-model-2"
        issue = f"too much work for one call: {error}; {remedy}{faster}"
        raise ApiError(422, "Too much work", {"issue": issue}) from None
    computed = [forecast for part in parts for forecast in part]
    fell_back = sum(forecast.fell_back for forecast in computed)
    details.fell_back = fell_back > 0
    instruments.FALLBACKS.labels(options.model_id).inc(fell_back)
    in_order = iter(computed)
    nothing = np.zeros(0)
    without = SeriesForecast(nothing, nothing, nothing)
    return [without if history.problem else next(in_order) for history in table.series]


def write_file(
    table: TableToForecast,
    forecasts: list[SeriesForecast],
    options: ForecastOptions,
    file_format: FileFormat,
) -> bytes:
    """Return the file of a table with its forecasts."""
    rows = len(table.series) * options.horizon
    rows += sum(len(history.values) for history in table.series) if options.has_history else 0
    arguments = table, forecasts, options, file_format
    written: bytes = run_job(
        WRITING, *arguments, points=rows, keeps_slot=True, seconds=MAX_WRITING_SECONDS
    )
    return written


def _never_fits_error(issue: str, cost: int, limit: int) -> ApiError:
    parts = max(2, -(-cost // limit))
    remedy = f"send the table in {parts:,} parts, at different times"
    return ApiError(422, "Too many forecasts", {"issue": f"{issue}; {remedy}"})
