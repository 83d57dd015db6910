"""How much a call may ask for, and what it costs of its caller's limits."""

from app.api.declaration import Batch
from app.api.dialects.timegpt.errors import field_error
from app.api.limiter import count_request, current_state
from app.core.units import MEBIBYTE
from app.identity.limits.tiers import WINDOW_WORDS

MAX_SERIES = 20_000
MAX_POINTS = 1_000_000  # of all series, with the values of their columns
MAX_COLUMNS = 100
MAX_STEPS = 1_000  # of a horizon, and of values that are missing before it
MAX_LEVELS = 20
MAX_WINDOWS = 100
MAX_DETECTION_SIZE = 10_000  # of each series, by forecasts
MAX_DETECTION_POINTS = 50_000  # of each series, each point by all others: the last ones
MAX_RESPONSE_NUMBERS = 4_000_000  # of a response
MIN_INTERVAL_POINTS = 3  # points: of fewer nothing says how far the next one may be
FORECASTS_PER_REQUEST, POINTS_PER_REQUEST = 100, 50_000

PARALLEL_PARTITIONS = 10  # partitions that the SDK sends at the same time: they share the engines
TIME_MARGIN = 1.2  # of time, for partitions that take longer than others

PARTITIONS_REMEDY = "set num_partitions, an argument of the SDK's method"
BATCH = Batch(
    sent=16 * MEBIBYTE,
    unpacked=32 * MEBIBYTE,
    # MAX_POINTS numbers of 19 characters with MAX_SERIES sizes and timestamps take 110 MiB.
    max_memory_bytes=128 * MEBIBYTE,
    seconds=50,  # the SDK gives up after 60 s, and sends the same again, five times
    remedy=f"{PARTITIONS_REMEDY}, so that each call has fewer series",
)


def parts_remedy(size: float, limit: float) -> str:
    """Return the remedy for what is larger than ``limit``: how many partitions to make of it."""
    return f"{PARTITIONS_REMEDY}: {max(2, -int(-size // limit))} or more"


def count_cost(forecasts: int, points: int) -> None:
    """Count what a call costs beyond the request that was counted as it arrived.

    Raises:
        RateLimitExceeded: Not all of it fits now; only the first request stays counted.
        ApiError: 422 for what never fits: the SDK would send it again and again.
    """
    cost = max(-(-forecasts // FORECASTS_PER_REQUEST), -(-points // POINTS_PER_REQUEST))
    tightest = min(current_state().windows, key=lambda window: window.limit)
    if cost > tightest.limit:
        issue = (
            f"the call costs {cost:,} requests ({forecasts:,} forecasts, {points:,} points), but "
            f"the key has {tightest.limit:,} {WINDOW_WORDS[tightest.seconds]}"
        )
        raise field_error("series", f"{issue}; {parts_remedy(cost, tightest.limit)}")
    if cost > 1:
        count_request(cost - 1)
