"""Series with a season, and what the streaming detector says of them."""

import numpy as np

from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.verdict import EventNews, Stage, Verdict

DAY = 24


def seasonal(length: int, seed: int = 0) -> np.ndarray:
    time = np.arange(length)
    noise = np.random.default_rng(seed).standard_normal(length)
    return 100 + 10 * np.sin(2 * np.pi * time / DAY) + noise


def feed(detector: StreamDetector, values: np.ndarray) -> list[Verdict]:
    return [detector.update(value) for value in values.tolist()]


def closed(verdicts: list[Verdict]) -> list[EventNews]:
    return [v.event for v in verdicts if v.event and v.event.stage is Stage.CLOSED]


def opened(verdicts: list[Verdict]) -> list[int]:
    return [i for i, v in enumerate(verdicts) if v.event and v.event.stage is Stage.OPENED]
