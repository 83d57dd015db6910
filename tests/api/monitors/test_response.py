"""Bodies of responses about monitors."""

import math

import numpy as np
import pytest

from app.api.anomalies.response import round_probabilities
from app.api.monitors.response import round_probability


@pytest.mark.parametrize("is_anomaly", [False, True])
def test_one_p_value_is_rounded_as_those_of_a_series_are(is_anomaly: bool) -> None:
    powers = 10.0 ** np.arange(-12, 1)
    below = [math.nextafter(power, 0.0) for power in powers]
    spread = 10 ** np.random.default_rng(1).uniform(-12, 0, 10_000)
    p_values = np.concatenate([powers, below, spread])

    rounded = [round_probability(value, is_anomaly) for value in p_values.tolist()]

    together = round_probabilities(p_values, np.full(len(p_values), is_anomaly))
    assert rounded == together.tolist()
