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
_DEFAULT_MODEL_FACTOR = 4  # the default model takes this many times as long as the others


def guess_forecast_seconds(model_id: str) -> float:
    """Guess how long a forecast of a very short series takes; later only the ratios count."""
    return _FORECAST_SECONDS * (_DEFAULT_MODEL_FACTOR if model_id == DEFAULT_MODEL else 1)


def count_cost(
    forecasts: int, points: int, make_error: Callable[[str, int, int], ApiError]
) -> None:
    """Count the cost of a call beyond the one request that was counted on arrival.

    Args:
        forecasts: The number of its forecasts; a long one counts as several of up to 100 steps.
        points: The number of points that it sent.
        make_error: Returns the error of a call that exceeds the smallest window, from the issue,
            the cost in requests, and the limit.

    Raise RateLimitExceeded if not all of it fits now, and keep the first request counted; raise the
    error of ``make_error`` if waiting would not help.
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
