"""Request bodies for tests: a good one, to be spoilt in one place."""

import datetime as dt
import math
from typing import Any

import orjson

from tests.support.server import ROOT

AIRLINE = ROOT / "docs" / "examples" / "airline-passengers.json"


def airline() -> dict[str, Any]:
    """The shipped example: 144 months of airline passengers, horizon 12."""
    return orjson.loads(AIRLINE.read_bytes())


def daily(points: int = 40, start: str = "2024-01-01T00:00:00") -> dict[str, Any]:
    """A small daily series with a week in it, horizon 5."""
    first = dt.datetime.fromisoformat(start)
    days = [first + dt.timedelta(days=day) for day in range(points)]
    return {
        "series": [
            {
                "timestamps": [day.strftime("%Y-%m-%dT%H:%M:%S") for day in days],
                "values": [100 + 10 * math.sin(day * math.tau / 7) + day for day in range(points)],
            }
        ],
        "forecast_horizon": 5,
        "data_frequency": "Daily",
        "forecast_frequency": "Daily",
    }
