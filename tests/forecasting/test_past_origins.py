import numpy as np
import pytest

from app.forecasting.past_origins import choose_origins, mean_absolute_errors, targets_after


def test_targets_beyond_the_history_are_unknown():
    targets = targets_after(np.arange(6.0), (2, 5), 3)
    np.testing.assert_array_equal(targets, [[2, 3, 4], [5, np.nan, np.nan]])


def test_origins_of_a_long_history_see_their_whole_horizon():
    origins = choose_origins(700, 48, step=12, count=28, earliest=300)
    assert origins[-1] == 700 - 48
    assert set(np.diff(origins)) == {12}
    assert origins[0] >= 300


@pytest.mark.parametrize("length", range(10, 60, 7))
@pytest.mark.parametrize("horizon", [1, 12, 100])
def test_even_the_shortest_history_has_origins_with_something_after_them(length, horizon):
    origins = choose_origins(length, horizon, step=4, count=28, earliest=length // 2)
    assert origins
    assert length // 2 <= origins[0] <= origins[-1] < length
    assert list(origins) == sorted(set(origins))


def test_no_origin_where_members_could_learn_nothing():
    assert choose_origins(10, 5, step=1, count=5, earliest=30) == ()


def test_errors_leave_out_what_was_not_seen():
    targets = np.array([[1.0, np.nan], [3.0, 4.0]])
    errors = mean_absolute_errors(np.zeros((1, 2, 2)), targets)
    assert errors[0] == pytest.approx((1 + 3 + 4) / 3)
