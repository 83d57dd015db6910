"""Exponential backoff."""

_MAX_DOUBLINGS = 10  # further ones would overflow in an outage of hours


def backoff_seconds(failures: int, minimum: float, maximum: float) -> float:
    """Return the seconds to wait after consecutive ``failures``: ``minimum``, doubled by each."""
    return min(minimum * 2.0 ** min(failures - 1, _MAX_DOUBLINGS), maximum)
