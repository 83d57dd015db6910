"""The cost of a call of many series: one request per 100 forecasts or 50,000 points; and time.

A forecast of more than 100 steps counts as several: `equivalent_forecasts`.
"""

from collections.abc import Callable

from app.api.callers.limiter import count_request, current_budget_state
from app.api.errors.api_error import ApiError
from app.forecasting.model_ids import DEFAULT_MODEL
from app.forecasting.types import MAX_HORIZON
from app.identity.limits.tiers import WINDOW_WORDS

FORECASTS_PER_REQUEST, POINTS_PER_REQUEST = 100, 50_000
_FORECAST_SECONDS = 0.006
_SLOW_MODEL = DEFAULT_MODEL
_SLOW_MODEL_FACTOR = 4


def guess_forecast_seconds(model_id: str) -> float:
    """Guess how long a very short series takes; after the first part only ratios count."""
    return _FORECAST_SECONDS * (_SLOW_MODEL_FACTOR if model_id == _SLOW_MODEL else 1)


def count_cost(
    forecasts: int, points: int, make_error: Callable[[str, int, int], ApiError]
) -> None:
    """Count what a call costs beyond the request that was counted as it arrived.

    Args:
        forecasts: How many forecasts of up to 100 steps its forecasts count as.
        points: How many points it sent.
        make_error: Makes the error of a call that exceeds the smallest window: of the issue, the
            requests that it costs, and the limit.

    Raises:
        RateLimitExceeded: Not all of it fits now; only the first request stays counted.
        ApiError: That of ``make_error``: waiting would not help.
    """
    cost = max(-(-forecasts // FORECASTS_PER_REQUEST), -(-points // POINTS_PER_REQUEST))
    smallest = min(current_budget_state().windows, key=lambda window: window.limit)
    if cost > smallest.limit:
        counted = f"{forecasts:,} forecasts of up to {MAX_HORIZON} steps, {points:,} points"
        has = f"the key has {smallest.limit:,} {WINDOW_WORDS[smallest.seconds]}"
        issue = f"the call costs {cost:,} requests ({counted}), but {has}"
        raise make_error(issue, cost, smallest.limit)
    if cost > 1:
        count_request(cost - 1)
