"""Verdicts equal those recorded: a change of code is not one of numbers.

``python -m tests.anomalies.test_recorded --write`` records them anew, after a change of numbers
that is meant; the changelog then says how verdicts moved.
"""

import hashlib
import json
import os
import subprocess
import sys
import zlib
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.anomalies.detect import detect
from app.anomalies.last_point import detect_last
from app.anomalies.results import Direction
from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.learning import learn_history, learn_stream
from tests.anomalies.clean_series import KINDS, hourly_history
from tests.forecasting.test_cpu_independence import runnable_kernels
from tests.forecasting.test_recorded import KERNEL, ROUNDED_BY

RECORDED = Path(__file__).with_name("recorded.json")
RATE = 0.001
LENGTHS = (40, 400)
STREAMED, MAX_GAP = 700, 250
NEARLY = 1e-8  # of the largest number of a column, between CPUs, which differ by 1e-13
NUMBERS = ("expected", "lower", "upper", "p_value", "severity")

pytestmark = pytest.mark.skipif(KERNEL not in runnable_kernels(), reason="the CPU lacks AVX2")


def disturbed_series(values: np.ndarray) -> np.ndarray:
    """Return a series with a spike, a burst, a level shift, a flat run and a last outlier."""
    n, unit = len(values), float(np.ptp(values))
    made = values.copy()
    made[n // 5] += 2 * unit
    made[n // 3 : n // 3 + n // 20] += unit * (-1.0) ** np.arange(n // 20)
    made[n // 2 : n // 2 + n // 10] = made[n // 2]
    made[3 * n // 4 :] += 1.5 * unit
    made[-1] -= unit
    return made


def record_of(results: Sequence[Any], *others: object) -> dict[str, Any]:
    """Return a digest of results that have verdicts, and what another CPU can compare.

    ``others`` are only in the digest.
    """
    parts = [
        {name: np.asarray(value).tolist() for name, value in asdict(result).items()}
        for result in results
    ]
    columns = [np.concatenate([np.ravel(part[name]) for part in parts]) for name in NUMBERS]
    flagged = np.concatenate([np.ravel(part["is_anomaly"]) for part in parts])
    return {
        "sha256": hashlib.sha256(repr((parts, others)).encode()).hexdigest(),
        "flagged": np.flatnonzero(flagged).tolist(),
        "means": [float(column.mean()) for column in columns],
        "scales": [float(np.abs(column).max()) for column in columns],
    }


def record_of_stream(values: np.ndarray, direction: Direction) -> dict[str, Any]:
    """Return the record of a stream with two gaps, fitted whenever it is due, and its state."""
    learned, period = 200, (24,)
    detector = StreamDetector.from_bytes(
        learn_history(values[:learned], period, RATE, direction), period, RATE, direction
    )
    verdicts, skipped = [], []
    kept = values[:learned].tolist()
    for index, value in enumerate(values[learned:].tolist()):
        if index in (150, 300):
            skipped.append(detector.skip(5 if index == 150 else MAX_GAP))
            kept = kept + [np.nan] * 5 if index == 150 else []
        if detector.needs_fit:
            latest = np.array(kept[len(kept) - detector.learned_steps :])
            detector.learn(*learn_stream(latest, period, detector.learning_context))
        verdicts.append(detector.update(value))
        kept.append(value)
    return record_of(verdicts, skipped, detector.to_bytes().hex())


def records() -> dict[str, dict[str, Any]]:
    """Return the record of each detection and stream by its name."""
    results = {}
    for kind, make in KINDS.items():
        rng = np.random.default_rng(zlib.crc32(kind.encode()))
        for n in LENGTHS:
            clean = make(rng, n)
            for name, values in (("clean", clean), ("disturbed", disturbed_series(clean))):
                for direction in (Direction.BOTH, Direction.DOWN):
                    results[f"{kind} {n} {name} {direction}"] = record_of(
                        [
                            detect(hourly_history(values), RATE, direction),
                            detect_last(hourly_history(values), RATE, direction),
                        ]
                    )
        stream = disturbed_series(make(rng, STREAMED))
        for direction in Direction:
            results[f"{kind} stream {direction}"] = record_of_stream(stream, direction)
    return results


@cache
def current_records() -> dict[str, dict[str, Any]]:
    completed = subprocess.run(
        [sys.executable, "-m", "tests.anomalies.test_recorded"],
        env=os.environ | {"OPENBLAS_CORETYPE": KERNEL},
        stdout=subprocess.PIPE,
        check=True,
    )
    made: dict[str, dict[str, Any]] = json.loads(completed.stdout)
    return made


def test_verdicts_are_those_recorded() -> None:
    now, recorded = current_records(), json.loads(RECORDED.read_text())["records"]
    assert now.keys() == recorded.keys()
    for name, then in recorded.items():
        assert now[name]["flagged"] == then["flagged"], name
        difference = np.abs(np.subtract(now[name]["means"], then["means"]))
        assert (difference <= NEARLY * np.array(then["scales"])).all(), name


@pytest.mark.skipif(
    RECORDED.exists() and json.loads(RECORDED.read_text())["rounded_by"] != ROUNDED_BY,
    reason="this CPU rounds unlike the one of the records: the test above compares to 1e-8",
)
def test_verdicts_and_states_have_the_recorded_bytes() -> None:
    recorded = json.loads(RECORDED.read_text())["records"]
    for name, record in current_records().items():
        assert record["sha256"] == recorded[name]["sha256"], name


if __name__ == "__main__":
    if "--write" in sys.argv:
        lines = [f"{json.dumps(name)}: {json.dumps(made)}" for name, made in records().items()]
        by = f'"rounded_by": {json.dumps(ROUNDED_BY)}'
        RECORDED.write_text("{" + by + ',\n"records": {\n' + ",\n".join(lines) + "\n}}\n")
    else:
        json.dump(records(), sys.stdout)
