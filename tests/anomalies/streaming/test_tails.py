"""The tails of a stream's statistics: probabilities, and their inverse."""

import itertools
import math

import numpy as np
import pytest

from app.anomalies.streaming.tails import StreamTail, fit_stream_tail
from app.timeseries.types import FloatArray


def normal(count: int = 4000, seed: int = 1) -> FloatArray:
    return np.random.default_rng(seed).standard_normal(count)


SAMPLES = {
    "normal": normal(),
    "heavy": np.random.default_rng(2).standard_t(2, 2000),
    "counts": np.random.default_rng(3).poisson(2.0, 1000).astype(float),
    "two values": (np.random.default_rng(4).random(500) < 0.02).astype(float),
    "few": normal(20),
}


def share_beyond(p: float) -> float:
    """Return the share of other values beyond the quantile, on average of some samples."""
    others = normal(200_000, seed=7)
    limits = [fit_stream_tail(normal(seed=seed)).quantile(math.log(p)) for seed in range(6)]
    return float(np.mean([np.mean(others > limit) for limit in limits]))


@pytest.mark.parametrize("p", [0.3, 0.05, 0.01])
def test_the_share_beyond_a_quantile_is_the_one_asked_for(p: float) -> None:
    assert share_beyond(p) == pytest.approx(p, rel=0.1)


def test_where_few_were_seen_the_share_is_at_most_the_one_asked_for() -> None:
    assert 0.0003 < share_beyond(0.001) < 0.0012


@pytest.mark.parametrize("name", SAMPLES)
def test_a_p_value_never_grows_with_the_value_and_never_exceeds_one(name: str) -> None:
    tail = fit_stream_tail(SAMPLES[name])
    values = [-1e9, *np.linspace(-10, 50, 400).tolist(), 1e9, 1e300]
    log_ps = [tail.log_p(value) for value in values]
    assert log_ps == sorted(log_ps, reverse=True)
    assert log_ps[0] <= 0.0
    assert all(math.isfinite(each) for each in log_ps)


@pytest.mark.parametrize("name", ["normal", "heavy", "few"])
@pytest.mark.parametrize("p", [0.2, 0.01, 1e-3, 1e-6, 1e-12])
def test_a_quantile_has_the_p_value_that_it_was_asked_for(name: str, p: float) -> None:
    tail = fit_stream_tail(SAMPLES[name])
    assert tail.log_p(tail.quantile(math.log(p))) == pytest.approx(math.log(p), abs=1e-6)


def test_further_out_is_less_probable_at_any_distance() -> None:
    tail = fit_stream_tail(normal())
    log_ps = [tail.log_p(sigmas) for sigmas in (5, 8, 13, 130, 1300, 1e6)]
    assert all(later < earlier - 0.5 for earlier, later in itertools.pairwise(log_ps))


def test_a_few_outliers_among_the_learned_hardly_move_the_limit() -> None:
    sample = normal()
    spiked = sample.copy()
    spiked[[100, 2000]] = [50.0, 80.0]
    clean = fit_stream_tail(sample).quantile(math.log(0.001))
    assert fit_stream_tail(spiked).quantile(math.log(0.001)) < 1.5 * clean


def test_the_tail_of_what_never_errs_is_defined() -> None:
    tail = fit_stream_tail(np.zeros(500))
    assert tail.scale > 0
    assert math.isfinite(tail.log_p(1.0))
    assert tail.log_p(1.0) < tail.log_p(0.0) <= 0.0


def test_a_sample_that_ends_where_its_tail_would_begin_is_bare() -> None:
    assert fit_stream_tail(-SAMPLES["two values"]).is_bare
    assert not fit_stream_tail(normal()).is_bare


def test_a_tail_that_was_never_fitted_gives_p_values() -> None:
    tail = StreamTail()
    assert tail.log_p(0.0) == 0.0
    assert tail.log_p(3.0) < 0.0
