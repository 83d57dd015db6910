"""Running medians, and the differences of levels beside a point."""

import numpy as np
import pytest

from app.timeseries.running_median import (
    clip_to_median,
    level_differences,
    running_median,
    window_medians,
)


@pytest.mark.parametrize("points", [7, 60])
def test_a_spike_on_a_line_is_brought_near_the_line(points) -> None:
    values = np.arange(points) + np.random.default_rng(8).standard_normal(points)
    values[points // 2] = 1e9
    assert clip_to_median(values, 9, 3.0)[points // 2] == pytest.approx(points // 2, abs=10)


def test_running_median_is_that_of_each_window() -> None:
    values = np.array([5.0, 1.0, 9.0, 2.0, 7.0])
    np.testing.assert_array_equal(running_median(values, 3)[1:-1], [5.0, 2.0, 7.0])


def test_a_last_point_that_is_an_outlier_does_not_become_the_level() -> None:
    values = np.ones(30)
    values[-1] = 100.0
    assert running_median(values, 7)[-1] == 1.0


@pytest.mark.parametrize("window", [1, 7, 8, 24])
def test_window_medians_are_the_median_of_each_window(window) -> None:
    values = np.random.default_rng(5).normal(size=40).round(1)
    medians = [np.median(values[start : start + window]) for start in range(41 - window)]
    np.testing.assert_array_equal(window_medians(values, window), medians)


@pytest.mark.parametrize(("before", "after", "gap"), [(3, 3, 0), (5, 1, 2), (1, 4, 0)])
def test_level_differences_are_of_the_medians_of_both_windows(before, after, gap) -> None:
    values = np.random.default_rng(6).normal(size=30)
    splits = range(before, 31 - gap - after)
    differences = [
        np.median(values[split + gap :][:after]) - np.median(values[split - before : split])
        for split in splits
    ]
    np.testing.assert_array_equal(level_differences(values, before, after, gap), differences)
