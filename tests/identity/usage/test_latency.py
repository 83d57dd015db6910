"""Durations by powers of two, and quantiles of such counts."""

import numpy as np
import pytest

from app.identity.usage.latency import BUCKET_COUNT, bucket_of, quantile


@pytest.mark.parametrize(
    ("seconds", "bucket"),
    [
        (0.0, 0),
        (0.000_999, 0),
        (0.001, 1),
        (0.0019, 1),
        (0.002, 2),
        (0.1, 7),
        (1.0, 10),
        (32.7, 15),
        (32.8, 16),
        (10_000.0, BUCKET_COUNT - 1),
    ],
)
def test_a_duration_is_in_the_bucket_of_its_power_of_two(seconds, bucket) -> None:
    assert bucket_of(seconds) == bucket


def test_quantiles_of_durations_are_those_of_the_whole_to_a_fifth() -> None:
    durations = np.random.default_rng(7).lognormal(np.log(0.05), 0.8, 20_000)
    counts = dict.fromkeys(range(BUCKET_COUNT), 0)
    for seconds in durations:
        counts[bucket_of(seconds)] += 1
    for share in (0.1, 0.5, 0.95, 0.99):
        assert quantile(counts, share) == pytest.approx(np.quantile(durations, share), rel=0.2)


def test_the_quantile_of_no_calls_is_none() -> None:
    assert quantile({}, 0.5) is None
    assert quantile({3: 0}, 0.5) is None


def test_a_quantile_of_one_call_lies_in_its_bucket() -> None:
    assert 0.004 <= quantile({3: 1}, 0.5) <= 0.008
    assert quantile({3: 1, 5: 0}, 1.0) == pytest.approx(0.008)
    assert 0 <= quantile({0: 4}, 0.95) <= 0.001
