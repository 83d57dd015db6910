"""The windows of a call: the values that each forecast starts from, and its steps."""

import numpy as np

from app.api.dialects.timegpt.bounds import MAX_RESPONSE_NUMBERS, MAX_STEPS, partitions_remedy
from app.api.dialects.timegpt.errors import invalid_field_error
from app.api.dialects.timegpt.requests import (
    TimeGptCrossValidationRequest,
    TimeGptForecastRequest,
    TimeGptOnlineDetectionRequest,
    TimeGptRequest,
)
from app.api.errors.api_error import ApiError
from app.forecasting.jobs.windows import MAX_HISTORY_POINTS, MIN_FITTED_POINTS, ForecastWindows
from app.timeseries.types import BoolArray, IntArray
from app.timeseries.words import count_of

# `add_history` does not forecast the first seasons of a series, and no more than its second half.
_MIN_LEARNED_POINTS, _LEARNED_SEASONS = 10, 2
_HISTORY_WINDOWS = 4  # windows that the rest is cut into


def future_windows(request: TimeGptForecastRequest) -> ForecastWindows:
    windows = ForecastWindows(
        request.starts, request.ends, np.full_like(request.sizes, request.horizon)
    )
    return _check_windows(request, windows, np.arange(len(request.sizes)))


def last_windows(request: TimeGptCrossValidationRequest) -> ForecastWindows:
    """Return the windows of a cross-validation, series by series, oldest first."""
    count, step = request.window_count, request.step_size
    needed = request.horizon + step * (count - 1) + 1
    windows_text = f"{count} windows of {request.horizon} points, {step} apart,"
    _check_sizes(request, needed, f"{windows_text} need {needed}")
    offsets = request.horizon + step * np.arange(count - 1, -1, -1)
    return _windows_before_end(request, offsets, np.full_like(offsets, request.horizon))


def judging_windows(request: TimeGptOnlineDetectionRequest) -> ForecastWindows:
    """Return the windows whose forecasts judge the last points of each series."""
    size = request.detection_size
    _check_sizes(request, size + 1, f"detection_size {size} needs {size + 1}")
    offsets = np.arange(size, 0, -request.step_size)
    return _windows_before_end(request, offsets, np.minimum(offsets, request.step_size))


def history_windows(request: TimeGptRequest) -> tuple[ForecastWindows, IntArray]:
    """Return windows over nearly all of each series, and how many of its points they forecast.

    The windows of a series do not depend on the other series of the call.
    """
    season = min(request.options.periods, default=1)
    columns, sizes = [], []
    is_known = np.isfinite(request.values)
    for owner, (start, end) in enumerate(zip(request.starts, request.ends, strict=True)):
        begin = start + int(is_known[start:end].argmax())
        half = max(MIN_FITTED_POINTS, (end - begin) // 2)
        first = min(begin + min(max(_MIN_LEARNED_POINTS, _LEARNED_SEASONS * season), half), end)
        length = min(max(1, -(-(end - first) // _HISTORY_WINDOWS)), MAX_STEPS)
        cuts = np.arange(first, end, length)
        horizons = np.minimum(length, end - cuts)
        columns.append((np.full_like(cuts, start), cuts, horizons, np.full_like(cuts, owner)))
        sizes.append(end - first)
    if not any(sizes):
        issue = f"each series has at most {MIN_FITTED_POINTS} points; leave out add_history"
        raise invalid_field_error("series.sizes", issue)
    *table, owners = (np.concatenate(column) for column in zip(*columns, strict=True))
    return _check_windows(request, ForecastWindows(*table), owners), np.array(sizes)


def _windows_before_end(
    request: TimeGptRequest, offsets: IntArray, horizons: IntArray
) -> ForecastWindows:
    """Return the windows that end ``offsets`` points before the end of each series."""
    count, windows_each = len(request.sizes), len(offsets)
    starts = np.repeat(request.starts, windows_each)
    ends = (request.ends[:, None] - offsets).ravel()
    windows = ForecastWindows(starts, ends, np.tile(horizons, count))
    return _check_windows(request, windows, np.repeat(np.arange(count), windows_each))


def _check_sizes(request: TimeGptRequest, needed: int, reason: str) -> None:
    if (short := np.flatnonzero(request.sizes < needed)).size:
        points = count_of(request.sizes[short[0]], "point")
        issue = f"has {points}, but {reason}; leave it out or ask for less"
        raise _series_error(short, issue)


def _check_windows(
    request: TimeGptRequest, windows: ForecastWindows, owners: IntArray
) -> ForecastWindows:
    """Return ``windows`` if all can be forecast; ``owners`` are the indices of their series.

    Raise ApiError, 422, for the first series that cannot be forecast, or for too large a response.
    """
    numbers = int(windows.horizons.sum()) * (1 + 2 * len(request.level_labels))
    if numbers > MAX_RESPONSE_NUMBERS:
        issue = (
            f"the response would have {numbers:,} numbers, "
            f"at most {MAX_RESPONSE_NUMBERS:,} are sent"
        )
        raise invalid_field_error(
            "series", f"{issue}; {partitions_remedy(numbers, MAX_RESPONSE_NUMBERS)}"
        )
    is_known = np.isfinite(request.values)
    known_before = np.concatenate([[0], np.cumsum(is_known)])
    used_starts = np.maximum(windows.starts, windows.ends - MAX_HISTORY_POINTS)
    points = known_before[windows.ends] - known_before[used_starts]
    if (empty := np.flatnonzero(points == 0)).size:
        issue = "has no value before a forecast, at least 1 is needed; leave it out"
        raise _series_error(owners[empty], issue)
    missing = missing_before(windows, is_known)
    if (late := np.flatnonzero(missing > MAX_STEPS)).size:
        issue = f"has {missing[late[0]]:,} nulls before a forecast, at most {MAX_STEPS:,} may be"
        raise _series_error(owners[late], f"{issue}; leave it out, or its last rows")
    return windows


def missing_before(windows: ForecastWindows, is_known: BoolArray) -> IntArray:
    """Return how many values are missing at the end of each window's history, shape (w,).

    They are forecast, too. ``is_known`` has the shape (n,) of the values.
    """
    last_known = np.maximum.accumulate(np.where(is_known, np.arange(len(is_known)), -1))
    return windows.ends - 1 - last_known[windows.ends - 1]


def _series_error(owners: IntArray, issue: str) -> ApiError:
    first = int(owners[0])
    others = len(set(owners.tolist())) - 1
    more = f" (as in {count_of(others, 'other')})" if others else ""
    subject = f"series {first}, counted from 0 in the order of the ids,"
    return invalid_field_error(f"series.sizes[{first}]", f"{subject} {issue}{more}")
