"""The detection of many series in one job."""

import numpy as np
import pytest

from app.anomalies.detect import detect, detect_many
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from tests.support.series import with_a_season

MONTHS = (Frequency.MONTHLY, (12,))


def test_a_series_gets_what_it_gets_by_itself() -> None:
    first, second = np.array(with_a_season(60, 12)), np.array(with_a_season(90, 12)) + 5
    first[30] += 80
    values = np.concatenate([first, second])
    detections = detect_many(*MONTHS, 0.01, values, np.array([60, 90]))
    single = detect(History(second, (12,), Frequency.MONTHLY), 0.01)
    np.testing.assert_array_equal(detections.expected[60:], single.expected)
    np.testing.assert_array_equal(detections.is_anomaly[60:], single.is_anomaly)
    assert detections.is_anomaly[30]


def test_a_missing_value_is_filled_and_never_flagged() -> None:
    values = np.array(with_a_season(60, 12))
    values[[0, 20, 21, 59]] = np.nan
    values[40] += 80
    detections = detect_many(*MONTHS, 0.01, values, np.array([60]))
    assert detections.is_anomaly[40]
    assert not detections.is_anomaly[[0, 20, 21, 59]].any()
    assert np.isfinite([detections.expected, detections.lower, detections.upper]).all()


@pytest.mark.parametrize("points", [1, 11])
def test_a_series_too_short_to_be_judged_flags_nothing(points: int) -> None:
    values = np.full(points, 3.0)
    values[-1] = 1e9
    detections = detect_many(*MONTHS, 0.01, values, np.array([points]))
    assert not detections.is_anomaly.any()
