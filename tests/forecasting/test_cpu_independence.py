"""One forecast on any CPU: OpenBLAS rounds by the kernel that it chooses for it."""

import os
import pickle
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from app.forecasting.forecast import predict
from app.forecasting.models.recipes import MODELS
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from benchmarks.series import PERIODS
from tests.forecasting.histories import histories

# OpenBLAS' names of its kernels, and the instructions that each needs.
KERNELS = {
    "Sandybridge": {"avx"},
    "Haswell": {"avx2", "fma"},
    "Zen": {"avx2", "fma"},
    "SkylakeX": {"avx512f", "avx512vl", "avx512dq", "avx512bw"},
}
SHORT_HORIZON, LONG_HORIZON = 6, 100
POINTS = dict.fromkeys(Frequency, 150) | {
    Frequency.MONTHLY: 60,
    Frequency.QUARTERLY: 40,
    Frequency.YEARLY: 30,
}
SAMPLE = 7  # every seventh series: each kind and length comes up


def forecast_all() -> list[tuple[np.ndarray, np.ndarray, float]]:
    """Return near and far forecasts, shape (3, h), and the scale of each series, for each model."""
    sampled = [
        history
        for index, frequency in enumerate(Frequency)
        for history in list(histories(frequency))[index % SAMPLE :: SAMPLE]
    ]
    results = []
    for history in [*sampled, *map(growing_seasons, Frequency)]:
        for model_id in MODELS:
            near, far = (
                np.stack([prediction.lower, prediction.median, prediction.upper])
                for prediction in (
                    predict(history, h, 0.9, model_id) for h in (SHORT_HORIZON, LONG_HORIZON)
                )
            )
            results.append((near, far, float(np.abs(history.values).max())))
    return results


def growing_seasons(frequency: Frequency) -> History:
    """Return what most people send: positive values with growth, a season and noise."""
    periods = PERIODS[frequency]
    steps = np.arange(POINTS[frequency])
    season = 0.2 * np.sin(2 * np.pi * steps / min(periods, default=5))
    noise = np.random.default_rng(45).normal(0.0, 0.05, len(steps))
    return History(100 * np.exp(0.01 * steps + season + noise), periods, frequency)


@cache
def forecast_by(kernel: str) -> list[tuple[np.ndarray, np.ndarray, float]]:
    """Return ``forecast_all`` of a process with one of OpenBLAS' kernels."""
    completed = subprocess.run(
        [sys.executable, "-m", "tests.forecasting.test_cpu_independence"],
        env=os.environ | {"OPENBLAS_CORETYPE": kernel},
        stdout=subprocess.PIPE,
        check=True,
    )
    return pickle.loads(completed.stdout)


def runnable_kernels() -> list[str]:
    """Return the kernels that this CPU can run."""
    cpuinfo = Path("/proc/cpuinfo")
    known = cpuinfo.read_text() if cpuinfo.exists() else ""
    flags = next((line.split() for line in known.splitlines() if line.startswith("flags")), [])
    return [kernel for kernel, needed in KERNELS.items() if needed <= {*flags}]


EVERY_KERNEL = pytest.mark.parametrize("kernel", runnable_kernels())


@EVERY_KERNEL
def test_a_step_is_forecast_alike_by_every_horizon_with_every_kernel(kernel) -> None:
    for near, far, _ in forecast_by(kernel):
        np.testing.assert_allclose(near, far[:, :SHORT_HORIZON], rtol=1e-9, atol=1e-300)


@EVERY_KERNEL
def test_forecasts_are_equal_on_every_cpu(kernel) -> None:
    for (_, here, scale), (_, there, _) in zip(
        forecast_by(runnable_kernels()[0]), forecast_by(kernel), strict=True
    ):
        assert np.abs(here - there).max() <= 1e-6 * max(scale, np.abs(here).max())


if __name__ == "__main__":
    sys.stdout.buffer.write(pickle.dumps(forecast_all()))
