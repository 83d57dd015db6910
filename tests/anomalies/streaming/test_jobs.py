"""What an engine learns of a history, and forecasts of a season."""

import numpy as np

from app.anomalies.results import Direction
from app.anomalies.streaming.detector import MOST_LEARNED, StreamDetector, new_detector
from app.anomalies.streaming.jobs import forecast_season, learn_history
from app.forecasting.calendar.frequency import Frequency


def wave(count):
    noise = np.random.default_rng(1).normal(size=count)
    return 10 + np.sin(np.arange(count) / 24 * 2 * np.pi) + 0.05 * noise


def learned(values):
    state = learn_history(values, Frequency.HOURS, (24, 168), 0.001, Direction.BOTH)
    return StreamDetector.from_array(np.frombuffer(state, np.uint8))


def test_a_learned_history_is_judged_at_once_and_knows_the_next_season():
    values = wave(301)
    detector = learned(values[:300])
    assert not detector.wants_forecast
    verdict = detector.update(float(values[300]))
    assert not verdict.is_learning
    assert verdict.lower <= values[300] <= verdict.upper


def test_a_history_too_short_for_a_forecast_is_learned_all_the_same():
    assert learned(wave(12)).is_learning


def test_of_a_long_history_the_end_is_learned():
    values = np.concatenate([np.full(50, 1e6), wave(MOST_LEARNED)])
    ours, theirs = learned(values), learned(values[50:])
    assert (ours.to_array() == theirs.to_array()).all()


def test_the_forecast_of_a_season_continues_it():
    forecast = forecast_season(wave(240), Frequency.HOURS, (24,), 24)
    assert forecast.shape == (24,)
    assert np.abs(forecast - (10 + np.sin(np.arange(24) / 24 * 2 * np.pi))).max() < 0.5


def test_a_long_season_counts_where_it_holds_whole_short_ones():
    size = {
        periods: len(new_detector(periods, 0.001, Direction.BOTH).to_array())
        for periods in ((), (7,), (7, 365), (24,), (24, 168))
    }
    assert size[7, 365] == size[7,]
    assert size[24, 168] > size[24,] > size[()]


def test_another_rate_and_direction_take_the_place_of_those_stored():
    values = wave(300)
    state = learned(values).to_array()
    wide, narrow = (StreamDetector.from_array(state, rate).update(10.0) for rate in (0.0001, 0.1))
    assert wide.upper - wide.lower > narrow.upper - narrow.lower
    down = StreamDetector.from_array(state, 0.001, Direction.DOWN)
    assert not down.update(1e3).is_anomaly
    assert StreamDetector.from_array(down.to_array()).update(-1e3).is_anomaly
