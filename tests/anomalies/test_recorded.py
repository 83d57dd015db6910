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
from dataclasses import astuple, fields
from pathlib import Path

import numpy as np
import pytest

from app.anomalies.detect import detect
from app.anomalies.last_point import detect_last
from app.anomalies.results import Detection, Direction
from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.learning import learn_history, learn_stream
from tests.anomalies.clean_series import KINDS, hourly
from tests.forecasting.test_cpu_independence import runnable_kernels
from tests.forecasting.test_recorded import KERNEL, ROUNDED_BY

RECORDED = Path(__file__).with_name("recorded.json")
RATE = 0.001
LENGTHS = (40, 400)
STREAMED, MAX_GAP = 700, 250

pytestmark = [
    pytest.mark.skipif(KERNEL not in runnable_kernels(), reason="the CPU lacks AVX2"),
    pytest.mark.skipif(
        not RECORDED.exists() or json.loads(RECORDED.read_text())["rounded_by"] != ROUNDED_BY,
        reason="recorded on a machine that rounds otherwise",
    ),
]


def disturbed(values: np.ndarray) -> np.ndarray:
    """Return a series with a spike, a burst, a level shift, a flat run and a last outlier."""
    n, unit = len(values), float(np.ptp(values))
    made = values.copy()
    made[n // 5] += 2 * unit
    made[n // 3 : n // 3 + n // 20] += unit * (-1.0) ** np.arange(n // 20)
    made[n // 2 : n // 2 + n // 10] = made[n // 2]
    made[3 * n // 4 :] += 1.5 * unit
    made[-1] -= unit
    return made


def digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def numbers(detection: Detection) -> list[object]:
    made = (getattr(detection, field.name) for field in fields(detection))
    return [part.tolist() if isinstance(part, np.ndarray) else part for part in made]


def streamed(values: np.ndarray, direction: Direction) -> str:
    """Return a digest of all verdicts on a stream with a gap, fitted whenever it is due."""
    learned, period = 200, (24,)
    detector = StreamDetector.from_bytes(
        learn_history(values[:learned], period, RATE, direction), period, RATE, direction
    )
    made: list[object] = []
    kept = values[:learned].tolist()
    for index, value in enumerate(values[learned:].tolist()):
        if index in (150, 300):
            made.append(detector.skip(5 if index == 150 else MAX_GAP))
            kept = kept + [np.nan] * 5 if index == 150 else []
        if detector.needs_fit:
            latest = np.array(kept[len(kept) - detector.learned_steps :])
            detector.learn(*learn_stream(latest, period, *detector.fit_arguments))
        made.append(astuple(detector.update(value)))
        kept.append(value)
    return digest(made, detector.to_bytes().hex())


def verdicts() -> dict[str, str]:
    """Return a digest of each detection and stream by its name."""
    results = {}
    for kind, make in KINDS.items():
        rng = np.random.default_rng(zlib.crc32(kind.encode()))
        for n in LENGTHS:
            clean = make(rng, n)
            for name, values in (("clean", clean), ("disturbed", disturbed(clean))):
                for direction in (Direction.BOTH, Direction.DOWN):
                    results[f"{kind} {n} {name} {direction}"] = digest(
                        numbers(detect(hourly(values), RATE, direction)),
                        numbers(detect_last(hourly(values), RATE, direction)),
                    )
        stream = disturbed(make(rng, STREAMED))
        for direction in Direction:
            results[f"{kind} stream {direction}"] = streamed(stream, direction)
    return results


def test_verdicts_are_those_recorded() -> None:
    completed = subprocess.run(
        [sys.executable, "-m", "tests.anomalies.test_recorded"],
        env=os.environ | {"OPENBLAS_CORETYPE": KERNEL},
        stdout=subprocess.PIPE,
        check=True,
    )
    assert json.loads(completed.stdout) == json.loads(RECORDED.read_text())["verdicts"]


if __name__ == "__main__":
    if "--write" in sys.argv:
        made = {"rounded_by": ROUNDED_BY, "verdicts": verdicts()}
        RECORDED.write_text(json.dumps(made, indent=0) + "\n")
    else:
        json.dump(verdicts(), sys.stdout)
