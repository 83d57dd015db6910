"""The benchmark on series of working life, by windows that are made up."""

import gzip
import json

import numpy as np
import pytest

from app.timeseries.calendar.frequency import Frequency
from benchmarks.everyday_series import (
    NAIVE,
    WindowScores,
    earlier_windows,
    geometric_means,
    groups_of,
    load_stored,
    load_windows,
    periods_of,
    score,
    third_of_series,
)


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "windows.jsonl.gz"
    values = [*np.tile(np.arange(7.0), 5).tolist(), *np.arange(1.0, 8.0).tolist()]
    with gzip.open(file, "wt", encoding="utf-8") as lines:
        for name in ("a@0", "a@1", "b@0", "c@0", "d@0"):
            record = {"set": "days", "id": name, "frequency": "Daily", "values": values}
            lines.write(json.dumps(record | {"test": [1.0, 2.0, 3.0]}) + "\n")
    return file


def test_step_decides_which_seasons_a_window_has() -> None:
    assert periods_of(Frequency.DAILY, "B") == (5, 260)
    assert periods_of(Frequency.MINUTES, "5min") == (288, 2016)
    assert periods_of(Frequency.MONTHLY, None) == (12,)


def test_third_of_the_series_keeps_all_their_windows(path) -> None:
    assert [window.series for window in third_of_series(load_windows(path))] == ["a", "a", "d"]


def test_earlier_window_knows_nothing_of_what_came_next(path) -> None:
    window = load_windows(path)[0]
    moved = earlier_windows([window], 2)[0]
    assert moved.history.values.tolist() == window.history.values[:-6].tolist()
    assert moved.actual.tolist() == window.history.values[-6:-3].tolist()
    assert earlier_windows([window], 8) == []


def test_stored_scores_are_those_of_the_same_lines(path) -> None:
    file = path.with_name("windows-scores.json")
    rows = [{"sMAPE": 1.0, "MASE": line, "MSIS": 2.0, "cover": 0.5} for line in range(5)]
    file.write_text(json.dumps({"mstl": rows}), encoding="utf-8")
    stored = load_stored(path, third_of_series(load_windows(path)))["mstl"]
    assert stored.mase.tolist() == [0, 1, 4]
    assert stored.coverage_95.tolist() == [50.0] * 3


def test_naive_is_perfect_where_the_last_cycle_repeats(path) -> None:
    scores = score(NAIVE, third_of_series(load_windows(path)))
    assert scores.smape.tolist() == [0.0, 0.0, 0.0]
    assert scores.coverage_95.tolist() == [100.0] * 3


def test_every_set_counts_alike_in_the_geometric_mean(path) -> None:
    windows = load_windows(path)
    groups = {"one": [0], "other": [1, 2, 3, 4]}
    naive = WindowScores(*np.ones((5, len(windows))))
    scores = WindowScores(*np.tile([8.0, 2.0, 2.0, 2.0, 2.0], (5, 1)))
    assert geometric_means(scores, naive, groups) == pytest.approx((4.0, 4.0))
    assert groups_of(windows) == {"days": [0, 1, 2, 3, 4]}
