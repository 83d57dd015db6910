"""Effects must explain more than by chance, and have helped before."""

import numpy as np

from app.forecasting.regressors.significance import is_better_than_shifted, supported_fraction
from app.forecasting.regressors.whitening import Whitening

RANDOM = np.random.default_rng(4)
POINTS = 420
WHITENING = Whitening(7, 0.0, 0.0, 0.85)
WEIGHTS = np.ones(POINTS - WHITENING.dropped)
WEATHER = RANDOM.normal(size=POINTS)
SEASON = 3 * np.sin(2 * np.pi * np.arange(POINTS) / 7)
NOISE = RANDOM.normal(size=POINTS)
PRIOR = np.array([1.0])


def share(effect: np.ndarray) -> float:
    return supported_fraction(SEASON + NOISE + effect, WEATHER[None], WEIGHTS, PRIOR, WHITENING)


def test_an_effect_that_helped_is_used_in_full() -> None:
    assert share(2 * WEATHER) == 1.0


def test_an_effect_that_did_not_help_is_not_used() -> None:
    assert share(np.zeros(POINTS)) == 0.0


def test_an_effect_that_has_turned_is_not_used() -> None:
    assert share(np.where(np.arange(POINTS) < POINTS // 2, 2, -1) * WEATHER) == 0.0


def test_one_random_walk_does_not_explain_another() -> None:
    walk = Whitening(1, 1.0, 0.7, 0.0)
    weights = np.ones(POINTS - 1)
    explained = [
        is_better_than_shifted(
            RANDOM.normal(size=(1, POINTS)).cumsum(axis=1),
            walk.apply(RANDOM.normal(size=POINTS).cumsum()),
            weights,
            PRIOR,
            walk,
        )
        for _ in range(100)
    ]
    assert sum(explained) < 20


def test_weather_explains_more_at_its_time() -> None:
    rest = WHITENING.apply(SEASON + NOISE + WEATHER)
    assert is_better_than_shifted(WEATHER[None], rest, WEIGHTS, PRIOR, WHITENING)
