"""The simulated shop is the same each time, and its rates are computed as in Prometheus."""

import numpy as np
import pytest

from benchmarks.faults.shapes import MINUTE, Shape, count_up, rate_of
from benchmarks.faults.shop import BEGIN, HISTORY, REPLAYED_SECONDS, SHAPES, draw, lead_steps


def test_the_shop_has_60_series() -> None:
    assert len({shape.name for shape in SHAPES}) == 60


def test_a_series_is_the_same_each_time_it_is_drawn() -> None:
    first, second = draw(SHAPES[0]), draw(SHAPES[0])
    assert np.array_equal(
        first.values(first.base, first.runs), second.values(second.base, second.runs)
    )


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_the_history_of_a_series_ends_where_the_replayed_days_begin(shape) -> None:
    drawn = draw(shape)
    values = drawn.query_values(drawn.values(drawn.base, drawn.runs))
    times = drawn.times[lead_steps(shape) :]
    assert len(values) == len(times) > HISTORY[shape.step] + REPLAYED_SECONDS // shape.step
    assert times[HISTORY[shape.step] - 1] == BEGIN
    assert np.isfinite(values).all()
    assert shape.low <= values.min() <= values.max() <= shape.high


def test_a_rate_is_the_increase_over_its_window_even_across_a_counter_reset() -> None:
    shape = Shape("", lambda _chance, times: times, is_counter=True, resets=8 * MINUTE)
    times = MINUTE * np.arange(20)
    counter = count_up(np.full(20, 2.0), shape, times)
    assert counter[7] > counter[8] == 120  # a restart
    rates = rate_of(counter, MINUTE)
    assert np.isnan(rates[:5]).all()
    assert rates[5:].tolist() == [2.0] * 15
