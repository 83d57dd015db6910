"""How pages show numbers and times."""

import datetime as dt

import pytest

from app.web.dashboard.filters import seconds_text
from app.web.dashboard.texts import relative_time


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (None, "–"),
        (0.0, "0 ms"),
        (0.01234, "12 ms"),
        (0.9996, "1 s"),
        (1.26, "1.3 s"),
        (123.0, "120 s"),
    ],
)
def test_a_duration_is_shown_with_two_digits(seconds: float | None, shown: str) -> None:
    assert seconds_text(seconds) == shown


@pytest.mark.parametrize(
    ("seconds", "past", "future"),
    [
        (1, "just now", "in less than a minute"),
        (59.4, "just now", "in less than a minute"),
        (59.6, "1 minute ago", "in 1 minute"),
        (3_569, "59 minutes ago", "in 59 minutes"),
        (3_571, "1 hour ago", "in 1 hour"),
        (84_599, "23 hours ago", "in 23 hours"),
        (84_601, "1 day ago", "in 1 day"),
        (30 * 86_400 - 1, "30 days ago", "in 30 days"),
    ],
)
def test_the_unit_of_a_relative_time_is_that_of_its_rounded_count(
    seconds: float, past: str, future: str
) -> None:
    now = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)
    assert relative_time(now - dt.timedelta(seconds=seconds), now) == past
    assert relative_time(now + dt.timedelta(seconds=seconds), now) == future
