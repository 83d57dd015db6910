"""Things that last: each is one event, and its points are judged by the rest of the series."""

import numpy as np
import pytest

from app.anomalies.detect import detect
from app.anomalies.results import Direction, EventKind
from tests.anomalies.clean_series import day, hourly

LENGTH, AT = 1000, 300


@pytest.fixture
def random():
    return np.random.default_rng(40)


@pytest.fixture
def values(random):
    return day(LENGTH) + 0.5 * random.standard_normal(LENGTH)


def long_events(found):
    return [event for event in found.events if event.end - event.start >= 4]


def test_an_outage_is_one_dip_whose_points_are_flagged(values):
    values[AT : AT + 12] -= 8
    found = detect(hourly(values), 0.001)
    (event,) = long_events(found)
    assert (event.start, event.end, event.kind) == (AT, AT + 11, EventKind.DIP)
    assert event.direction is Direction.DOWN
    assert found.is_anomaly[AT : AT + 12].all()
    assert not found.is_anomaly[AT + 12 : AT + 24].any()


def test_a_rise_for_a_while_is_one_spike(values):
    values[AT : AT + 40] += 6
    found = detect(hourly(values), 0.001)
    (event,) = long_events(found)
    assert (event.start, event.end) == pytest.approx((AT, AT + 39), abs=1)
    assert event.kind is EventKind.SPIKE
    assert found.is_anomaly[AT : AT + 40].mean() > 0.95


def test_a_restless_stretch_is_one_burst_most_of_whose_points_are_flagged(values, random):
    values[AT : AT + 40] += 4 * random.standard_normal(40)
    found = detect(hourly(values), 0.001)
    (event,) = long_events(found)
    assert event.kind is EventKind.BURST
    assert (event.start, event.end) == pytest.approx((AT, AT + 39), abs=4)
    assert found.is_anomaly[AT : AT + 40].mean() > 0.5


def test_an_outage_to_zero_is_one_event_and_no_level_shift(values):
    values[AT : AT + 100] = 0
    found = detect(hourly(values), 0.001)
    (event,) = long_events(found)
    assert (event.start, event.end) == (AT, AT + 99)
    assert found.change_points == ()
    assert found.is_anomaly[AT : AT + 100].all()


def test_an_outage_leaves_the_band_elsewhere_as_it_was(values):
    clean = detect(hourly(values), 0.001)
    values[AT : AT + 24] -= 20
    found = detect(hourly(values), 0.001)
    elsewhere = np.abs(np.arange(LENGTH) - AT - 12) > 40
    width = (found.upper - found.lower) / (clean.upper - clean.lower)
    assert width[elsewhere] == pytest.approx(1, abs=0.15)


def test_a_dip_is_not_listed_for_the_other_direction(values):
    values[AT : AT + 12] -= 8
    assert long_events(detect(hourly(values), 0.001, Direction.UP)) == []


def test_a_month_that_sells_more_is_found_where_the_season_grows_with_the_level(random):
    month = np.arange(144)
    sales = (100 + 2 * month) * (1 + 0.3 * np.sin(2 * np.pi * month / 12))
    sales *= np.exp(0.02 * random.standard_normal(144))
    sales[70] *= 1.3
    found = detect(hourly(sales), 0.001, period=12)
    assert np.flatnonzero(found.is_anomaly).tolist() == [70]
    assert (found.lower > 0).all()
    width = found.upper - found.lower
    np.testing.assert_allclose(width / found.expected, (width / found.expected)[0], rtol=0.3)


@pytest.mark.parametrize("length", [12, 40, 150])
@pytest.mark.parametrize("start", [AT, 600, None])
def test_a_stuck_sensor_is_one_flat_event_and_no_level_shift(values, length, start):
    start = LENGTH - length if start is None else start
    stuck = slice(start, start + length)
    values[stuck] = 13.2
    found = detect(hourly(values), 0.001)
    (event,) = long_events(found)
    assert (event.start, event.end, event.kind) == (start, start + length - 1, EventKind.FLAT)
    assert found.change_points == ()
    assert found.is_anomaly[stuck].mean() > 0.3
    elsewhere = np.delete(found.is_anomaly, np.arange(LENGTH)[stuck])
    assert elsewhere.sum() <= 3


def test_a_level_shift_during_an_outage_begins_where_the_outage_ends(values):
    values[AT : AT + 60] = 0
    values[AT + 60 :] += 5
    found = detect(hourly(values), 0.001)
    assert [change.index for change in found.change_points] == [AT + 60]
    assert found.is_anomaly[AT + 60 :].mean() < 0.01
