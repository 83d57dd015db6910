"""The baseline without a holiday, from the weeks around it."""

import numpy as np
import pytest

from app.forecasting.calendar_effects.calendar_effects import baseline_values, interpolate_weeks


def test_the_baseline_is_the_mean_of_the_weeks_around() -> None:
    values = np.repeat([1.0, 2.0, 4.0], 7)
    ordinary = np.ones(21, dtype=bool)
    assert baseline_values(values, ordinary, 7)[10] == pytest.approx(2.5)
    ordinary[17] = False
    assert baseline_values(values, ordinary, 7)[10] == pytest.approx(1.0)
    ordinary[3] = False
    assert np.isnan(baseline_values(values, ordinary, 7)[10])


def test_a_line_between_weeks_follows_a_trend_also_where_a_week_is_missing() -> None:
    values = 3.0 * np.arange(70) + np.arange(70) % 7
    ordinary = np.ones(70, dtype=bool)
    ordinary[[35, 28]] = False
    line, variance = interpolate_weeks(values, ordinary)
    np.testing.assert_allclose(line[7:-7], values[7:-7])
    assert variance[35] > 0


def test_a_line_between_weeks_needs_both_sides() -> None:
    line, variance = interpolate_weeks(np.ones(70), np.ones(70, dtype=bool))
    assert np.flatnonzero(np.isnan(line)).tolist() == [*range(7), *range(63, 70)]
    assert np.isnan(variance[0])
