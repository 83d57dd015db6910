"""Trends: what a steady slope promises, and what is small beside all values."""

import numpy as np
import pytest

from app.anomalies.results import AnomalyVerdict
from app.timeseries.types import FloatArray
from tests.anomalies.streaming.streams import Stream, flags

LEARNED, STEP_BYTES = 863, -69.4e6


def free_bytes(live: int, step_noise: float = 1e4) -> FloatArray:
    """Return the free bytes of a disk that fills by nearly the same amount each step."""
    noise = np.random.default_rng(1).normal(0.0, step_noise, LEARNED + live)
    return 1e11 + np.cumsum(STEP_BYTES + noise)


def replay_verdicts(values: FloatArray) -> list[AnomalyVerdict]:
    return Stream(values=values[:LEARNED]).judge_all(values[LEARNED:])


@pytest.mark.parametrize("step_noise", [0.0, 1e4, 5e6, 2e7])
def test_a_steady_slope_is_expected_to_continue(step_noise: float) -> None:
    values = free_bytes(40, step_noise)
    verdicts = replay_verdicts(values)
    expected = np.array([verdict.expected for verdict in verdicts])
    continued = values[LEARNED - 1 : -1] + STEP_BYTES
    assert np.abs(expected - continued).max() < max(0.05 * -STEP_BYTES, step_noise)
    assert not flags(verdicts)


def test_a_step_of_a_trend_that_is_slightly_off_is_not_flagged() -> None:
    values = free_bytes(40)
    values[LEARNED] -= 7.4e6  # 0.02 % of the value
    verdicts = replay_verdicts(values)
    assert not flags(verdicts)
    assert all(verdict.event is None for verdict in verdicts)


@pytest.mark.parametrize("share", [-0.02, 0.02])
def test_a_steady_trend_that_jumps_is_an_anomaly(share: float) -> None:
    values = free_bytes(1)
    values[LEARNED] *= 1 + share
    (verdict,) = replay_verdicts(values)
    assert verdict.is_anomaly
    assert verdict.severity > 75


def test_a_trend_that_begins_is_followed_once_its_points_prove_it() -> None:
    values = np.random.default_rng(1).normal(100.0, 1.0, 640)
    values[600:] += 5.0 * np.arange(40)
    verdict = Stream().judge_all(values)[-1]
    assert verdict.expected == pytest.approx(values[-2] + 5.0, abs=3.0)


def test_an_exact_trend_that_goes_on_for_long_has_no_event() -> None:
    values = np.arange(3000.0)  # such as the uptime of a server
    verdicts = Stream(values=values[:1000]).judge_all(values[1000:])
    assert not any(verdict.event for verdict in verdicts)
    errors = [
        verdict.expected - value for verdict, value in zip(verdicts, values[1000:], strict=True)
    ]
    assert max(map(abs, errors)) < 1e-6
