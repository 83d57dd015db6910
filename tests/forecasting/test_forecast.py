"""Forecasts of every model: bad input, other units and origins, and what may not change."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.forecasting import forecast as engine
from app.forecasting.fallback import fit_constant
from app.forecasting.forecast import predict
from app.forecasting.model_ids import UnknownModelError
from app.forecasting.models.recipes import MODELS
from app.forecasting.types import ForecastDistribution
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from benchmarks import series

# Minutes as steps of five: a day is seen often in a short history.
PERIODS = {**series.PERIODS, Frequency.MINUTES: (288, 2_016)}
MAX_POINTS = 50_000
KINDS = ("noise", "random walk", "positive", "counts")


def rng(seed=0):
    return np.random.default_rng(seed)


def one_spike(length):
    values = np.zeros(length)
    values[length // 2] = 1.0
    return values


def one_outlier(length):
    values = np.abs(rng().normal(10.0, 1.0, length))
    values[length // 3] = 1e12
    return values


def growth(length):
    return np.exp(np.linspace(0.0, min(0.3 * length, 200.0), length))


BAD_INPUT = {
    "constant": lambda length: np.full(length, 3.7),
    "all zero": np.zeros,
    "one spike": one_spike,
    "last point differs": lambda length: np.append(np.ones(length - 1), 5.0),
    "alternating": lambda length: np.where(np.arange(length) % 2, 1.0, -1.0),
    "perfectly periodic": lambda length: np.resize(rng().normal(5.0, 1.0, 12), length),
    "straight line": lambda length: np.arange(float(length)),
    "exponential growth": growth,
    "1e100": lambda length: rng().uniform(-1.0, 1.0, length) * 1e100,
    "1e-300": lambda length: rng().random(length) * 1e-300,
    "subnormal": lambda length: rng().random(length) * 1e-312,
    "every magnitude": lambda length: 10.0 ** rng().uniform(-300, 100, length),
    "outlier of 1e12": one_outlier,
    "negative": lambda length: -np.abs(rng().normal(50.0, 5.0, length)),
    "integers": lambda length: rng().integers(0, 100, length).astype(float),
    "counts, 90 % zeros": lambda length: (
        (rng().random(length) < 0.1) * rng().poisson(3.0, length).astype(float)
    ),
    "small moves on 1e15": lambda length: 1e15 + np.cumsum(rng().normal(size=length)),
}


def assert_sound(prediction, values, horizon) -> None:
    arrays = (prediction.lower, prediction.median, prediction.upper)
    for array in arrays:
        assert array.shape == (horizon,)
        assert np.isfinite(array).all()
    assert (prediction.lower <= prediction.median).all()
    assert (prediction.median <= prediction.upper).all()
    if values.min() >= 0:
        assert prediction.lower.min() >= 0


@pytest.mark.parametrize("model_id", MODELS)
@pytest.mark.parametrize("kind", BAD_INPUT)
def test_bad_input_gets_a_forecast_at_each_frequency(model_id, kind) -> None:
    # Lengths below one, around two and far above two seasons of the short frequencies.
    for turn, (frequency, periods) in enumerate(PERIODS.items()):
        length = (10, 27, 90)[turn % 3]
        values = BAD_INPUT[kind](length)
        prediction = predict(History(values, periods, frequency), 13, 0.9, model_id)
        assert_sound(prediction, values, 13)


@pytest.mark.parametrize("model_id", MODELS)
@pytest.mark.parametrize("kind", BAD_INPUT)
def test_fifty_thousand_points_are_forecast(model_id, kind) -> None:
    # Every kind and every model, each model at every frequency; all pairs would take minutes.
    turn = list(BAD_INPUT).index(kind) + 2 * list(MODELS).index(model_id)
    frequency = list(PERIODS)[turn % len(PERIODS)]
    values = BAD_INPUT[kind](MAX_POINTS)
    prediction = predict(History(values, PERIODS[frequency], frequency), 100, 0.95, model_id)
    assert_sound(prediction, values, 100)


@pytest.mark.parametrize("model_id", MODELS)
def test_ten_points_with_a_season_of_168_are_forecast(model_id) -> None:
    values = rng(1).normal(size=10)
    history = History(values, (24, 168), Frequency.HOURS)
    assert_sound(predict(history, 100, 0.5, model_id), values, 100)


@pytest.mark.parametrize("model_id", MODELS)
def test_a_constant_series_is_forecast_as_itself(model_id) -> None:
    prediction = predict(History(np.full(20, 7.25), (12,), Frequency.MONTHLY), 5, 0.95, model_id)
    for array in (prediction.lower, prediction.median, prediction.upper):
        np.testing.assert_array_equal(array, np.full(5, 7.25))


@st.composite
def histories(draw, kinds=KINDS):
    frequency = draw(st.sampled_from(list(PERIODS)))
    length = draw(st.integers(10, 60))
    seed = draw(st.integers(0, 10_000))
    kind = draw(st.sampled_from(kinds))
    noise = rng(seed).normal(size=length)
    values = {
        "noise": noise,
        "random walk": np.cumsum(noise),
        "positive": np.exp(0.1 * np.cumsum(noise)),
        "counts": rng(seed).poisson(1.5, length).astype(float),
    }[kind]
    return History(values, PERIODS[frequency], frequency)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(
    history=histories(),
    model_id=st.sampled_from(list(MODELS)),
    confidences=st.lists(st.floats(0.1, 0.99), min_size=3, max_size=3),
)
def test_more_confidence_never_narrows_the_interval(history, model_id, confidences) -> None:
    wider = None
    for confidence in sorted(confidences, reverse=True):
        prediction = predict(history, 8, confidence, model_id)
        assert_sound(prediction, history.values, 8)
        if wider is not None:
            np.testing.assert_array_equal(prediction.median, wider.median)
            assert (wider.lower <= prediction.lower).all()
            assert (prediction.upper <= wider.upper).all()
        wider = prediction


@settings(max_examples=20, deadline=None, derandomize=True)
@given(history=histories(), model_id=st.sampled_from(list(MODELS)), power=st.integers(-200, 200))
def test_the_unit_of_the_values_does_not_matter(history, model_id, power) -> None:
    factor = 2.0**power
    scaled = History(history.values * factor, history.periods, history.frequency)
    base, result = predict(history, 6, 0.8, model_id), predict(scaled, 6, 0.8, model_id)
    # A power of two changes no digit of the scaled values, so none of the forecast.
    np.testing.assert_array_equal(result.median, base.median * factor)
    np.testing.assert_array_equal(result.lower, base.lower * factor)
    np.testing.assert_array_equal(result.upper, base.upper * factor)


def zero_point_moves(history, model_id, level, shift) -> tuple[float, float]:
    """Return how far a forecast and its bounds move beyond a shift, in standard deviations."""
    # Negative values take the additive path; positive ones are also modelled on logarithms.
    values = history.values - history.values.max() - level
    base, moved = (
        predict(replace(history, values=series_values), 6, 0.8, model_id)
        for series_values in (values, values - shift)
    )
    below, median, above = (
        np.abs(getattr(moved, name) + shift - getattr(base, name)).max() / values.std()
        for name in ("lower", "median", "upper")
    )
    return median, max(below, above)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    history=histories(kinds=("noise", "random walk")),
    model_id=st.sampled_from(list(MODELS)),
    level=st.floats(20.0, 200.0),
    shift=st.floats(1.0, 200.0),
)
def test_a_shift_of_the_zero_point_moves_the_forecast_with_it(history, model_id, level, shift):
    # Theta bounds its first level by what the values are, not by how they vary.
    is_low = history.frequency in MODELS[model_id].low_frequency
    of_median, of_bounds = (0.3, 0.9) if is_low else (1e-3, 1e-3)
    median, bounds = zero_point_moves(history, model_id, level, shift)
    assert median <= of_median
    assert bounds <= of_bounds


@pytest.mark.parametrize("model_id", MODELS)
def test_a_shift_of_the_zero_point_moves_hardly_any_short_forecast_otherwise(model_id) -> None:
    generator, frequencies = rng(38), sorted(MODELS[model_id].low_frequency)
    moves = []
    for number in range(40):
        frequency = frequencies[number % len(frequencies)]
        noise = generator.normal(size=generator.integers(10, 61))
        history = History((noise, np.cumsum(noise))[number % 2], PERIODS[frequency], frequency)
        level, shift = generator.uniform(20, 200), generator.uniform(1, 200)
        moves.append(zero_point_moves(history, model_id, level, shift))
    median, bounds = np.array(moves).T
    assert (median <= 0.1).all()
    assert (bounds > 0.2).sum() <= 1


@pytest.mark.parametrize("model_id", MODELS)
def test_the_same_request_in_one_process_gives_the_same_bytes(model_id) -> None:
    history = History(np.cumsum(rng(4).normal(size=50)), (12,), Frequency.MONTHLY)
    first, second = (predict(history, 12, 0.95, model_id) for _ in range(2))
    assert first.median.tobytes() == second.median.tobytes()
    assert first.lower.tobytes() == second.lower.tobytes()
    assert first.upper.tobytes() == second.upper.tobytes()


@pytest.mark.parametrize("model_id", MODELS)
def test_the_history_is_not_changed(model_id) -> None:
    values = np.abs(rng(5).normal(size=40)) + 1.0
    values.setflags(write=False)
    assert (
        predict(History(values, (4,), Frequency.QUARTERLY), 4, 0.9, model_id).provenance.notices
        == ()
    )


@dataclass
class StubModel:
    """A model whose ``fit`` is replaced."""

    fit: Callable[[History, int], ForecastDistribution]


def fit_raises(history, horizon) -> None:
    raise RuntimeError("no convergence")


def fit_nan(history, horizon):
    return fit_constant(np.nan, horizon)


def fit_infinite_bounds(history, horizon):
    return replace(fit_constant(1.0, horizon), interval=fit_constant(np.inf, horizon).interval)


@pytest.mark.parametrize("broken", [fit_raises, fit_nan, fit_infinite_bounds])
def test_a_failed_model_is_replaced_and_the_notice_says_so(broken, monkeypatch) -> None:
    monkeypatch.setitem(MODELS, "forecast-model-1", StubModel(broken))
    values = np.cumsum(rng(6).normal(size=30))
    prediction = predict(History(values, (12,), Frequency.MONTHLY), 5, 0.9, "forecast-model-1")
    assert_sound(prediction, values, 5)
    assert prediction.provenance.is_fallback
    (notice,) = prediction.provenance.notices
    assert notice.startswith("forecast-model-1 could not be fitted")
    assert notice.isascii()


def test_when_all_fail_the_last_value_is_the_forecast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MODELS, "forecast-model-1", StubModel(fit_raises))
    monkeypatch.setattr(engine, "_FALLBACKS", (("next", fit_raises), ("last", fit_nan)))
    history = History(np.array([1.0, 3.0, 2.0]), (), Frequency.YEARLY)
    prediction = predict(history, 2, 0.9, "forecast-model-1")
    np.testing.assert_array_equal(prediction.median, [2.0, 2.0])
    assert prediction.provenance.notices
    assert prediction.provenance.is_fallback


class BoundlessEffect:
    """An effect that halves values, and whose bounds are infinite."""

    def remove_from(self, history):
        return replace(history, values=history.values / 2)

    def add_to(self, distribution, floor):
        return distribution.map_values(lambda values: values * np.inf)


def test_each_effect_without_finite_bounds_costs_one_fit_more(monkeypatch) -> None:
    fitted = []

    def fit_last(history, horizon):
        fitted.append(history)
        return fit_constant(history.values[-1], horizon)

    monkeypatch.setitem(MODELS, "forecast-model-1", StubModel(fit_last))
    finders = dict.fromkeys(("first", "second", "third"), lambda _history: BoundlessEffect())
    monkeypatch.setattr(engine, "_effect_finders", lambda *_: finders)
    values = np.array([3.0, 1.0, 4.0, 2.0])
    prediction = predict(History(values, (), Frequency.YEARLY), 2, 0.9, "forecast-model-1")
    assert_sound(prediction, values, 2)
    assert len(fitted) == 1 + len(finders)
    np.testing.assert_array_equal(fitted[-1].values / fitted[-1].values[0], values / values[0])


def test_an_unknown_model_is_an_error() -> None:
    with pytest.raises(UnknownModelError):
        predict(History(np.arange(10.0), (), Frequency.YEARLY), 1, 0.9, "forecast-model-9")


@pytest.mark.parametrize("model_id", MODELS)
def test_one_outlier_does_not_spoil_the_forecast(model_id) -> None:
    values = np.abs(rng(8).normal(10.0, 1.0, 60))
    values[20] = 1e12
    prediction = predict(History(values, (12,), Frequency.MONTHLY), 6, 0.9, model_id)
    assert "extreme values were ignored: 1" in prediction.provenance.notices
    assert np.all((prediction.median > 6.0) & (prediction.median < 14.0))
    assert prediction.upper.max() < 50.0
