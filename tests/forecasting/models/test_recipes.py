"""Four models are four forecasts, and a member that is added to one of them counts."""

from dataclasses import replace

import numpy as np
import pytest

from app.forecasting.forecast import predict
from app.forecasting.members.types import (
    BacktestedForecast,
    HighFrequencyMember,
    LowFrequencyMember,
    MemberForecast,
)
from app.forecasting.model_ids import MODEL_IDS
from app.forecasting.models.high_frequency import fit_high_frequency
from app.forecasting.models.low_frequency import fit_low_frequency
from app.forecasting.models.recipes import MODELS
from app.forecasting.preprocessing.seasonality import Seasonality
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray
from tests.forecasting.periods import PERIODS
from tests.forecasting.tasks import make_task


def noisy_series(periods: tuple[int, ...], points: int = 120) -> FloatArray:
    """Return a level with a trend, a season and noise."""
    rng = np.random.default_rng(5)
    steps = np.arange(points)
    season = 8 * np.sin(2 * np.pi * steps / periods[0]) if periods else 0.0
    return 100 + 0.2 * steps + season + rng.normal(0, 4, points)


@pytest.mark.parametrize("frequency", Frequency)
def test_no_two_models_give_the_same_forecast(frequency: Frequency) -> None:
    periods = PERIODS[frequency]
    history = History(noisy_series(periods), periods, frequency)
    medians = {model: predict(history, 6, 0.9, model).median for model in MODELS}
    assert len({median.tobytes() for median in medians.values()}) == len(MODELS), medians


def test_the_models_that_clients_may_ask_for_are_those_of_the_table() -> None:
    assert list(MODELS) == list(MODEL_IDS)


def test_hours_have_members_whatever_their_number() -> None:
    rng = np.random.default_rng(7)
    seasonality = Seasonality(24, 168)
    for points, origin in ((60, 40), (300, 200), (900, 500)):
        task = make_task(rng.normal(9, 1, points), 12, (origin,), seasonality=seasonality)
        for model in MODELS.values():
            members = model.high_frequency[Frequency.HOURS].members(seasonality)
            suiting = [member.name for member in members if member.is_suitable(task)]
            assert {"naive", "double seasonal smoothing"} <= set(suiting)
            assert any(name.startswith("ridge on ") for name in suiting)
            assert len(set(suiting)) == len(suiting)


def test_months_without_noise_are_the_same_by_every_light_model() -> None:
    values = 50 + np.arange(48.0) + np.tile(np.arange(12.0), 4)
    history = History(values, (12,), Frequency.MONTHLY)
    light, seasonal = (MODELS[f"forecast-model-{number}"] for number in (2, 3))
    np.testing.assert_array_equal(
        seasonal.fit(history, 12).at(0.9).median, light.fit(history, 12).at(0.9).median
    )


def level(height: float, width: float | None = None) -> LowFrequencyMember:
    """Return a low-frequency member that says one value for ever, and how wrong it may be."""

    def forecast(_history: History, horizon: int) -> MemberForecast:
        widths = None if width is None else np.full(horizon, width)
        return MemberForecast(np.full(horizon, height), widths)

    return LowFrequencyMember("toy", forecast)


@pytest.mark.parametrize("model_id", ["forecast-model-1", "forecast-model-2", "forecast-model-3"])
def test_a_member_added_to_a_short_recipe_counts_with_its_forecast_and_its_width(
    model_id: str,
) -> None:
    history = History(noisy_series((4,), 60), (4,), Frequency.QUARTERLY)
    recipe = MODELS[model_id].low_frequency[Frequency.QUARTERLY]
    before = fit_low_frequency(history, 4, recipe).at(0.9)
    high = float(before.median.max()) + 10.0

    def forecast_with_added(width: float | None) -> tuple[FloatArray, FloatArray]:
        wider = replace(recipe, members=(*recipe.members, level(high, width)))
        response = fit_low_frequency(history, 4, wider).at(0.9)
        return response.median, response.upper - response.lower

    median, narrow = forecast_with_added(4.0)
    assert (median > before.median).all()
    same_median, wide = forecast_with_added(12.0)
    np.testing.assert_array_equal(median, same_median)
    assert (wide > narrow).all()
    assert (forecast_with_added(None)[1] != narrow).all()


def test_a_member_added_to_a_long_recipe_counts_with_its_forecast_and_its_errors() -> None:
    values = noisy_series((24,), 150)
    history = History(values[:110], (24,), Frequency.HOURS)
    recipe = MODELS["forecast-model-2"].high_frequency[Frequency.HOURS]

    def forecast_with_added(error: float) -> tuple[FloatArray, FloatArray]:
        toy = HighFrequencyMember(
            "toy",
            lambda task: [BacktestedForecast(values[110:][: task.horizon], task.targets + error)],
        )
        members = (*recipe.seasonal, toy)
        response = fit_high_frequency(history, 10, replace(recipe, seasonal=members)).at(0.9)
        return response.median, response.upper - response.lower

    before = fit_high_frequency(history, 10, recipe).at(0.9)
    median, width = forecast_with_added(1e-3)
    assert np.abs(median - values[110:120]).max() < 0.01
    assert (width < 0.5 * (before.upper - before.lower)).all()
    median, _ = forecast_with_added(1e6)
    np.testing.assert_allclose(median, before.median)
