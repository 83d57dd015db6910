"""Exponential backoff."""

_MAX_DOUBLINGS = 10  # after hours of failures, the power of two would overflow


def backoff_seconds(failures: int, minimum: float, maximum: float) -> float:
    """Return the seconds to wait after consecutive ``failures``: ``minimum``, doubled by each."""
    return min(minimum * 2.0 ** min(failures - 1, _MAX_DOUBLINGS), maximum)
