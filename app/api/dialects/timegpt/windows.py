"""The windows of a call: after which values it forecasts, and how many steps."""

import numpy as np

from app.api.dialects.timegpt.bounds import MAX_RESPONSE_NUMBERS, MAX_STEPS, parts_remedy
from app.api.dialects.timegpt.errors import invalid_field_error
from app.api.dialects.timegpt.requests import (
    CrossValidationRequest,
    OnlineDetectionRequest,
    TimeGptForecastRequest,
    TimeGptRequest,
)
from app.api.errors.api_error import ApiError
from app.forecasting.windows import MAX_HISTORY_POINTS, MIN_FITTED_POINTS, ForecastWindows
from app.timeseries.types import BoolArray, IntArray

# `add_history` does not forecast the first two seasons of a series, of a short series the first
# half. The rest is cut into this many windows.
_MIN_LEARNED_POINTS, _LEARNED_SEASONS = 10, 2
_HISTORY_WINDOWS = 4


def future_windows(request: TimeGptForecastRequest) -> ForecastWindows:
    windows = ForecastWindows(
        request.starts, request.ends, np.full_like(request.sizes, request.horizon)
    )
    return _check_windows(request, windows, np.arange(len(request.sizes)))


def last_windows(request: CrossValidationRequest) -> ForecastWindows:
    """Return the windows of a cross-validation, series by series, oldest first."""
    needed = request.horizon + request.step * (request.count - 1) + 1
    _check_sizes(
        request,
        needed,
        f"{request.count} windows of {request.horizon} points, {request.step} apart, need {needed}",
    )
    back = request.horizon + request.step * np.arange(request.count - 1, -1, -1)
    return _windows_before_end(request, back, np.full_like(back, request.horizon))


def judging_windows(request: OnlineDetectionRequest) -> ForecastWindows:
    """Return the windows whose forecasts judge the last points of each series."""
    _check_sizes(
        request, request.size + 1, f"detection_size {request.size} needs {request.size + 1}"
    )
    back = np.arange(request.size, 0, -request.step)
    return _windows_before_end(request, back, np.minimum(back, request.step))


def history_windows(request: TimeGptRequest) -> tuple[ForecastWindows, IntArray]:
    """Return windows of nearly all of each series, and how many of its points they forecast.

    The windows of a series do not depend on the other series of the call.
    """
    season = min(request.options.periods, default=1)
    columns, sizes = [], []
    known = np.isfinite(request.values)
    for owner, (start, end) in enumerate(zip(request.starts, request.ends, strict=True)):
        begin = start + int(known[start:end].argmax())
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
    request: TimeGptRequest, back: IntArray, horizons: IntArray
) -> ForecastWindows:
    """Return windows that end ``back`` points before each series, ``horizons`` steps long."""
    series = len(request.sizes)
    ends = (request.ends[:, None] - back).ravel()
    windows = ForecastWindows(np.repeat(request.starts, len(back)), ends, np.tile(horizons, series))
    return _check_windows(request, windows, np.repeat(np.arange(series), len(back)))


def _check_sizes(request: TimeGptRequest, needed: int, reason: str) -> None:
    if (short := np.flatnonzero(request.sizes < needed)).size:
        issue = f"has {request.sizes[short[0]]} points, but {reason}; leave it out or ask for less"
        raise _series_error(short, issue)


def _check_windows(
    request: TimeGptRequest, windows: ForecastWindows, owners: IntArray
) -> ForecastWindows:
    """Return the windows, each of the series ``owners``, if all can be forecast and sent.

    Raises:
        ApiError: 422 for the first series of which one cannot, or for too large a response.
    """
    numbers = int(windows.horizons.sum()) * (1 + 2 * len(request.labels))
    if numbers > MAX_RESPONSE_NUMBERS:
        issue = (
            f"the response would have {numbers:,} numbers, "
            f"at most {MAX_RESPONSE_NUMBERS:,} are sent"
        )
        raise invalid_field_error(
            "series", f"{issue}; {parts_remedy(numbers, MAX_RESPONSE_NUMBERS)}"
        )
    known = np.isfinite(request.values)
    counted = np.concatenate([[0], np.cumsum(known)])
    used = np.maximum(windows.starts, windows.ends - MAX_HISTORY_POINTS)
    points = counted[windows.ends] - counted[used]
    if (empty := np.flatnonzero(points == 0)).size:
        issue = "has no value before a forecast, at least 1 is needed; leave it out"
        raise _series_error(owners[empty], issue)
    missing = missing_before(windows, known)
    if (late := np.flatnonzero(missing > MAX_STEPS)).size:
        issue = f"has {missing[late[0]]:,} nulls before a forecast, at most {MAX_STEPS:,} may be"
        raise _series_error(owners[late], f"{issue}; leave it out, or its last rows")
    return windows


def missing_before(windows: ForecastWindows, known: BoolArray) -> IntArray:
    """Return how many values are missing just before each window's steps, shape (w,).

    They are forecast, too. ``known`` (n,) is false where a value is missing.
    """
    last_known = np.maximum.accumulate(np.where(known, np.arange(len(known)), -1))
    return windows.ends - 1 - last_known[windows.ends - 1]


def _series_error(owners: IntArray, issue: str) -> ApiError:
    first = int(owners[0])
    others = len(set(owners.tolist())) - 1
    more = f" (so have {others:,} others)" if others else ""
    subject = f"series {first}, counted from 0 in the order of the ids,"
    return invalid_field_error(f"series.sizes[{first}]", f"{subject} {issue}{more}")
