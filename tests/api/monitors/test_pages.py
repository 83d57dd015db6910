"""GET of points and events: pages by cursor."""

from typing import Any

import pytest

from tests.support.api import Api, first_defect
from tests.support.monitors import Monitor, noise_at_100, timestamp

POINTS = 500
LIMIT = "Must be between 1 and 1000"
DIGITS = "Must be a whole number, in digits"
WRONG = [
    *(("limit", value, LIMIT) for value in ("0", "1001", "-1")),
    *(("limit", value, DIGITS) for value in ("ten", "1.5", "", "1e2", "%20" + "1")),
    *(("after", value, DIGITS) for value in ("first", "0x1")),
    ("after", "9" * 30, "Must have at most 18 digits"),
    ("order", "up", "unknown order: 'up' was sent; send one of asc, desc"),
]


@pytest.fixture(scope="module")
def monitor(api: Api) -> Monitor:
    """A monitor with points, one of them late, and some events."""
    monitor = Monitor.create(api)
    values = noise_at_100(POINTS)
    for index in (350, 400, 450):
        values[index : index + 3] = [170.0] * 3
    monitor.append(values[:-10], first=1)
    monitor.append([100.0], first=0)
    monitor.append(values[-10:], first=POINTS - 9)
    return monitor


def entries_of_all_pages(
    monitor: Monitor, what: str, order: str, limit: int
) -> list[dict[str, Any]]:
    """Return the entries of all pages of ``limit``, read by cursor."""
    results: list[dict[str, Any]] = []
    after = ""
    while True:
        page = monitor.get(f"/{what}?limit={limit}&order={order}{after}")
        results += page[what]
        if page["next"] is None:
            return results
        assert len(page[what]) == limit
        assert page["next"] == results[-1]["cursor"]
        after = f"&after={page['next']}"


@pytest.mark.parametrize("what", ["points", "events"])
@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("limit", [1, 7, 50, 1000])
def test_pages_hold_everything_once_and_in_order(
    monitor: Monitor, what: str, order: str, limit: int
) -> None:
    if what == "points" and limit == 1:
        limit = 25
    whole = monitor.get(f"/{what}?limit=1000&order={order}")
    assert whole["next"] is None
    cursors = [item["cursor"] for item in whole[what]]
    assert cursors == sorted({*cursors}, reverse=order == "desc")
    assert entries_of_all_pages(monitor, what, order, limit) == whole[what]


def test_a_page_has_a_hundred_of_the_oldest_by_default(monitor: Monitor) -> None:
    page = monitor.get("/points")
    assert [point["timestamp"] for point in page["points"]] == [timestamp(p) for p in range(100)]
    assert page["next"] == page["points"][-1]["cursor"]


def test_points_are_shown_with_their_verdicts(monitor: Monitor) -> None:
    result = monitor.append([171.0, 172.0], first=600)
    stored = monitor.get("/points?order=desc&limit=2")["points"][::-1]
    for name in ("expected", "lower_bound", "upper_bound", "p_value", "severity", "is_anomaly"):
        assert [point[name] for point in stored] == result[name]
    assert [point["value"] for point in stored] == [171.0, 172.0]
    assert monitor.get()["last_point"] == stored[-1]


def test_a_monitor_without_points_has_empty_pages(api: Api) -> None:
    monitor = Monitor.create(api)
    assert monitor.get("/points") == {"points": [], "next": None}
    assert monitor.get("/events?after=5") == {"events": [], "next": None}


@pytest.mark.parametrize(("name", "value", "issue"), WRONG)
@pytest.mark.parametrize("what", ["points", "events"])
def test_a_wrong_parameter_is_named(
    monitor: Monitor, what: str, name: str, value: str, issue: str
) -> None:
    response = monitor.api.request("GET", f"{monitor.path}/{what}?{name}={value}")
    field, reported, _provided = first_defect(response, 400)
    assert (field, reported) == (name, issue)


@pytest.mark.parametrize("after", ["-999999999999999999", "999999999999999999"])
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_any_cursor_may_be_sent(monitor: Monitor, after: str, order: str) -> None:
    assert monitor.get(f"/points?after={after}&order={order}")["points"] is not None


def test_an_unknown_parameter_is_rejected(monitor: Monitor) -> None:
    response = monitor.api.request("GET", f"{monitor.path}/points?before=3")
    field, issue, _provided = first_defect(response, 400)
    assert field == "before"
    assert issue.endswith("known are after, limit, order")
