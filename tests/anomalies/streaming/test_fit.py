"""The fit of a stream: units there and back, and the tails of its statistics."""

import itertools
import math

import numpy as np
import pytest

from app.anomalies.streaming.fit import StreamFit
from app.anomalies.streaming.statistic_tails import shape_margin
from app.anomalies.tail import STREAM_CONTAMINATION, Tail, fit_tail
from app.timeseries.types import FloatArray


def fit_of_level(centre: float, unit: float, *, is_log: bool = False) -> StreamFit:
    fit = StreamFit()
    fit.centre, fit.unit, fit.is_log = centre, unit, is_log
    return fit


@pytest.mark.parametrize("value", [0.0, 1e-3, 7.0, -50.0])
def test_a_value_comes_back_from_units(value: float) -> None:
    fit = fit_of_level(5.0, 0.1)
    assert fit.to_values(fit.to_units(value)) == pytest.approx(value, abs=1e-12)


def test_a_value_comes_back_from_logarithms() -> None:
    fit = fit_of_level(math.log(20.0), 0.3, is_log=True)
    assert fit.to_values(fit.to_units(35.0)) == pytest.approx(35.0)
    assert fit.to_values(0.0) == pytest.approx(20.0)


@pytest.mark.parametrize("value", [0.0, -5.0, -1e100])
def test_with_logarithms_a_value_that_has_none_is_as_far_down_as_can_be(value: float) -> None:
    fit = fit_of_level(0.0, 1.0, is_log=True)
    assert fit.to_units(value) == pytest.approx(math.log(2.3e-308))


@pytest.mark.parametrize("is_log", [False, True])
@pytest.mark.parametrize("unit", [1e-300, 1e-9, 1.0, 1e100])
@pytest.mark.parametrize("value", [1e100, -1e100, 5e-324, 0.0])
def test_conversions_of_extreme_values_are_finite(value: float, unit: float, is_log: bool) -> None:
    fit = fit_of_level(1.0, unit, is_log=is_log)
    assert abs(fit.to_units(value)) <= 1e9
    assert math.isfinite(fit.to_values(fit.to_units(value)))
    assert math.isfinite(fit.to_values(1e300))
    assert math.isfinite(fit.to_values(-1e300))


def test_seasons_begin_at_the_origin_and_add_up() -> None:
    fit = StreamFit()
    fit.origin = 7
    fit.periods, fit.profile_sizes = [2.0, 3.0], (2, 3)
    fit.profile = [1.0, -1.0, 10.0, 20.0, 30.0]
    results = [fit.season_at(time) for time in range(7, 14)]
    assert results == [11.0, 19.0, 31.0, 9.0, 21.0, 29.0, 11.0]


def test_a_season_of_a_fractional_number_of_steps_continues_in_phase() -> None:
    fit = StreamFit()
    fit.periods, fit.profile_sizes, fit.profile = [2.5], (5,), [0.0, 1.0, 2.0, 3.0, 4.0]
    assert [fit.season_at(time) for time in range(1000, 1005)] == [0.0, 2.0, 4.0, 1.0, 3.0]
    fit.periods = [10.0]
    assert [fit.season_at(time) for time in (1, 9)] == [0.5, 2.0]


def test_the_size_of_errors_follows_the_shortest_season() -> None:
    fit = StreamFit()
    fit.origin, fit.periods = 4, [3.0, 9.0]
    assert fit.phase_at(123) == 1.0
    fit.phases = [0.5, 1.0, 1.5]
    assert [fit.phase_at(time) for time in range(4, 10)] == [0.5, 1.0, 1.5] * 2


def normal_sample(count: int = 4000, seed: int = 1) -> FloatArray:
    return np.random.default_rng(seed).standard_normal(count)


SAMPLES = {
    "normal": normal_sample(),
    "heavy": np.random.default_rng(2).standard_t(2, 2000),
    "counts": np.random.default_rng(3).poisson(2.0, 1000).astype(float),
    "two values": (np.random.default_rng(4).random(500) < 0.02).astype(float),
    "few": normal_sample(20),
}


def stream_tail(sample: FloatArray) -> Tail:
    return fit_tail(sample, STREAM_CONTAMINATION).with_caution()


def share_beyond(p: float) -> float:
    """Return the share of other values beyond the quantile, on average of some samples."""
    others = normal_sample(200_000, seed=7)
    limits = [stream_tail(normal_sample(seed=seed)).quantile(math.log(p)) for seed in range(6)]
    return float(np.mean([np.mean(others > limit) for limit in limits]))


@pytest.mark.parametrize("p", [0.3, 0.05, 0.01])
def test_the_share_beyond_a_quantile_is_the_one_asked_for(p: float) -> None:
    assert share_beyond(p) == pytest.approx(p, rel=0.1)


def test_the_share_beyond_a_tail_of_few_points_is_at_most_the_rate() -> None:
    assert 0.0003 < share_beyond(0.001) < 0.0012


@pytest.mark.parametrize("name", SAMPLES)
def test_a_p_value_never_grows_with_the_value_and_never_exceeds_one(name: str) -> None:
    tail = stream_tail(SAMPLES[name])
    values = [-1e9, *np.linspace(-10, 50, 400).tolist(), 1e9, 1e300]
    log_ps = [tail.log_p(value) for value in values]
    assert log_ps == sorted(log_ps, reverse=True)
    assert log_ps[0] <= 0.0
    assert all(math.isfinite(log_p) for log_p in log_ps)


@pytest.mark.parametrize("name", ["normal", "heavy", "few"])
@pytest.mark.parametrize("p", [0.2, 0.01, 1e-3, 1e-6, 1e-12])
def test_a_quantile_has_the_p_value_that_it_was_asked_for(name: str, p: float) -> None:
    tail = stream_tail(SAMPLES[name])
    assert tail.log_p(tail.quantile(math.log(p))) == pytest.approx(math.log(p), abs=1e-6)


def test_further_out_is_less_probable_at_any_distance() -> None:
    tail = stream_tail(normal_sample())
    log_ps = [tail.log_p(sigmas) for sigmas in (5, 8, 13, 130, 1300, 1e6)]
    assert all(later < earlier - 0.5 for earlier, later in itertools.pairwise(log_ps))


def test_a_few_outliers_among_the_learned_hardly_move_the_limit() -> None:
    sample = normal_sample()
    spiked = sample.copy()
    spiked[[100, 2000]] = [50.0, 80.0]
    clean = stream_tail(sample).quantile(math.log(0.001))
    assert stream_tail(spiked).quantile(math.log(0.001)) < 1.5 * clean


def test_the_tail_of_what_never_errs_is_defined() -> None:
    tail = stream_tail(np.zeros(500))
    assert tail.scale > 0
    assert math.isfinite(tail.log_p(1.0))
    assert tail.log_p(1.0) < tail.log_p(0.0) <= 0.0


def test_a_sample_that_ends_where_its_tail_would_begin_is_bare() -> None:
    assert stream_tail(-SAMPLES["two values"]).is_bare
    assert not stream_tail(normal_sample()).is_bare


def test_a_tail_that_was_never_fitted_gives_p_values() -> None:
    tail = Tail()
    assert tail.log_p(0.0) == 0.0
    assert tail.log_p(3.0) < 0.0


def test_only_noise_with_heavy_tails_has_its_tails_lengthened() -> None:
    rng = np.random.default_rng(5)
    margins = {
        name: [shape_margin(np.abs(draw(3000)), STREAM_CONTAMINATION) for _ in range(10)]
        for name, draw in {
            "normal": rng.standard_normal,
            "uniform": lambda n: rng.uniform(-1, 1, n),
            "t5": lambda n: rng.standard_t(5, n),
        }.items()
    }
    assert max(margins["normal"] + margins["uniform"]) <= 0.05
    assert min(margins["t5"]) >= 0.05
