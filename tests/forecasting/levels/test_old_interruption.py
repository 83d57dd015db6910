"""An interruption long ago neither hides the season nor widens intervals; other movements stay."""

import numpy as np
import pytest

from app.forecasting.forecast import fit
from app.forecasting.levels.old_interruption import find_old_interruption
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History

HORIZON = 12
MONTHS, WEEKS = (Frequency.MONTHLY, (12,)), (Frequency.WEEKLY, (52,))
DAYS, HOURS = (Frequency.DAILY, (7, 365)), (Frequency.HOURS, (24, 168))


def seasonal(points, kind, seed=0):
    _, (period, *_) = kind
    season = 1 + 0.25 * np.cos(2 * np.pi * np.arange(points) / period)
    return 100 * season * np.exp(0.05 * np.random.default_rng(seed).standard_normal(points))


def interrupted(points, kind, start, size, factor, *, recovery=0, seed=0):
    """Return a series of which a segment is multiplied, and the steps after its end recover."""
    share = np.ones(points)
    share[start : start + size] = factor
    share[start + size : start + size + recovery] = np.linspace(factor, 1, recovery + 2)[1:-1]
    return seasonal(points, kind, seed) * share


@pytest.mark.parametrize("model_id", ["forecast-model-1", "forecast-model-2", "forecast-model-4"])
@pytest.mark.parametrize(
    ("points", "kind", "start", "size", "factor", "recovery"),
    [
        (60, MONTHS, 20, 12, 0.3, 0),
        (96, MONTHS, 50, 6, 0.05, 14),
        (84, MONTHS, 40, 4, 0.0, 0),
        (200, WEEKS, 100, 12, 0.2, 0),
        (300, DAYS, 150, 20, 0.0, 0),
        (300, DAYS, 150, 20, 2.0, 0),
        (400, HOURS, 250, 30, 0.0, 0),
    ],
)
def test_a_past_interruption_neither_hides_the_season_nor_widens_intervals(
    points, kind, start, size, factor, recovery, model_id
) -> None:
    frequency, periods = kind
    usual = seasonal(points + HORIZON, kind)
    values = interrupted(points, kind, start, size, factor, recovery=recovery)
    values[:start] = usual[:start]
    values[start + size + recovery :] = usual[start + size + recovery : points]
    fitted = fit(History(values, periods, frequency), HORIZON, model_id)
    without = fit(History(usual[:points], periods, frequency), HORIZON, model_id)
    (lower, upper), (lower_without, upper_without) = fitted.interval(0.95), without.interval(0.95)
    assert np.mean(upper - lower) < 2 * np.mean(upper_without - lower_without)
    error, error_without = (
        np.abs(distribution.median - usual[points:]).mean() for distribution in (fitted, without)
    )
    assert error < 1.6 * error_without
    assert fitted.provenance.interruption is not None
    first, last = fitted.provenance.interruption
    assert first == start
    assert start + size <= last + 1 <= start + size + recovery


def changed(name, rng):
    """Return a history of 120 months that has moved, but not by one interruption."""
    months = np.arange(120)
    noise = rng.standard_normal(120)
    level = 100 + noise
    level[{"two": slice(30, 38), "at the end": slice(112, 120)}.get(name, slice(0))] *= 0.3
    return {
        "two": level * np.where((months >= 80) & (months < 88), 0.3, 1.0),
        "at the end": level,
        "a walk": 100 + np.cumsum(4 * noise),
        "a slow wave": 100 + 40 * np.sin(months / 9) + noise,
        "a new level": np.where(months < 60, 100, 40) + noise,
        "a slow fall and rise": 100 - 60 * np.exp(-(((months - 60) / 10) ** 2)) + noise,
        "a level of half the history": np.where((months > 30) & (months < 90), 40, 100) + noise,
        "zeros": np.where(rng.random(120) < 0.8, 0.0, 5.0),
    }[name]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "name",
    [
        "two",
        "at the end",
        "a walk",
        "a slow wave",
        "a new level",
        "a slow fall and rise",
        "a level of half the history",
        "zeros",
    ],
)
def test_other_movements_of_a_level_stay_in_the_history(name, seed) -> None:
    values = changed(name, np.random.default_rng(seed))
    assert find_old_interruption(History(values, (12,), Frequency.MONTHLY)) is None


def test_a_segment_that_a_season_may_repeat_stays_in_the_history() -> None:
    """The closed weeks of a first year would be forecast as open."""
    values = interrupted(70, WEEKS, 30, 10, 0.2)
    assert find_old_interruption(History(values, (52,), Frequency.WEEKLY)) is None
    observed_before = interrupted(100, WEEKS, 70, 10, 0.2)
    assert find_old_interruption(History(observed_before, (52,), Frequency.WEEKLY)) is not None


@pytest.mark.parametrize("model_id", ["forecast-model-1", "forecast-model-4"])
@pytest.mark.parametrize("seed", range(3))
def test_counts_after_an_interruption_are_not_negative(seed, model_id) -> None:
    rng = np.random.default_rng(seed)
    values = rng.poisson(3, size=120).astype(float)
    values[60:70] += rng.poisson(60, size=10)
    fitted = fit(History(values, (7, 365), Frequency.DAILY), HORIZON, model_id)
    assert fitted.provenance.interruption is not None
    assert fitted.interval(0.95)[0].min() >= 0


def test_what_is_left_of_an_outage_does_not_become_wild_values() -> None:
    rng = np.random.default_rng(0)
    values = 1000 * np.exp(0.05 * rng.standard_normal(120))
    values[60:75] = 10 ** rng.uniform(-6, -1, size=15)
    interruption = find_old_interruption(History(values, (7, 365), Frequency.DAILY))
    assert interruption is not None
    moved = interruption.values[60:75]
    assert 800 < moved.min() < moved.max() < 1250


@pytest.mark.parametrize("kind", [MONTHS, WEEKS, DAYS, HOURS])
@pytest.mark.parametrize("points", [30, 48, 60, 120])
def test_a_line_has_no_interruption_that_its_season_would_show(kind, points) -> None:
    """Of two cycles of a trend, the season is a step."""
    frequency, periods = kind
    for values in (40.0 + np.arange(points), 500.0 - np.arange(points), 5.0 * np.arange(points)):
        assert find_old_interruption(History(values, periods, frequency)) is None


def test_an_interruption_is_over_and_short_in_any_history() -> None:
    interruptions = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        points = int(rng.integers(36, 90))
        values = 5 + 0.04 * rng.standard_normal(points) + 0.4 * (np.arange(points) // 3 % 2)
        start, size = int(rng.integers(8, points - 10)), int(rng.integers(2, 14))
        values[start : start + size] -= 1
        values[start + size :] -= 0.32 * np.exp(-np.arange(points - start - size) / 15)
        interruption = find_old_interruption(History(values, (7, 365), Frequency.DAILY))
        if interruption is not None:
            interruptions += 1
            segment = interruption.segment
            assert 3 <= segment.stop - segment.start <= points / 3
            assert 6 <= segment.start < segment.stop <= points - 6
    assert interruptions > 30
