"""Bounds of the steps that polls, previews and replays read, and which are partly unknown."""

import re

import numpy as np

from app.timeseries.seconds import DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS, WEEK_SECONDS
from app.timeseries.types import BoolArray

ENDED_AFTER_STEPS = 5  # a series without a value in these newest steps of its history has ended
ABSENT_STEPS = 5  # a series without a value for more steps than these is absent
MAX_STEPS_PER_REQUEST = 10_000  # steps of a response; Prometheus allows 11,000
# Steps after a gap that are partly unknown: in a longer window a gap weighs little by then.
MAX_PARTIAL_STEPS = 20
# A range of PromQL, such as `[5m]`, or a subquery's, `[1h30m:1m]`.
_RANGE = re.compile(r"\[((?:\d{1,9}(?:ms|[smhdwy]))+)[]:]")
_DURATION = re.compile(r"(\d{1,9})(ms|[smhdwy])")
_UNIT_SECONDS = {
    "ms": 0.001, "s": 1.0, "m": MINUTE_SECONDS, "h": HOUR_SECONDS,
    "d": DAY_SECONDS, "w": WEEK_SECONDS, "y": 365 * DAY_SECONDS,
}  # fmt: skip


def newest_complete_step(now: float, step: int, delay: int) -> int:
    """Return the newest step that is complete, in Unix seconds, ``delay`` seconds before ``now``.

    ``now`` is by the clock of the server: beyond it, Prometheus makes values up.
    """
    return int((now - delay) // step * step)


def partial_step_count(query: str, step: int) -> int:
    """Return how many steps after a gap the longest range of a query still reaches over it."""
    seconds = max(map(_seconds, _RANGE.findall(query)), default=0.0)
    return min(MAX_PARTIAL_STEPS, round(seconds / step))


def _seconds(duration: str) -> float:
    return sum(int(number) * _UNIT_SECONDS[unit] for number, unit in _DURATION.findall(duration))


def find_partial_steps(is_empty: BoolArray, count: int) -> BoolArray:
    """Return whether one of the ``count`` steps before each is empty: its window has a gap."""
    is_partial = np.zeros(len(is_empty), dtype=bool)
    for lag in range(1, min(count, len(is_empty) - 1) + 1):
        is_partial[lag:] |= is_empty[:-lag]
    return is_partial
