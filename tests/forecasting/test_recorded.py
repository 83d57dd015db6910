"""Forecasts equal those recorded: a change of code is not one of numbers.

``python -m tests.forecasting.test_recorded --write`` records them anew, after a change of numbers
that is meant; the changelog then says by how much forecasts moved.
"""

import hashlib
import json
import platform
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy

from tests.forecasting.test_cpu_independence import forecast_by, runnable_kernels

RECORDED = Path(__file__).with_name("recorded.json")
KERNEL = "Haswell"
# Other versions of these round otherwise; an AVX-512 CPU does so in NumPy itself.
ROUNDED_BY = {
    "libc": " ".join(platform.libc_ver()),
    "numpy": np.__version__,
    "scipy": scipy.__version__,
    "avx512": "SkylakeX" in runnable_kernels(),
}
NEARLY = 1e-6  # of the series' scale, between CPUs, whose kernels round differently

pytestmark = pytest.mark.skipif(KERNEL not in runnable_kernels(), reason="the CPU lacks AVX2")


def forecasts() -> list[dict[str, Any]]:
    """Return a digest of each forecast's bytes, and its last step for a comparison in numbers."""
    return [
        {
            "sha256": hashlib.sha256(near.tobytes() + far.tobytes()).hexdigest(),
            "last": far[:, -1].tolist(),
            "scale": max(scale, float(np.abs(far).max())),
        }
        for near, far, scale in forecast_by(KERNEL)
    ]


def test_forecasts_are_those_recorded() -> None:
    recorded = json.loads(RECORDED.read_text())
    for number, (now, then) in enumerate(
        zip(forecasts(), recorded["forecasts"], strict=True), start=1
    ):
        difference = np.abs(np.subtract(now["last"], then["last"])).max()
        assert difference <= NEARLY * then["scale"], f"forecast {number}"


@pytest.mark.skipif(
    RECORDED.exists() and json.loads(RECORDED.read_text())["rounded_by"] != ROUNDED_BY,
    reason="this CPU rounds unlike the one of the records: the test above compares to 1e-6",
)
def test_forecasts_have_the_recorded_bytes() -> None:
    recorded = json.loads(RECORDED.read_text())["forecasts"]
    assert [forecast["sha256"] for forecast in forecasts()] == [
        forecast["sha256"] for forecast in recorded
    ]


if __name__ == "__main__" and "--write" in sys.argv:
    made = {"rounded_by": ROUNDED_BY, "forecasts": forecasts()}
    RECORDED.write_text(json.dumps(made, indent=0) + "\n")
