"""Things that last: each is one event, and its points are judged by the rest of the series."""

import numpy as np
import pytest

from app.anomalies.detect import detect
from app.anomalies.results import Direction, EventKind
from tests.anomalies.clean_series import day, hourly_history

LENGTH, AT = 1000, 300


@pytest.fixture
def rng():
    return np.random.default_rng(40)


@pytest.fixture
def values(rng):
    return day(LENGTH) + 0.5 * rng.standard_normal(LENGTH)


def long_events(detection):
    return [event for event in detection.events if event.end - event.start >= 4]


def test_an_outage_is_one_dip_whose_points_are_flagged(values) -> None:
    values[AT : AT + 12] -= 8
    detection = detect(hourly_history(values), 0.001)
    (event,) = long_events(detection)
    assert (event.start, event.end, event.kind) == (AT, AT + 11, EventKind.DIP)
    assert event.direction is Direction.DOWN
    assert detection.is_anomaly[AT : AT + 12].all()
    assert not detection.is_anomaly[AT + 12 : AT + 24].any()


def test_a_rise_for_a_while_is_one_spike(values) -> None:
    values[AT : AT + 40] += 6
    detection = detect(hourly_history(values), 0.001)
    (event,) = long_events(detection)
    assert (event.start, event.end) == pytest.approx((AT, AT + 39), abs=1)
    assert event.kind is EventKind.SPIKE
    assert detection.is_anomaly[AT : AT + 40].mean() > 0.95


def test_a_noisy_window_is_one_burst_most_of_whose_points_are_flagged(values, rng) -> None:
    values[AT : AT + 40] += 4 * rng.standard_normal(40)
    detection = detect(hourly_history(values), 0.001)
    (event,) = long_events(detection)
    assert event.kind is EventKind.BURST
    assert (event.start, event.end) == pytest.approx((AT, AT + 39), abs=4)
    assert detection.is_anomaly[AT : AT + 40].mean() > 0.5


def test_an_outage_to_zero_is_one_event_and_no_level_shift(values) -> None:
    values[AT : AT + 100] = 0
    detection = detect(hourly_history(values), 0.001)
    (event,) = long_events(detection)
    assert (event.start, event.end) == (AT, AT + 99)
    assert detection.change_points == ()
    assert detection.is_anomaly[AT : AT + 100].all()


def test_an_outage_leaves_the_band_elsewhere_as_it_was(values) -> None:
    clean = detect(hourly_history(values), 0.001)
    values[AT : AT + 24] -= 20
    detection = detect(hourly_history(values), 0.001)
    elsewhere = np.abs(np.arange(LENGTH) - AT - 12) > 40
    width = (detection.upper - detection.lower) / (clean.upper - clean.lower)
    assert width[elsewhere] == pytest.approx(1, abs=0.15)


def test_a_dip_is_not_listed_for_the_other_direction(values) -> None:
    values[AT : AT + 12] -= 8
    assert long_events(detect(hourly_history(values), 0.001, Direction.UP)) == []


def test_a_month_that_sells_more_is_found_where_the_season_grows_with_the_level(rng) -> None:
    month = np.arange(144)
    sales = (100 + 2 * month) * (1 + 0.3 * np.sin(2 * np.pi * month / 12))
    sales *= np.exp(0.02 * rng.standard_normal(144))
    sales[70] *= 1.3
    detection = detect(hourly_history(sales), 0.001, period=12)
    assert np.flatnonzero(detection.is_anomaly).tolist() == [70]
    assert (detection.lower > 0).all()
    width = detection.upper - detection.lower
    np.testing.assert_allclose(
        width / detection.expected, (width / detection.expected)[0], rtol=0.3
    )


@pytest.mark.parametrize("length", [12, 40, 150])
@pytest.mark.parametrize("start", [AT, 600, None])
def test_a_stuck_sensor_is_one_flat_event_and_no_level_shift(values, length, start) -> None:
    start = LENGTH - length if start is None else start
    stuck = slice(start, start + length)
    values[stuck] = 13.2
    detection = detect(hourly_history(values), 0.001)
    (event,) = long_events(detection)
    assert (event.start, event.end, event.kind) == (start, start + length - 1, EventKind.FLAT)
    assert detection.change_points == ()
    assert detection.is_anomaly[stuck].mean() > 0.3
    elsewhere = np.delete(detection.is_anomaly, np.arange(LENGTH)[stuck])
    assert elsewhere.sum() <= 3


def test_a_level_shift_during_an_outage_begins_where_the_outage_ends(values) -> None:
    values[AT : AT + 60] = 0
    values[AT + 60 :] += 5
    detection = detect(hourly_history(values), 0.001)
    assert [change.index for change in detection.change_points] == [AT + 60]
    assert detection.is_anomaly[AT + 60 :].mean() < 0.01


def test_one_point_within_an_outage_hides_nothing_of_it() -> None:
    hours = np.arange(14 * 24)
    noise = np.random.default_rng(3).normal(0, 2, len(hours))
    values = 50 + 30 * np.sin(2 * np.pi * hours / 24) + noise
    values[200:212] = 0
    values[205] = 200
    detection = detect(hourly_history(values), 0.001)
    assert np.flatnonzero(detection.is_anomaly).tolist() == [*range(200, 212)]
    (event,) = detection.events
    assert (event.start, event.end) == (200, 211)
