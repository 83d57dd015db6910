"""Values are converted to units of the series and back, also the largest numbers."""

import numpy as np
import pytest

from app.anomalies.units import find_units


@pytest.mark.parametrize("is_log", [False, True])
def test_values_come_back_from_their_units(is_log) -> None:
    values = np.random.default_rng(42).lognormal(3.0, 1.0, 200)
    units = find_units(values, is_log=is_log)
    plain = units.to_units(values)
    np.testing.assert_allclose(units.to_values(plain), values, rtol=1e-9)
    assert np.median(plain) == pytest.approx(0, abs=1e-9)


def test_the_unit_of_a_constant_series_is_zero() -> None:
    assert find_units(np.full(20, 3.0)).unit == 0.0


def test_the_largest_numbers_stay_within_the_range_of_numbers() -> None:
    values = np.where(np.arange(40) % 3 > 0, 1.7e308, -1.7e308)
    units = find_units(values)
    assert np.isfinite(units.to_units(values)).all()
    assert np.isfinite(units.to_values(np.array([-1e9, 0.0, 1e9]))).all()


def test_differences_finer_than_the_units_are_zero() -> None:
    values = np.array([0.0, 1e-300, 1.0, 2.0, 3.0, 4.0, 5.0] * 3)
    plain = find_units(values).to_units(values)
    assert plain[0] == plain[1]


def test_a_few_absurd_values_do_not_set_the_unit() -> None:
    values = np.random.default_rng(1).standard_normal(400)
    usual = find_units(values).unit
    values[[50, 300]] = [1e100, -1e100]
    assert find_units(values).unit == pytest.approx(usual, rel=0.05)
