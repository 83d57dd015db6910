"""Bounds that a series proves."""

import numpy as np
import pytest

from app.timeseries.bounds import find_upper_bound
from app.timeseries.types import FloatArray

RANDOM = np.random.default_rng(1)
SATURATED = np.minimum(100.0, RANDOM.normal(97, 3, 200))
UNBOUNDED: dict[str, FloatArray] = {
    "noise": RANDOM.normal(100, 5, 200),
    "small counts": RANDOM.poisson(2, 200).astype(float),
    "large counts": RANDOM.poisson(40, 200).astype(float),
    "rounded numbers": np.round(RANDOM.normal(20, 3, 200)),
    "rare sales": RANDOM.negative_binomial(1, 0.4, 200).astype(float),
    "rounded growth": np.round(np.arange(200) / 10 + RANDOM.normal(0, 0.3, 200)),
    "a new level reached thrice at the end": np.r_[RANDOM.normal(5, 1, 190), [9, 8] * 5],
    "the maximum reached twice": np.r_[9.0, RANDOM.normal(5, 1, 100), 9.0],
    "a constant": np.ones(50),
}


def bound_of(values: FloatArray) -> float | None:
    return find_upper_bound(values, 9.0, 0.25)


@pytest.mark.parametrize("kind", UNBOUNDED)
def test_a_series_that_has_no_bound_gets_none(kind: str) -> None:
    assert bound_of(UNBOUNDED[kind]) is None


def test_the_same_bound_in_another_unit_is_found() -> None:
    assert bound_of(SATURATED / 100) == 1.0
    assert bound_of(SATURATED * 1e-9) == pytest.approx(1e-7)


def test_visits_close_together_prove_a_bound_only_where_no_spread_is_needed() -> None:
    values = np.r_[RANDOM.normal(5, 0.5, 190), [9, 5, 9, 6, 9]]
    assert find_upper_bound(values, 9.0) == 9
    assert bound_of(values) is None
