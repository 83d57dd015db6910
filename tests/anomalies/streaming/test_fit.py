"""The units of a fit: there and back, for any value."""

import math
from array import array

import pytest

from app.anomalies.streaming.fit import StreamFit


def fitted(centre: float, unit: float, *, is_log: bool = False) -> StreamFit:
    fit = StreamFit()
    fit.centre, fit.unit, fit.is_log = centre, unit, is_log
    return fit


@pytest.mark.parametrize("value", [0.0, 1e-3, 7.0, -50.0])
def test_a_value_comes_back_from_units(value: float) -> None:
    fit = fitted(5.0, 0.1)
    assert fit.restored(fit.plain(value)) == pytest.approx(value, abs=1e-12)


def test_a_value_comes_back_from_logarithms() -> None:
    fit = fitted(math.log(20.0), 0.3, is_log=True)
    assert fit.restored(fit.plain(35.0)) == pytest.approx(35.0)
    assert fit.restored(0.0) == pytest.approx(20.0)


@pytest.mark.parametrize("value", [0.0, -5.0, -1e100])
def test_with_logarithms_a_value_that_has_none_is_as_far_down_as_can_be(value: float) -> None:
    fit = fitted(0.0, 1.0, is_log=True)
    assert fit.plain(value) == pytest.approx(math.log(2.3e-308))


@pytest.mark.parametrize("is_log", [False, True])
@pytest.mark.parametrize("unit", [1e-300, 1e-9, 1.0, 1e100])
@pytest.mark.parametrize("value", [1e100, -1e100, 5e-324, 0.0])
def test_all_is_finite(value: float, unit: float, is_log: bool) -> None:
    fit = fitted(1.0, unit, is_log=is_log)
    assert abs(fit.plain(value)) <= 1e9
    assert math.isfinite(fit.restored(fit.plain(value)))
    assert math.isfinite(fit.restored(1e300))
    assert math.isfinite(fit.restored(-1e300))


def test_seasons_begin_at_the_origin_and_add_up() -> None:
    fit = StreamFit()
    fit.origin = 7
    fit.periods = array("q", [2, 3])
    fit.profile = [1.0, -1.0, 10.0, 20.0, 30.0]
    found = [fit.season_at(time) for time in range(7, 14)]
    assert found == [11.0, 19.0, 31.0, 9.0, 21.0, 29.0, 11.0]


def test_the_size_of_errors_follows_the_shortest_season() -> None:
    fit = StreamFit()
    fit.origin, fit.periods = 4, array("q", [3, 9])
    assert fit.phase_at(123) == 1.0
    fit.phases = [0.5, 1.0, 1.5]
    assert [fit.phase_at(time) for time in range(4, 10)] == [0.5, 1.0, 1.5] * 2
