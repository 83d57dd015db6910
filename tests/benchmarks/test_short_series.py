"""The benchmark of short histories, by cases that are made up."""

import numpy as np
import pytest

from app.forecasting.forecast import predict
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from benchmarks.short_series import (
    LENGTHS,
    MEMBERS,
    NAIVE,
    Case,
    fit_members,
    judge,
    load_cases,
    methods_of,
)

WEEK = np.array([5.0, 6, 7, 6, 5, 2, 1])


@pytest.fixture
def case():
    noise = np.random.default_rng(0).normal(0, 0.3, 42)
    values = 10 + np.tile(WEEK, 6) + noise
    return Case("days", History(values[:28], (7, 365), Frequency.DAILY), values[28:])


def test_every_length_that_a_series_has_is_judged_by_every_method(case) -> None:
    methods = methods_of("forecast-model-2")
    judged = judge(methods, case)
    assert [points for points, _ in judged] == [n for n in LENGTHS if n <= 28]
    assert all(scores.shape == (len(methods), 4) for _, scores in judged)
    assert list(methods)[:3] == ["forecast-model-2", MEMBERS, NAIVE]


def test_the_scale_is_that_of_the_whole_history_and_its_week(case) -> None:
    values = case.history.values
    assert case.scale == pytest.approx(np.abs(values[7:] - values[:-7]).mean())


def test_members_without_the_prior_differ_for_short_series_only(case) -> None:
    history = case.history
    blended = predict(history, 3, 0.9, "forecast-model-2")
    single = fit_members("forecast-model-2", history, 3, 0.9)
    assert (blended.median != single.median).any()
    old = History(np.tile(history.values, 5), (7, 365), Frequency.DAILY)
    np.testing.assert_array_equal(
        predict(old, 3, 0.9, "forecast-model-2").median,
        fit_members("forecast-model-2", old, 3, 0.9).median,
    )


def test_a_quick_run_has_fewer_series_of_every_set() -> None:
    quick, whole = load_cases(None, quick=True), load_cases(None, quick=False)
    assert len(quick) < len(whole) / 4
    assert {case.group for case in quick} == {case.group for case in whole}


def test_earlier_ends_forecast_points_that_were_history() -> None:
    def start_of(case):
        return case.group, tuple(case.history.values[:8])

    usual = {start_of(case): case for case in load_cases(None, quick=False)}
    cases = load_cases(None, quick=True, earlier=4)
    pairs = [(case, usual[start_of(case)]) for case in cases if start_of(case) in usual]
    assert len(pairs) > 10
    for earlier, last in pairs:
        assert len(earlier.history.values) == len(last.history.values) - 4
        np.testing.assert_array_equal(earlier.actual[:4], last.history.values[-4:])
