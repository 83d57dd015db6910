"""Realistic series over HTTP: verdicts are those of the engine, however points are sent.

What the engine's verdicts are is held in tests/anomalies/streaming/.
"""

import datetime as dt
import itertools
from typing import Any

import numpy as np
import pytest

from tests.anomalies.streaming.any_series import KINDS
from tests.anomalies.streaming.streams import HOURS, verdicts_on
from tests.support.api import Api
from tests.support.monitors import START, Monitor

POINTS, SINGLY = 520, 130
VERDICT = ("is_anomaly", "expected", "lower_bound", "upper_bound", "p_value", "severity")
NUMBERS = ("id", "cursor", "opened_at", "closed_at")


def create_monitor(api: Api) -> Monitor:
    return Monitor.create(api, data_frequency="Hours", step=1)


def append(monitor: Monitor, values: list[float], first: int = 0) -> dict[str, Any]:
    """Append hourly values from an index on; return the verdicts."""
    hours = [START + dt.timedelta(hours=first + index) for index in range(len(values))]
    response = monitor.post(
        {"timestamps": [f"{at.isoformat()}Z" for at in hours], "values": values}
    )
    assert response.status_code == 200, response.get_data(as_text=True)
    return response.get_json()


def events(monitor: Monitor) -> list[dict[str, Any]]:
    """Return the events without the fields that differ between monitors."""
    response = monitor.get("/events?limit=1000")["events"]
    return [
        {name: value for name, value in event.items() if name not in NUMBERS} for event in response
    ]


@pytest.mark.parametrize("name", ["400 zeros, then normal", "counter with resets", "disk writes"])
def test_verdicts_are_the_engines_in_batches_and_point_by_point(api: Api, name: str) -> None:
    values = KINDS[name].make(np.random.default_rng(6)).astype(float)[:POINTS].tolist()
    whole, parts = create_monitor(api), create_monitor(api)
    result = append(whole, values)
    bounds = [*range(0, POINTS - SINGLY, 100), *range(POINTS - SINGLY, POINTS + 1)]
    sent = [append(parts, values[first:last], first) for first, last in itertools.pairwise(bounds)]
    for column in (*VERDICT, "status"):
        assert [value for response in sent for value in response[column]] == result[column]
    assert events(parts) == events(whole)
    engine = verdicts_on(np.array(values), HOURS)
    assert result["is_anomaly"] == [verdict.is_anomaly for verdict in engine]
    assert result["expected"] == pytest.approx(
        [verdict.expected for verdict in engine], rel=1e-6, abs=1e-9
    )


def test_points_of_hours_sent_to_a_monitor_of_minutes_are_learned_and_judged(
    api: Api, caplog: pytest.LogCaptureFixture
) -> None:
    monitor = Monitor.create(api, data_frequency="Minutes", step=1)
    hours = [START + dt.timedelta(hours=hour) for hour in range(60)]
    response = monitor.post(
        {
            "timestamps": [f"{at.isoformat()}Z" for at in hours],
            "values": np.random.default_rng(1).normal(50, 5, 60).tolist(),
        }
    )
    assert response.status_code == 200, response.get_data(as_text=True)
    assert response.get_json()["status"] == ["learning"] * 20 + ["judged"] * 40
    assert not [record for record in caplog.records if "keeps its last fit" in record.message]
