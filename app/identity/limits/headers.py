"""Format the rate-limit headers of responses and the details of a 429."""

import datetime as dt
import math

from app.identity.limits.budget import BudgetState, WindowState


def rate_limit_headers(state: BudgetState) -> dict[str, str]:
    """Return the three headers that describe the tightest window of ``state``."""
    window = state.tightest
    return {
        "X-RateLimit-Limit": str(window.limit),
        "X-RateLimit-Remaining": str(window.remaining),
        "X-RateLimit-Reset": str(math.ceil(window.resets_at)),
    }


def retry_after(window: WindowState, now: float) -> str:
    """Return the whole seconds until ``window`` ends, at least 1."""
    return str(max(1, math.ceil(window.resets_at - now)))


def rejection_details(window: WindowState) -> dict[str, int | str]:
    """Return the details of a 429: the limit exceeded and when it resets (UTC)."""
    reset = dt.datetime.fromtimestamp(math.ceil(window.resets_at), dt.UTC)
    return {"limit": window.limit, "reset_time": reset.strftime("%Y-%m-%dT%H:%M:%SZ")}
