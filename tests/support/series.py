"""Request bodies for tests: valid ones, which tests then change."""

import datetime as dt
import math
from typing import Any

import orjson

from tests.support.server import ROOT

AIRLINE = ROOT / "docs" / "examples" / "airline-passengers.json"
MONTHS = {"Monthly": 1, "Quarterly": 3, "Yearly": 12}
STEPS = {
    "Seconds": dt.timedelta(seconds=1),
    "Minutes": dt.timedelta(minutes=1),
    "Hours": dt.timedelta(hours=1),
    "Daily": dt.timedelta(days=1),
    "Weekly": dt.timedelta(weeks=1),
}


def airline_body() -> dict[str, Any]:
    """Return the shipped example: 144 months of airline passengers, horizon 12."""
    return orjson.loads(AIRLINE.read_bytes())


def body_of(
    times: list[str], values: list[float], frequency: str, horizon: int = 5
) -> dict[str, Any]:
    """Return a body of one series."""
    return {
        "series": [{"timestamps": times, "values": values}],
        "forecast_horizon": horizon,
        "data_frequency": frequency,
        "forecast_frequency": frequency,
    }


def daily_body(points: int = 40, start: str = "2024-01-01T00:00:00") -> dict[str, Any]:
    """Return a small daily series with a weekly season, horizon 5."""
    first = dt.datetime.fromisoformat(start)
    days = [first + dt.timedelta(days=day) for day in range(points)]
    values = [100 + 10 * math.sin(day * math.tau / 7) + day for day in range(points)]
    return body_of([day.isoformat() for day in days], values, "Daily")


def regular_body(
    frequency: str, points: int = 40, start: str = "2001-01-01T00:00:00"
) -> dict[str, Any]:
    """Return a gently rising series of any of the eight frequencies, one unit apart, horizon 5."""
    first = dt.datetime.fromisoformat(start)
    if frequency in MONTHS:
        months = [12 * first.year + index * MONTHS[frequency] for index in range(points)]
        moments = [first.replace(year=m // 12, month=m % 12 + 1) for m in months]
    else:
        moments = [first + index * STEPS[frequency] for index in range(points)]
    values = [20 + index / 4 + index * index % 7 for index in range(points)]
    return body_of([moment.isoformat() for moment in moments], values, frequency)


def detection_body(body: dict[str, Any], **parameters: Any) -> dict[str, Any]:
    """Return a body of POST /anomalies with the series of one of POST /forecast."""
    return {"series": body["series"], "data_frequency": body["data_frequency"], **parameters}


def with_a_season(points: int, period: int = 7, seed: int = 1) -> list[float]:
    """Return values around 100 with a season and uniform noise of about 1."""
    state, values = seed, []
    for index in range(points):
        state = (1_103_515_245 * state + 12_345) % 2**31
        noise = (state / 2**31 - 0.5) * 3.5
        values.append(100 + 10 * math.sin(index * math.tau / period) + noise)
    return values
