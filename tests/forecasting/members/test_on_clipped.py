"""Members on a history without its outliers."""

import numpy as np

from app.forecasting.members.on_clipped import CLIPPED_PROFILES, on_clipped
from app.forecasting.members.types import BacktestedForecast, HighFrequencyMember
from app.forecasting.preprocessing.seasonality import Seasonality
from tests.forecasting.tasks import make_task


def test_members_see_no_outliers_but_are_measured_on_them() -> None:
    noise = np.random.default_rng(0).standard_normal(140)
    values = 100 + np.tile([0.0, 2, 4, 6, 4, 2, 0], 20) + noise
    values[80] = 1e4
    seen = []

    def forecast(task):
        seen.append(task)
        return [BacktestedForecast(np.ones(3), np.ones((1, 3)))]

    task = make_task(values, 3, (79,), seasonality=Seasonality(7, 0))
    assert (
        len(
            on_clipped(
                HighFrequencyMember("a", forecast), HighFrequencyMember("b", forecast)
            ).forecast(task)
        )
        == 2
    )
    first, second = seen
    assert first is second
    (clipped,) = first.transformed
    assert clipped.values.max() < 120
    assert first.targets.max() == 1e4


def metric(rng, n=24 * 14):
    return 50 + 10 * np.sin(2 * np.pi * np.arange(n) / 24) + rng.standard_normal(n)


def test_a_burst_in_the_last_cycle_is_not_repeated() -> None:
    rng = np.random.default_rng(1)
    values = metric(rng)
    values[rng.choice(300, 40, replace=False)] += 100.0
    values[-20:-15] = 200.0
    values[-1] = 150.0
    task = make_task(values, 24, (200, 280), seasonality=Seasonality(24, 168))
    assert CLIPPED_PROFILES.is_suitable(task)
    for forecast in CLIPPED_PROFILES.forecast(task):
        assert forecast.forecast.max() < 90


def test_profiles_without_outliers_take_part_only_where_there_are_outliers() -> None:
    values = metric(np.random.default_rng(2))
    task = make_task(values, 24, (200, 280), seasonality=Seasonality(24, 168))
    assert not CLIPPED_PROFILES.is_suitable(task)


def test_levels_stay_where_they_were_for_profiles_without_outliers() -> None:
    rng = np.random.default_rng(3)
    values = metric(rng)
    values[:150] += 300.0
    values[rng.choice(np.arange(160, 300), 15, replace=False)] += 200.0
    task = make_task(values, 24, (140, 280), seasonality=Seasonality(24, 0))
    assert CLIPPED_PROFILES.is_suitable(task)
    naive = CLIPPED_PROFILES.forecast(task)[0]
    np.testing.assert_allclose(naive.backtest[:, 0], [350, 50], atol=20)
