"""Windows of another level or of more noise are segments, unless they recur."""

import numpy as np
import pytest
from scipy.signal import lfilter

from app.anomalies.results import EventKind, segment_mask
from app.anomalies.segments import find_segments
from tests.anomalies.clean_series import autocorrelated_noise

LENGTH = 800


@pytest.fixture
def rng():
    return np.random.default_rng(41)


def windows(values):
    return [(segment.start, segment.end, segment.kind) for segment in find_segments(values, values)]


@pytest.mark.parametrize(("length", "side"), [(6, -1), (12, 1), (40, -1), (75, 1)])
def test_another_level_for_a_while_is_a_window_from_its_first_to_its_last_point(
    rng, length, side
) -> None:
    values = rng.standard_normal(LENGTH)
    values[200 : 200 + length] += 9 * side
    kind = EventKind.SPIKE if side > 0 else EventKind.DIP
    assert windows(values) == [(200, 199 + length, kind)]


def test_two_distant_windows_are_two_segments(rng) -> None:
    values = rng.standard_normal(LENGTH)
    values[200:212] += 9
    values[500:524] -= 9
    assert windows(values) == [(200, 211, EventKind.SPIKE), (500, 523, EventKind.DIP)]


def test_more_noise_for_a_while_is_a_burst(rng) -> None:
    values = rng.standard_normal(LENGTH)
    values[300:340] *= 8
    ((start, end, kind),) = windows(values)
    assert kind is EventKind.BURST
    assert (start, end) == pytest.approx((300, 339), abs=4)


def alternating_noise(rng):
    return rng.standard_normal(LENGTH) * np.exp(0.7 * autocorrelated_noise(rng, LENGTH, 0.9))


def rare_values(rng):
    return (rng.random(LENGTH) < 0.1) * rng.exponential(3.0, LENGTH)


CLEAN = {
    "white": lambda rng: rng.standard_normal(LENGTH),
    "autocorrelated": lambda rng: autocorrelated_noise(rng, LENGTH, 0.8),
    "random walk": lambda rng: np.cumsum(rng.standard_normal(LENGTH)),
    "random walk with drift": lambda rng: np.cumsum(0.3 + rng.standard_normal(LENGTH)),
    "long tails": lambda rng: rng.standard_t(3, LENGTH),
    "wave": lambda rng: lfilter([1], [1, -1.6, 0.8], rng.standard_normal(LENGTH)),
    "level shift": lambda rng: rng.standard_normal(LENGTH) + 9 * (np.arange(LENGTH) > 400),
    "line": lambda rng: np.arange(LENGTH) + 0.1 * rng.standard_normal(LENGTH),
    "mostly zeros": rare_values,
    "restless by turns": alternating_noise,
}


@pytest.mark.parametrize("kind", CLEAN.values(), ids=CLEAN.keys())
def test_series_of_one_kind_throughout_have_no_window(rng, kind) -> None:
    assert sum(len(windows(kind(rng))) for _ in range(20)) <= 1


def test_windows_that_recur_often_are_not_anomalies(rng) -> None:
    values = rng.standard_normal(LENGTH)
    for start in rng.choice(np.arange(40, LENGTH - 40, 50), 8, replace=False):
        values[start : start + 8] += 12
    assert windows(values) == []


def test_short_series_have_no_windows(rng) -> None:
    assert windows(rng.standard_normal(12)) == []
    assert windows(np.repeat([0.0, 9.0, 0.0], 10)) == []


def test_the_points_of_windows_are_those_from_first_to_last(rng) -> None:
    values = rng.standard_normal(LENGTH)
    values[200:212] += 9
    segments = find_segments(values, values)
    assert np.flatnonzero(segment_mask(segments, LENGTH)).tolist() == list(range(200, 212))


def test_points_between_a_dip_and_the_end_are_not_a_spike(rng) -> None:
    values = rng.standard_normal(124)
    values[97:] = -0.8
    values[101:107] = -146
    assert windows(values) == [(101, 106, EventKind.DIP)]


def test_a_level_that_lasts_until_the_end_is_not_a_segment(rng) -> None:
    noise = rng.standard_normal(LENGTH)
    values = noise + 20 * (np.arange(LENGTH) >= LENGTH - 60)
    assert find_segments(values, noise) == []
    assert find_segments(values[::-1], noise) == []
    values[-10:] = noise[-10:]
    assert [segment.end for segment in find_segments(values, noise)] == [LENGTH - 11]
