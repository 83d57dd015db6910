"""Calls of Azure's Anomaly Detector as its clients send them."""

import datetime as dt
from typing import Any

from werkzeug.test import TestResponse

from tests.support.api import Api
from tests.support.series import with_a_season

PREFIX = "/anomalydetector/"
FIRST = dt.datetime(2024, 1, 1)
HOUR, DAY = dt.timedelta(hours=1), dt.timedelta(days=1)
SPIKE, DIP = 40, 70


def points(values: list[float], step: dt.timedelta = DAY, suffix: str = "Z") -> list[dict]:
    return [
        {"timestamp": (FIRST + index * step).isoformat() + suffix, "value": value}
        for index, value in enumerate(values)
    ]


def body(length: int = 120, **parameters: Any) -> dict[str, Any]:
    """Return daily values with a weekly season, a spike and a dip."""
    values = with_a_season(length)
    if length > DIP:
        values[SPIKE] += 30
        values[DIP] -= 30
    return {"series": points(values), "granularity": "daily"} | parameters


def azure(
    caller: Api, detect: str, body: object, version: str = "v1.1", **headers: str | None
) -> TestResponse:
    """Send POST to one of its paths; ``body`` is sent as JSON, bytes unchanged."""
    return caller.send("POST", f"{PREFIX}{version}/timeseries/{detect}/detect", body, **headers)
