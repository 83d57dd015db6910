"""The bounds of a call, and its cost in requests of the caller's limits."""

from app.api.dialects.timegpt.errors import invalid_field_error
from app.api.endpoints.endpoint import BatchBounds
from app.api.errors.api_error import ApiError
from app.core.memory_units import MEBIBYTE

MAX_SERIES = 20_000
MAX_POINTS = 1_000_000  # of all series together, with the values of their columns
MAX_COLUMNS = 100
MAX_STEPS = 1_000  # steps of a horizon, and missing values before it
MAX_LEVELS = 20
MAX_WINDOWS = 100
MAX_DETECTION_SIZE = 10_000  # points of each series that forecasts check
MAX_DETECTION_POINTS = 50_000  # last points of each series that are compared with all others
MAX_RESPONSE_NUMBERS = 4_000_000  # numbers in a response

PARALLEL_PARTITIONS = 10  # partitions that the SDK sends at the same time: they share the engines
TIME_MARGIN = 1.2  # some partitions take longer than others

_SET_PARTITIONS = "set num_partitions, an argument of the SDK's method"
BATCH_SECONDS = 50.0  # the SDK gives up after 60 s, and sends the same again, five times
BATCH = BatchBounds(
    max_sent_bytes=16 * MEBIBYTE,
    max_unpacked_bytes=32 * MEBIBYTE,
    # MAX_POINTS numbers of 19 characters with MAX_SERIES sizes and timestamps take 110 MiB.
    max_memory_bytes=128 * MEBIBYTE,
    remedy=f"{_SET_PARTITIONS}, so that each call has fewer series",
)


def partitions_remedy(size: float, limit: float) -> str:
    """Return the remedy for a ``size`` above ``limit``: the number of partitions to send."""
    return f"{_SET_PARTITIONS}: {max(2, -int(-size // limit))} or more"


def never_fits_error(issue: str, cost: int, limit: int) -> ApiError:
    """Return the 422 of a call that costs more requests than a window has."""
    return invalid_field_error("series", f"{issue}; {partitions_remedy(cost, limit)}")
