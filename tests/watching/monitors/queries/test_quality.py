"""The quality of forecasts: judged points, the fraction inside the band, and errors."""

import numpy as np
import pytest

from app.watching.monitors.queries import quality
from app.watching.monitors.queries.quality import read_quality
from app.watching.monitors.settings.errors import NoSuchMonitorError
from app.watching.monitors.settings.monitor_records import PointStatus
from tests.watching.monitors.feeding import ACCOUNT, NAME, history, make, points, send, waves

LEARNED, DAY = 240, 24
pytestmark = pytest.mark.usefixtures("each_database")


def append_values(count, spikes=()):
    """Append points to a monitor that has learned, some of them spikes; return the values."""
    values = np.array(waves(count, seed=1))
    values[list(spikes)] += 40
    send(range(count), values)
    return values


def test_a_monitor_that_has_judged_nothing_has_no_quality() -> None:
    make()
    assert read_quality(ACCOUNT, NAME) is None
    send(range(5), waves(5))
    assert read_quality(ACCOUNT, NAME) is None
    with pytest.raises(NoSuchMonitorError):
        read_quality(ACCOUNT, "none")


def test_the_share_inside_the_band_and_the_errors_are_those_of_the_stored_points() -> None:
    make(history=history(LEARNED), false_alarm_rate=0.01)
    append_values(3 * DAY, spikes=[10, 40])
    measured, stored = read_quality(ACCOUNT, NAME), points()
    judged = [point for point in stored if point.status is PointStatus.JUDGED]
    values = {point.index: point.value for point in stored}
    assert measured.judged == len(judged) == 3 * DAY
    assert measured.inside == 1 - sum(point.is_anomaly for point in judged) / len(judged)
    assert measured.inside < 1
    assert measured.promised == 0.99
    assert measured.seasonal_period == DAY
    errors = [abs(point.value - point.expected) for point in judged]
    yesterday = [abs(point.value - values[point.index - DAY]) for point in judged]
    assert measured.mean_error == pytest.approx(np.mean(errors))
    assert measured.seasonal_error == pytest.approx(np.mean(yesterday))


def test_both_errors_are_of_the_points_that_have_a_value_a_period_before() -> None:
    make()
    values = append_values(12 * DAY)
    measured, stored = read_quality(ACCOUNT, NAME), points()
    pairs = [point for point in stored if point.status is PointStatus.JUDGED and point.index >= DAY]
    assert measured.seasonal_error == pytest.approx(
        np.mean([abs(pair.value - values[pair.index - DAY]) for pair in pairs])
    )


def test_only_the_newest_steps_are_graded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quality, "MAX_QUALITY_STEPS", DAY)
    make(history=history(LEARNED))
    append_values(3 * DAY, spikes=[10])
    measured = read_quality(ACCOUNT, NAME)
    assert (measured.judged, measured.inside) == (DAY, 1.0)


def test_values_near_the_largest_have_a_finite_error() -> None:
    make(history=history(LEARNED))
    values = np.array(waves(DAY))
    values[5] = 1e100
    send(range(DAY), values)
    assert np.isfinite(read_quality(ACCOUNT, NAME).mean_error)
