"""The numbers of margins and thresholds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.api.dialects.azure_anomaly_detector.response import band_margins, max_p_value
from app.api.dialects.azure_anomaly_detector.schemas import false_alarm_rate

NUMBERS = st.floats(-1e100, 1e100)


@given(NUMBERS, NUMBERS, NUMBERS)
def test_a_value_lies_beyond_the_margin_exactly_where_it_is_outside(
    expected: float, bound: float, value: float
) -> None:
    expected, bound = min(expected, bound), max(expected, bound)
    columns = (np.array([number]) for number in (expected, bound, value))
    outside = value > bound
    (distance,) = band_margins(*columns, np.array([outside]))
    assert distance >= 0
    assert (value > expected + distance) == outside


@pytest.mark.parametrize(
    ("sensitivity", "rate"),
    [(0, 0.0001), (50, 0.000387), (85, 0.001), (90, 0.00228), (95, 0.00518), (99, 0.01)],
)
def test_the_rates_are_those_of_the_guide(sensitivity: int, rate: float) -> None:
    assert false_alarm_rate(sensitivity) == rate


def test_more_sensitive_is_never_a_lower_rate() -> None:
    rates = [false_alarm_rate(sensitivity) for sensitivity in range(100)]
    assert rates == sorted({*rates})


def test_a_lower_threshold_takes_a_smaller_p_value() -> None:
    assert max_p_value(None) == 1
    results = [max_p_value(threshold) for threshold in (1, 0.9, 0.5, 0.1, 0)]
    assert results == pytest.approx([1, 10 ** (-20 / 9), 1e-20, 1e-180, 0])
