"""Exponential backoff, and the jitter of retries."""

import random

JITTER = 0.2  # fraction of a pause, in both directions, so that retries are spread
_MAX_DOUBLINGS = 10  # after hours of failures, the power of two would overflow


def backoff_seconds(failures: int, min_seconds: float, max_seconds: float) -> float:
    """Return the seconds to wait after consecutive ``failures``: the minimum, doubled by each."""
    return min(min_seconds * 2.0 ** min(failures - 1, _MAX_DOUBLINGS), max_seconds)


def jitter_factor() -> float:
    """Return the random factor of a pause, from 1 - `JITTER` to 1 + `JITTER`."""
    return random.uniform(1 - JITTER, 1 + JITTER)
