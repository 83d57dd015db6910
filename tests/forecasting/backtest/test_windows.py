"""Where the windows of a backtest lie, and which are left out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.forecasting.backtest.windows import (
    LONG_SERIES_POINTS,
    MAX_LONG_SERIES_WINDOWS,
    MAX_WINDOWS,
    choose_cutoffs,
    find_short_windows,
)
from app.forecasting.model_ids import MODEL_IDS

SIZES = {
    "horizon": st.integers(1, 100),
    "spare": st.integers(0, 3_000),
    "windows": st.integers(1, MAX_WINDOWS),
    "models": st.integers(1, 4),
}


@given(**SIZES)
def test_windows_follow_each_other_and_the_last_one_ends_with_the_series(
    horizon: int, spare: int, windows: int, models: int
) -> None:
    points = 10 + horizon + spare
    cutoffs, _notices = choose_cutoffs(points, horizon, windows, models)
    assert 1 <= len(cutoffs) <= windows
    assert cutoffs[0] >= 10
    assert [*cutoffs, points] == list(range(cutoffs[0], points + 1, horizon))


@given(**SIZES)
def test_left_out_windows_are_reported(horizon: int, spare: int, windows: int, models: int) -> None:
    points = 10 + horizon + spare
    cutoffs, notices = choose_cutoffs(points, horizon, windows, models)
    missing = windows - len(cutoffs)
    assert bool(notices) == bool(missing)
    assert sum(int(notice.split(" of ")[0]) for notice in notices) == missing
    if missing and points <= LONG_SERIES_POINTS:
        assert cutoffs[0] - horizon < 10


def test_a_window_after_ten_points_is_kept() -> None:
    assert choose_cutoffs(40, 6, 5, 4) == ((10, 16, 22, 28, 34), ())
    cutoffs, (notice,) = choose_cutoffs(39, 6, 5, 4)
    assert cutoffs == (15, 21, 27, 33)
    assert notice == "1 of 5 windows left out: fewer than 10 points come before them"


@pytest.mark.parametrize("models", [1, 2, 3, 4])
def test_a_long_series_has_fewer_windows_the_more_models_there_are(models: int) -> None:
    kept = [len(choose_cutoffs(LONG_SERIES_POINTS + 1, 5, 10, count)[0]) for count in range(1, 5)]
    assert kept == sorted(kept, reverse=True)
    assert len(choose_cutoffs(LONG_SERIES_POINTS, 5, 10, models)[0]) == 10
    cutoffs, notices = choose_cutoffs(LONG_SERIES_POINTS + 1, 5, 10, models)
    assert bool(notices) == (len(cutoffs) < 10)
    if notices:
        most = len(cutoffs)
        assert notices == (
            f"{10 - most} of 10 windows left out, the oldest ones: a series of more than "
            f"2,000 points has at most {most} for {models} models",
        )


@pytest.mark.parametrize(
    ("cutoffs", "periods", "short"),
    [
        ((98, 124), (52,), (True, False)),
        ((103, 104), (52,), (True, False)),
        ((13, 14), (7, 365), (True, False)),
        ((19, 20), (), (True, False)),
        ((20, 46), (52,), (True, True)),
        ((30, 42), (12,), (False, False)),
    ],
)
def test_a_window_after_fewer_than_two_seasons_is_short(
    cutoffs: tuple[int, ...], periods: tuple[int, ...], short: tuple[bool, ...]
) -> None:
    is_short, notices = find_short_windows(cutoffs, periods)
    assert is_short == short
    assert bool(notices) == (len(set(short)) == 2)


def test_more_models_on_a_long_series_have_fewer_windows_each() -> None:
    assert len(MAX_LONG_SERIES_WINDOWS) == len(MODEL_IDS)
