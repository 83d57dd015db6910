"""The past origins at which members are measured."""

import numpy as np
import pytest

from app.forecasting.past_origins import choose_origins, errors_by_lead, targets_after


def test_targets_beyond_the_history_are_unknown() -> None:
    targets = targets_after(np.arange(6.0), (2, 5), 3, 2)
    np.testing.assert_array_equal(targets, [[2, 3, 4], [5, np.nan, np.nan]])


def test_each_step_is_measured_at_the_last_origins_that_it_is_seen_from() -> None:
    targets = targets_after(np.arange(6.0), (2, 3, 5), 2, 1)
    nan = np.nan
    np.testing.assert_array_equal(targets, [[nan, nan], [nan, 4], [5, nan]])


def test_every_step_of_a_long_history_is_seen_from_as_many_origins() -> None:
    origins = choose_origins(700, max_lead=48, distance=12, count=28, earliest=300)
    assert set(np.diff(origins)) == {12}
    assert origins[-1] == 700 - 12
    assert origins[0] >= 300
    seen = np.isfinite(targets_after(np.arange(700.0), origins, 48, 28)).sum(axis=0)
    assert set(seen) == {28}


@pytest.mark.parametrize("length", range(10, 60, 7))
@pytest.mark.parametrize("max_lead", [1, 12, 100])
def test_the_shortest_history_has_origins_with_values_after_them(length, max_lead) -> None:
    origins = choose_origins(length, max_lead=max_lead, distance=4, count=28, earliest=length // 2)
    assert origins
    assert length // 2 <= origins[0] <= origins[-1] < length
    assert list(origins) == sorted(set(origins))


def test_no_origin_where_members_could_learn_nothing() -> None:
    assert choose_origins(10, max_lead=5, distance=1, count=5, earliest=30) == ()


def test_errors_leave_out_what_was_not_seen() -> None:
    targets = np.array([[1.0, np.nan, np.nan], [3.0, 4.0, np.nan]])
    errors = errors_by_lead(np.zeros((1, 2, 3)), targets, 1)
    np.testing.assert_allclose(errors, [[2.0, (2 + 4) / 2, (2 + 4) / 2]])


def test_the_errors_of_the_usual_steps_count_together() -> None:
    targets = np.array([[1.0, 3.0, 8.0]])
    errors = errors_by_lead(np.zeros((1, 1, 3)), targets, 2)
    np.testing.assert_allclose(errors, [[2.0, 2.0, 4.0]])
