"""Which class of regularity a history is put into."""

import numpy as np
import pytest

from benchmarks.regularity import regularity

TIME = np.arange(240)
RNG = np.random.default_rng(7)
NOISE = RNG.standard_normal(240)
BURSTS = np.where(TIME % 40 == 7, 60.0, 0.0)


@pytest.mark.parametrize(
    ("values", "season", "expected"),
    [
        (100 + TIME + NOISE, 12, "calm"),
        (100 + NOISE, 12, "noisy"),
        (100 + np.cumsum(NOISE), 1, "wandering"),
        (100 + TIME + 5 * np.sin(np.pi * TIME / 6) + NOISE, 12, "seasonal"),
        (100 + NOISE + BURSTS, 12, "bursty"),
        (np.where(TIME % 3 == 0, NOISE, 0.0), 1, "bursty"),
    ],
)
def test_each_history_is_of_the_class_that_a_person_would_name(values, season, expected):
    assert regularity(values, season) == expected
