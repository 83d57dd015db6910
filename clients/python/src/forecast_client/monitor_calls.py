"""The requests about monitors, and what reads their responses; no I/O."""

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode

import httpx

from forecast_client.calls import Call, content_of, given, nothing, notices_of, path, series_body
from forecast_client.errors import DataError
from forecast_client.monitor_results import Appended, Monitor, MonitorEvent, MonitorPoint, Page
from forecast_client.results import Body
from forecast_client.series import Prepared

Item = TypeVar("Item")
MOST_POINTS, LARGEST_PAGE = 1_000, 1_000


def _read(response: httpx.Response) -> Monitor:
    return Monitor.from_body(response.json())


def _read_all(response: httpx.Response) -> list[Monitor]:
    return [Monitor.from_body(each) for each in response.json()["monitors"]]


def list_monitors() -> Call[list[Monitor]]:
    """Return the call that lists the monitors of the account."""
    return Call("GET", "/monitors", _read_all)


def get(name: str) -> Call[Monitor]:
    """Return the call that shows a monitor."""
    return Call("GET", path("monitor", name), _read)


def put(
    name: str, frequency: str | None, step: int | None, series: Prepared | None, **options: Any
) -> Call[Monitor]:
    """Return the call that creates a monitor, or replaces its settings.

    With a webhook it is not repeated: only the first response has the secret.
    """
    body = given(**options)
    if series is not None:
        body |= series_body(series) | {"step": series.step}
    body |= given(data_frequency=frequency, step=step)
    if isinstance(body.get("muted_until"), dt.datetime):
        body["muted_until"] = body["muted_until"].isoformat(timespec="seconds")
    has_secret = "webhook_url" in body
    return Call("PUT", path("monitor", name), _read, content_of(body), is_repeatable=not has_secret)


def delete(name: str) -> Call[None]:
    """Return the call that deletes a monitor and all that it has learned."""
    return Call("DELETE", path("monitor", name), nothing)


def rotate_secret(name: str) -> Call[str]:
    """Return the call that creates a new secret for the webhook, which is shown once."""

    def read(response: httpx.Response) -> str:
        return str(response.json()["webhook_secret"])

    return Call("POST", path("monitor", name, "rotate-secret"), read, is_repeatable=False)


def append(name: str, timestamps: Sequence[str], values: Sequence[float]) -> list[Call[Appended]]:
    """Return the calls that append points, each with as many as one request may have.

    The result is the same in one request or in many, and of a request that is sent again.
    """

    if not timestamps:
        raise DataError("there are no points to append: send at least one")

    def read(response: httpx.Response) -> Appended:
        return Appended.from_body(response.json(), notices_of(response))

    parts = [slice(start, start + MOST_POINTS) for start in range(0, len(timestamps), MOST_POINTS)]
    bodies = [
        {"timestamps": list(timestamps[part]), "values": list(values[part])} for part in parts
    ]
    return [
        Call("POST", path("monitor", name, "points"), read, content_of(body)) for body in bodies
    ]


def points_page(name: str, after: int | None, newest_first: bool) -> Call[Page[MonitorPoint]]:
    """Return the call that reads some of the points."""
    return _page(name, "points", after, newest_first, MonitorPoint.from_body)


def events_page(name: str, after: int | None, newest_first: bool) -> Call[Page[MonitorEvent]]:
    """Return the call that reads some of the events."""
    return _page(name, "events", after, newest_first, MonitorEvent.from_body)


def _page(
    name: str, what: str, after: int | None, newest_first: bool, item: Callable[[Body], Item]
) -> Call[Page[Item]]:
    def read(response: httpx.Response) -> Page[Item]:
        body = response.json()
        return Page(tuple(item(each) for each in body[what]), body["next"])

    order = "desc" if newest_first else "asc"
    query = urlencode(given(after=after, limit=LARGEST_PAGE, order=order))
    return Call("GET", f"{path('monitor', name, what)}?{query}", read)
