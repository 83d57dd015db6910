"""Compute the forecasts and detections of calls in parts, by the engine."""

from dataclasses import replace
from typing import Any

import numpy as np

from app.anomalies.results import BatchDetection
from app.api.computing.batch_cost import count_cost, guess_forecast_seconds
from app.api.computing.batches import MakeArguments, OutOfTimeError, batch_job, run_batch_job
from app.api.dialects.timegpt.bounds import (
    BATCH_SECONDS,
    MAX_DETECTION_POINTS,
    PARALLEL_PARTITIONS,
    TIME_MARGIN,
    never_fits_error,
    partitions_remedy,
)
from app.api.dialects.timegpt.requests import TimeGptDetectionRequest, TimeGptRequest
from app.api.dialects.timegpt.windows import missing_before
from app.api.request_state import JobDetails
from app.compute.jobs import Job
from app.forecasting.jobs.windows import (
    Forecasts,
    ForecastWindows,
    equivalent_forecasts,
    relative_costs,
)
from app.timeseries.types import FloatArray, IntArray

_REMEDY = "send the request again, with fewer series"
FORECAST_WINDOWS_JOB = batch_job(
    "app.forecasting.jobs.window_forecasts:forecast_windows", "forecast", _REMEDY
)
DETECTION_JOB = batch_job("app.anomalies.detect:detect_many", "detection", _REMEDY)
# Seconds of a core, guessed; after the first part only their ratios count.
_COLUMN_SECONDS = 0.002
_DETECTION_SECONDS = 0.003
_SECONDS_PER_POINT = 4e-6


def run_forecasts(request: TimeGptRequest, windows: ForecastWindows) -> Forecasts:
    """Return the forecasts of ``windows``; they count against the caller's limits."""
    values, options = request.values, request.options
    columns = request.columns_of_starts(windows)
    steps = windows.horizons + missing_before(windows, np.isfinite(values))
    forecasts_counted = int(equivalent_forecasts(steps).sum())
    count_cost(forecasts_counted, len(values) * (1 + request.sent_columns), never_fits_error)
    timed_windows = replace(windows, times=request.start_times_of(windows))
    seconds = guess_forecast_seconds(options.model_id)
    seconds += _COLUMN_SECONDS * (len(columns.values) if columns is not None else 0)

    def make_arguments(first: int, last: int) -> tuple[Any, ...]:
        part_windows, begin, end = timed_windows.part(first, last)
        part_columns = None if columns is None else columns.part(windows, first, last)
        return options, values[begin:end], part_windows, part_columns

    details = JobDetails(
        options.model_id, len(values), int(windows.horizons.max()), series_count=len(request.sizes)
    )
    seconds_by_series = seconds * relative_costs(windows.ends - windows.starts, steps)
    forecasts = Forecasts.join(
        _run_batch(FORECAST_WINDOWS_JOB, make_arguments, seconds_by_series, details)
    )
    details.fallback_count = forecasts.fallbacks
    return forecasts


def run_detections(request: TimeGptDetectionRequest) -> tuple[BatchDetection, IntArray]:
    """Return the detection of the last points of each series, and their number in each."""
    count_cost(len(request.sizes), len(request.values), never_fits_error)
    sizes = np.minimum(request.sizes, MAX_DETECTION_POINTS)
    judged = [
        request.values[end - size : end] for end, size in zip(request.ends, sizes, strict=True)
    ]

    def make_arguments(first: int, last: int) -> tuple[Any, ...]:
        options = request.options
        indices = slice(first, last)
        part_values, part_sizes = np.concatenate(judged[indices]), sizes[indices]
        rate = request.false_alarm_rate
        return options.frequency, options.periods, rate, part_values, part_sizes

    details = JobDetails("anomalies", len(request.values), series_count=len(sizes))
    guesses = _DETECTION_SECONDS + _SECONDS_PER_POINT * sizes
    return BatchDetection.join(_run_batch(DETECTION_JOB, make_arguments, guesses, details)), sizes


def _run_batch(
    job: Job, make_arguments: MakeArguments, guesses: FloatArray, details: JobDetails
) -> list[Any]:
    try:
        return run_batch_job(job, make_arguments, guesses, BATCH_SECONDS, details)
    except OutOfTimeError as error:
        remedy = partitions_remedy(PARALLEL_PARTITIONS * TIME_MARGIN, error.fraction)
        raise error.as_api_error(remedy) from None
