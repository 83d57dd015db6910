"""NAB's score on cases by hand."""

import gzip
import json

import numpy as np
import pytest

from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from benchmarks.anomalies.nab import PROFILES, Labelled, detection_worths, load, nab_score

STANDARD = PROFILES["standard"]
WINDOW = (50, 59)


@pytest.fixture
def series():
    history = History(np.zeros(200), (24, 168), Frequency.HOURS)
    return [Labelled("made up", history, (WINDOW,))]


def scores(*detected):
    values = np.zeros(200)
    values[list(detected)] = 1.0
    return [values]


def test_detection_at_the_start_of_each_window_scores_100(series) -> None:
    score = nab_score(series, scores(WINDOW[0]), STANDARD)
    assert score.value == pytest.approx(100)
    assert (score.windows_found, score.windows, score.false_alarms) == (1, 1, 0)


def test_later_detection_in_a_window_is_worth_less_and_the_first_counts(series) -> None:
    late = nab_score(series, scores(WINDOW[1]), STANDARD).value
    assert 50 < late < 70
    two_detections = nab_score(series, scores(*WINDOW), STANDARD).value
    assert two_detections == pytest.approx(100)


def test_false_alarm_far_from_windows_costs_its_weight(series) -> None:
    for name, cost in (("standard", 0.11), ("low FP", 0.22)):
        score = nab_score(series, scores(WINDOW[0], 150), PROFILES[name])
        # Of the two that lie between silence (-1) and all found (1).
        assert score.value == pytest.approx(100 * (2 - cost) / 2)
        assert score.false_alarms == pytest.approx(1_000 / 160)


def test_silence_is_not_worse_than_nothing(series) -> None:
    for profile in PROFILES.values():
        assert nab_score(series, scores(150), profile).value == 0


def test_first_part_of_a_series_is_not_scored(series) -> None:
    early = nab_score(series, scores(5, WINDOW[0]), STANDARD)
    assert early.value == pytest.approx(100)


def test_equal_scores_are_detected_together(series) -> None:
    tied = np.zeros(200)
    tied[[WINDOW[0], 150]] = 0.7
    assert nab_score(series, [tied], STANDARD).value == pytest.approx(100 * (2 - 0.11) / 2)


def test_detection_shortly_after_a_window_costs_less() -> None:
    values, window_of, _ = detection_worths(200, [WINDOW])
    assert values[49] == values[199] == -1
    assert -1 < values[65] < values[60] < 0
    assert values[50] == pytest.approx(1)
    assert set(window_of[50:60]) == {0}


def test_step_of_the_timestamps_decides_the_seasons(tmp_path) -> None:
    file = tmp_path / "nab.json.gz"
    times = [f"2014-04-01 {hour:02}:{minute:02}:00" for hour in range(5) for minute in (0, 30)]
    record = {"name": "a", "timestamps": times, "values": [1.0] * 10, "windows": [[5, 6], [2, 3]]}
    with gzip.open(file, "wt", encoding="utf-8") as out:
        json.dump([record], out)
    (series,) = load(file)
    assert series.history.periods == (48, 336)
    assert series.windows == ((2, 3), (5, 6))
