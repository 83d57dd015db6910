"""The seasonal periods of each frequency and step."""

import pytest

from app.timeseries.calendar.periods import (
    periods_of_business_days,
    periods_of_months,
    periods_of_seconds,
)

MINUTE, HOUR, DAY, WEEK = 60, 3_600, 86_400, 604_800


@pytest.mark.parametrize(
    ("step", "periods"),
    [
        *[(1, (60, 3_600)), (7, ()), (10, (6, 360)), (15, (4, 240)), (25, (144, 3_456))],
        *[(30, (120, 2_880)), (45, (80, 1_920)), (MINUTE, (1_440, 10_080))],
        *[(5 * MINUTE, (288, 2_016)), (7 * MINUTE, (1_440,)), (15 * MINUTE, (96, 672))],
        *[(30 * MINUTE, (48, 336)), (HOUR, (24, 168)), (2 * HOUR, (12, 84)), (5 * HOUR, ())],
        *[(12 * HOUR, (2, 14)), (DAY, (7, 365)), (2 * DAY, ()), (5 * DAY, (73,))],
        *[(WEEK, (52,)), (14 * DAY, (26,)), (3 * WEEK, ()), (26 * WEEK, (2,)), (52 * WEEK, ())],
    ],
)
def test_steps_of_constant_length_have_these_periods(step: int, periods: tuple[int, ...]) -> None:
    assert periods_of_seconds(step) == periods


@pytest.mark.parametrize(("step", "periods"), [(1, (5, 260)), (2, (130,)), (3, ())])
def test_business_days_have_these_periods(step: int, periods: tuple[int, ...]) -> None:
    assert periods_of_business_days(step) == periods


@pytest.mark.parametrize(
    ("months", "periods"),
    [(1, (12,)), (2, (6,)), (3, (4,)), (5, ()), (6, (2,)), (12, ()), (24, ())],
)
def test_months_have_these_periods(months: int, periods: tuple[int, ...]) -> None:
    assert periods_of_months(months) == periods


def test_every_period_is_a_whole_cycle_of_two_steps_or_more_shortest_first() -> None:
    for step in range(1, 2 * WEEK, 7):
        periods = periods_of_seconds(step)
        assert len(periods) <= 2
        assert list(periods) == sorted(periods)
        for period in periods:
            assert period >= 2
            assert period * step in (MINUTE, HOUR, DAY, WEEK, 364 * DAY, 365 * DAY)
