"""Calls of TimeGPT's endpoints as Nixtla's SDK sends them."""

from typing import Any

import numpy as np
import orjson
import zstandard
from werkzeug.test import TestResponse

from tests.support.api import Api

PREFIX = "/timegpt/"
Body = dict[str, Any]


def months(points: int = 48, seed: int = 1) -> list[float]:
    """Return a trend with a yearly season and noise, as the SDK sends numbers."""
    noise = np.random.default_rng(seed).normal(0, 3, points)
    steps = np.arange(points)
    return (100 + steps / 2 + 10 * np.sin(steps * np.pi / 6) + noise).round(3).tolist()


def body(*series: list[float | None], **fields: Any) -> Body:
    """Return the body that the SDK sends for these series, with more ``fields``."""
    series = series or (months(), months(60, seed=2))
    sent = {
        "series": {
            "y": [value for values in series for value in values],
            "sizes": [len(values) for values in series],
            "X": None,
            "X_future": None,
            "start_datetime": ["2014-01-01T00:00:00"] * len(series),
        },
        "model": "timegpt-2.1",
        "h": 6,
        "freq": "MS",
        "clean_ex_first": True,
        "level": None,
        "finetune_steps": 0,
        "finetune_depth": 1,
        "finetune_loss": "default",
        "finetuned_model_id": None,
        "feature_contributions": False,
        "multivariate": False,
        "model_parameters": {"any": 1},
    }
    return sent | fields


def post(caller: Api, task: str, sent: object, **headers: str | None) -> TestResponse:
    """Send POST to v2/<task>; a body is sent as JSON, bytes unchanged."""
    return caller.send("POST", f"{PREFIX}v2/{task}", sent, **headers)


def compressed_body(sent: Body) -> bytes:
    """Return a body compressed as the SDK sends a large one."""
    return zstandard.ZstdCompressor(level=1).compress(orjson.dumps(sent))
