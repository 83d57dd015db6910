"""Series as monitors have met them, over HTTP: none floods, and events say what happened."""

import datetime as dt
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from app.timeseries.types import FloatArray
from tests.anomalies.streaming.any_series import KINDS
from tests.anomalies.streaming.feeding import seasonal
from tests.support.api import Api
from tests.support.monitors import START, Monitor

HOUR = dt.timedelta(hours=1)
MOST_SENT = 1_000
COLUMNS = ("status", "is_anomaly", "expected", "lower_bound", "upper_bound", "p_value", "severity")
# The points after the last lasting change in which a series is learned.
SETTLING, MOST = 1000, 0.015
SEEN = [
    "400 zeros, then normal",
    "400 zeros, then counts",
    "disk writes",
    "30 equal values, then normal",
    "30 equal values, then a season",
    "square wave",
    "counter with resets",
]


class Fed:
    """A monitor of hours and the verdicts on what it was fed."""

    def __init__(self, api: Api) -> None:
        self.monitor = Monitor.made(api, data_frequency="Hours", step=1)
        self.verdicts: dict[str, list[Any]] = {name: [] for name in COLUMNS}

    @property
    def flags(self) -> FloatArray:
        return np.array(self.verdicts["is_anomaly"])

    def feed(self, values: FloatArray, batch: int = MOST_SENT) -> dict[str, list[Any]]:
        """Append values in batches; return all verdicts so far."""
        for begin in range(0, len(values), batch):
            self._append(values[begin : begin + batch].tolist())
        return self.verdicts

    def _append(self, values: list[float]) -> None:
        place = len(self.verdicts["status"])
        timestamps = [
            (START + (place + index) * HOUR).isoformat() + "Z" for index in range(len(values))
        ]
        response = self.monitor.post({"timestamps": timestamps, "values": values})
        assert response.status_code == 200, response.get_data(as_text=True)
        found = response.get_json()
        for name in COLUMNS:
            self.verdicts[name] += found[name]

    def events(self, since: int = 0) -> list[dict[str, Any]]:
        """Return the events, with times as numbers of points since a place."""
        found = self.monitor.get("/events?limit=1000")["events"]
        for event in found:
            for name in ("start", "end", "peak_timestamp"):
                if event[name] is not None:
                    at = dt.datetime.fromisoformat(event[name]).replace(tzinfo=None)
                    event[name] = (at - START) // HOUR - since
        return sorted(found, key=lambda event: event["start"])


@pytest.fixture
def fed(api: Api) -> Fed:
    return Fed(api)


@pytest.mark.parametrize("name", SEEN)
def test_a_series_that_once_flooded_does_not(fed: Fed, name: str) -> None:
    kind = KINDS[name]
    fed.feed(kind.make(np.random.default_rng(4)).astype(float))
    settled = fed.flags[kind.settled + SETTLING :]
    assert settled.sum() <= MOST * len(settled)
    last_quarter = fed.flags[-len(fed.flags) // 4 :]
    assert last_quarter.sum() <= MOST * len(last_quarter)


@pytest.mark.parametrize("name", ["400 zeros, then normal", "400 zeros, then counts"])
def test_the_first_change_of_a_constant_is_an_event_and_soon_normal(fed: Fed, name: str) -> None:
    values = KINDS[name].make(np.random.default_rng(5)).astype(float)[:1000]
    changed = int(np.flatnonzero(values)[0])
    fed.feed(values)
    assert fed.events(changed)[0]["start"] == 0
    assert fed.flags[changed]
    assert fed.flags[changed : changed + 100].sum() <= 25
    assert fed.flags[changed + 100 :].sum() <= MOST * (900 - changed)


@pytest.mark.parametrize("name", ["400 zeros, then normal", "counter with resets", "disk writes"])
def test_verdicts_are_the_same_point_by_point_and_in_batches(api: Api, name: str) -> None:
    values = KINDS[name].make(np.random.default_rng(6)).astype(float)[:520]
    whole, parts = Fed(api), Fed(api)
    whole.feed(values)
    parts.feed(values[:390], 100)
    parts.feed(values[390:], 1)
    assert parts.verdicts == whole.verdicts
    numbers = ("id", "cursor", "opened_at", "closed_at")
    events = [
        [{name: each for name, each in event.items() if name not in numbers} for event in of]
        for of in (whole.events(), parts.events())
    ]
    assert events[0] == events[1]


def disturbed(*changes: tuple[int, int | None, float]) -> FloatArray:
    """Return a season of which points are moved; first and last count from the 1,000th on."""
    values = seasonal(1500, 3)
    for first, last, size in changes:
        values[1000 + first : None if last is None else 1000 + last] += size
    return values


@pytest.mark.parametrize("after", [3, 4])
def test_a_level_right_behind_a_spike_is_told_as_a_level(fed: Fed, after: int) -> None:
    values = disturbed((0, 1, 20.0), (after, None, 20.0))
    fed.feed(values[: 1000 + after + 12])
    (event,) = fed.events(1000)[-1:]
    assert (event["kind"], event["direction"], event["end"]) == ("level_shift", "up", None)
    fed.feed(values[1000 + after + 12 :])
    events = [event for event in fed.events(1000) if event["start"] >= 0]
    assert events[0]["closed_as"] == "new_level"
    assert events[0]["severity"] >= 50
    assert "ended" not in [event["closed_as"] for event in events if event["start"] < 50]


def test_four_sigma_for_ten_days_are_a_level_that_is_told_within_sixty_points(fed: Fed) -> None:
    values = disturbed((0, 240, 4.0))
    fed.feed(values[:1060])
    levels = [event for event in fed.events(1000) if event["kind"] == "level_shift"]
    assert [event["direction"] for event in levels] == ["up"]
    assert levels[0]["severity"] >= 50
    fed.feed(values[1060:])
    (later,) = [event for event in fed.events(1000) if event["start"] > 60]
    assert (later["kind"], later["direction"]) == ("level_shift", "down")
    assert 230 <= later["start"] <= 260


def test_six_hours_at_zero_leave_the_band_as_it_was(api: Api) -> None:
    values = seasonal(336, 2)
    spoilt = values.copy()
    spoilt[200:206] = 0.0
    widths = []
    for each in (values, spoilt):
        found = Fed(api).feed(each, 120)
        widths.append(np.subtract(found["upper_bound"], found["lower_bound"]))
    ratio = widths[1] / widths[0]
    assert np.median(ratio[226:250]) < 1.5
    assert np.median(ratio[-50:]) < 1.5


def test_the_first_normal_point_after_a_spike_is_not_flagged(fed: Fed) -> None:
    fed.feed(disturbed((0, 1, 60.0), (100, 101, -60.0)))
    assert fed.flags[1000:1106].nonzero()[0].tolist() == [0, 100]
    kinds = [(e["kind"], e["closed_as"], e["end"]) for e in fed.events(1000) if e["start"] >= 0]
    assert kinds == [("spike", "ended", 0), ("dip", "ended", 100)]


def test_severity_ranks_without_a_limit(api: Api) -> None:
    severities = []
    for sigmas in (5.0, 8.0, 13.0, 130.0):
        values = seasonal(1501, 1)
        values[1500] = 100 + 10 * np.sin(2 * np.pi * 1500 / 24) + sigmas
        severities.append(Fed(api).feed(values)["severity"][-1])
    assert all(lower < higher for lower, higher in pairwise(severities))
    assert severities[1] >= 50
    assert severities[-1] < 100
