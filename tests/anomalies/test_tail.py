"""The fitted tail: p-values, quantiles and the rate of fresh values beyond them."""

import numpy as np
import pytest

from app.anomalies.results import Direction
from app.anomalies.tail import Tails, fit_pareto, fit_tail, is_outside_band, reconcile_p_values

SAMPLES = {
    "normal": lambda rng: rng.standard_normal(2000),
    "long": lambda rng: rng.standard_t(3, 2000),
    "short": lambda rng: rng.uniform(-1, 1, 2000),
    "counts": lambda rng: rng.poisson(3, 2000).astype(float),
    "zeros": lambda rng: (rng.random(2000) < 0.1) * rng.exponential(1, 2000),
    "one value": lambda rng: np.zeros(2000),
    "few": lambda rng: rng.standard_normal(12),
}


@pytest.fixture(params=SAMPLES.values(), ids=SAMPLES.keys())
def sample(request):
    return request.param(np.random.default_rng(4))


def test_the_quantile_inverts_the_p_value(sample) -> None:
    tail = fit_tail(sample)
    for rate in (0.1, 0.05, 0.01, 0.001, 0.0001, 0.00005):
        at = tail.quantile(np.log(rate))
        above = np.nextafter(at, np.inf) + 1e-12 * abs(at)
        # Where values are tied the p-value jumps, from at least the rate to at most it.
        p_values = np.exp(tail.log_p_values(np.array([at, above])))
        assert p_values[0] >= rate * (1 - 1e-9)
        assert p_values[1] <= rate * (1 + 1e-6)


def test_p_values_fall_as_the_statistic_grows(sample) -> None:
    ascending = np.linspace(sample.min() - 1, sample.max() * 3 + 1, 3000)
    log_p_values = fit_tail(sample).log_p_values(ascending)
    with np.errstate(invalid="ignore"):  # beyond the end of a short tail
        assert not (np.diff(log_p_values) > 0).any()
    assert log_p_values[0] == 0.0


def test_one_value_has_the_p_value_of_many(sample) -> None:
    tail = fit_tail(sample).with_caution()
    values = np.linspace(sample.min() - 1, sample.max() * 3 + 1, 300)
    log_ps = [tail.log_p(value) for value in values.tolist()]
    np.testing.assert_allclose(log_ps, tail.log_p_values(values), atol=1e-12)


@pytest.mark.parametrize("rate", [0.1, 0.01, 0.001])
@pytest.mark.parametrize("kind", ["normal", "long", "short"])
def test_the_share_of_fresh_values_beyond_the_quantile_is_the_rate(kind, rate) -> None:
    rng = np.random.default_rng(8)
    draw = SAMPLES[kind]
    fresh = np.concatenate([draw(rng) for _ in range(100)])
    shares = [(fresh > fit_tail(draw(rng)).quantile(np.log(rate))).mean() for _ in range(20)]
    assert np.mean(shares) <= 1.7 * rate
    # A tail that ends soon is extended a little.
    assert np.mean(shares) >= (0.6 if rate > 0.001 else 0.1) * rate


def test_the_numbers_of_a_tail_are_python_floats(sample):
    tail = fit_tail(sample)
    for made in (tail, tail.with_caution(0.1, 0.3)):
        numbers = [made.scale, made.shape, made.log_p(1.0), made.quantile(np.log(0.001).item())]
        assert {type(number) for number in [*numbers, *made.knots, *made.log_survival]} == {float}


def test_gross_outliers_do_not_lengthen_the_tail() -> None:
    values = np.random.default_rng(1).standard_normal(1000)
    clean = fit_tail(values).quantile(np.log(0.001))
    assert fit_tail(np.append(values, [30.0, 1e6, 1e12])).quantile(np.log(0.001)) < 1.05 * clean


def test_pareto_shape_and_scale_are_found() -> None:
    rng = np.random.default_rng(2)
    scale, shape = fit_pareto(np.sort(2 * (rng.uniform(size=20_000) ** -0.3 - 1) / 0.3))
    assert scale == pytest.approx(2, rel=0.05)
    assert shape == pytest.approx(0.3, abs=0.05)


def test_hidden_values_count_but_not_how_far_out_they_lie() -> None:
    excess = np.sort(np.random.default_rng(3).exponential(1.0, 5000))
    hidden = np.minimum(excess, excess[-501])
    scale, shape = fit_pareto(hidden, 500)
    assert scale == pytest.approx(1, rel=0.1)
    assert shape == pytest.approx(0, abs=0.1)


def tails_of(scaled):
    return Tails(fit_tail(scaled), fit_tail(-scaled))


def test_two_sides_share_the_rate_and_one_side_has_all_of_it() -> None:
    scaled = np.random.default_rng(1).exponential(1.0, 5000) - 0.7
    tails = tails_of(scaled)
    for direction in Direction:
        below, above = tails.limits(0.05, direction)
        flagged = is_outside_band(scaled, np.full(5000, -below), np.full(5000, above), direction)
        assert flagged.mean() == pytest.approx(0.05, abs=0.004)
        np.testing.assert_array_equal(flagged, tails.p_value(scaled, direction) < 0.05)


def test_a_side_without_a_tail_takes_no_share() -> None:
    rng = np.random.default_rng(2)
    scaled = (rng.random(4000) < 0.2) * rng.exponential(1.0, 4000)
    below, above = tails_of(scaled).limits(0.05, Direction.BOTH)
    assert below == pytest.approx(0, abs=1e-9)
    assert (scaled > above).mean() == pytest.approx(0.05, abs=0.005)


def test_limits_enclose_the_expectation_of_a_series_that_never_reaches_it() -> None:
    below, above = tails_of(np.full(100, -1.0)).limits(0.01, Direction.BOTH)
    assert min(below, above) >= 0


def test_rounded_p_values_follow_the_flag() -> None:
    flags = np.array([True, False, True, False])
    agreed = reconcile_p_values(np.array([0.01, 0.0099, 0.001, 0.5]), flags, 0.01)
    np.testing.assert_array_equal(agreed < 0.01, flags)
    assert agreed[3] == 0.5
