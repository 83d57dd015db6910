"""Rulers number the moments on their marks, and know what lies between them."""

import numpy as np
import pytest

from app.forecasting.calendar.rulers import BusinessDayRuler, MonthRuler, Ruler, SecondsRuler
from tests.forecasting.calendar.calendars import seconds


@pytest.mark.parametrize(
    "ruler", [SecondsRuler(), BusinessDayRuler(34_200), MonthRuler(31, 86_399), MonthRuler(1, 0)]
)
def test_positions_and_moments_are_inverse_on_the_marks(ruler: Ruler) -> None:
    marks = np.arange(12, 60_000, dtype=np.int64)
    positions, on_ruler = ruler.positions(ruler.moments(marks))
    assert on_ruler.all()
    assert (positions == marks).all()


@pytest.mark.parametrize(
    ("text", "on_ruler"),
    [
        ("2024-01-05T09:30:00", True),
        ("2024-01-06T09:30:00", False),
        ("2024-01-07T09:30:00", False),
        ("2024-01-08T09:30:00", True),
        ("2024-01-08T09:30:01", False),
    ],
)
def test_business_days_are_monday_to_friday_at_one_time(text: str, on_ruler: bool) -> None:
    assert BusinessDayRuler(34_200).positions(seconds([text]))[1].tolist() == [on_ruler]


@pytest.mark.parametrize(
    ("text", "day", "on_ruler"),
    [
        ("2023-02-28T00:00:00", 31, True),
        ("2024-02-28T00:00:00", 31, False),
        ("2024-02-29T00:00:00", 29, True),
        ("2024-02-28T00:00:00", 28, True),
        ("2024-03-28T00:00:00", 29, False),
        ("2024-03-31T12:00:00", 31, False),
    ],
)
def test_a_month_has_one_mark_the_last_day_of_a_shorter_one(
    text: str, day: int, on_ruler: bool
) -> None:
    assert MonthRuler(day, 0).positions(seconds([text]))[1].tolist() == [on_ruler]
