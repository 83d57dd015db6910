"""Judge the series by the path of a real Prometheus: a source, three queries, the worker's polls.

All samples are in Prometheus before it starts. A clock that is set decides what the service may
read, so that days take minutes. Up to `BEGIN` is the history, which is learned. The three days
after it are *replayed*: the worker catches up with all of them in one poll, as after an outage of
its own. The hours after those are *live*: each step that a fault lasts is read by a poll of its
own, at its time, until there is an alert. The worker's poller runs in this process.
"""

import contextlib
import datetime as dt
import ipaddress
import logging
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from app.anomalies.results import SEVERITY_DECIMALS
from app.api.computing.current import watching_context
from app.core.database import base
from app.watching.monitors.queries.monitor_queries import list_states, read_events
from app.watching.monitors.settings.monitor_records import EventRecord
from app.watching.monitors.settings.states import State
from app.watching.sources.poll_slots import PollSlots
from app.watching.sources.poller import Poller
from app.watching.sources.query_registry import put_query
from app.watching.sources.series import monitor_name
from app.watching.sources.source_reader import get_query
from app.watching.sources.source_records import SourceSettings
from app.watching.sources.source_registry import put_source
from benchmarks.faults.direct import Judged, SeenEvent
from benchmarks.faults.incidents import FAULTS, Fault
from benchmarks.faults.query_settings import query_settings_of
from benchmarks.faults.shapes import Shape
from benchmarks.faults.shop import BEGIN, FIVE, HISTORY, LIVE_SECONDS, REPLAYED_SECONDS, SHAPES
from benchmarks.faults.store import CALM, FAULTY, labels_of, serve_at_time, write_store
from tests.support.databases import SqliteDatabases, second_application
from tests.support.keys import ACTOR
from tests.support.monitoring_servers import prometheus
from tests.support.services import free_port

ACCOUNT, SOURCE = 1, "shop"
LOOPBACK = ipaddress.ip_network("127.0.0.0/8")
MAX_MONITORS, MAX_EVENTS = 200, 1_000
SPREAD_SECONDS = FIVE // 20 + 1  # polls are spread over this much of a step after their time


def query_of(shape: Shape) -> str:
    """Return the name of the query whose series are those like ``shape``."""
    return f"{'rates' if shape.is_counter else 'gauges'}-{shape.step}"


def monitor_of(shape: Shape, run: str) -> str:
    """Return the name of a series' monitor."""
    return monitor_name(query_of(shape), labels_of(shape, run))


def step_of(shape: Shape, at: float) -> int:
    """Return the step at a Unix time, counted from the history's first."""
    return round((at - BEGIN) / shape.step) + HISTORY[shape.step] - 1


def events_of(monitor: str) -> list[EventRecord]:
    return [*read_events(ACCOUNT, monitor, None, MAX_EVENTS, False).items]


@dataclass
class Watch:
    """The service that watches the shop, at a time that is set.

    Attributes:
        now: Unix time.
        alerted: The steps at which live events became alerts, by monitor and event.
        absent: The steps at which monitors became absent, by monitor.
    """

    now: float = 0.0
    alerted: dict[tuple[str, int], int] = field(default_factory=dict)
    absent: dict[str, int] = field(default_factory=dict)

    def poll(self, poller: Poller, seconds: int) -> None:
        """Poll at a time in seconds from `BEGIN`, as soon as its step is complete."""
        self.now = BEGIN + seconds + query_settings_of(SHAPES[0]).delay + SPREAD_SECONDS
        poller.run_until_idle()

    def record_reports(self, fault: Fault) -> bool:
        """Record the alerts of a fault's series, and its absence; return whether it is reported."""
        shape = fault.drawn.shape
        name = monitor_of(shape, FAULTY)
        reached = get_query(ACCOUNT, SOURCE, query_of(shape)).read_to
        step = step_of(shape, reached.timestamp()) if reached is not None else 0
        new = [event for event in events_of(name) if event.is_alert]
        new = [event for event in new if (name, event.id) not in self.alerted]
        for event in new:
            self.alerted[name, event.id] = step
        if State.ABSENT in list_states(ACCOUNT)[name]:
            self.absent.setdefault(name, step)
        return name in self.absent if fault.ends_series else bool(new)


def run_live(watch: Watch, poller: Poller) -> None:
    """Poll each step while a live fault lasts that is not reported yet, and jump over the rest."""
    lasting = sorted((fault for fault in FAULTS if fault.is_live), key=lambda fault: fault.at)
    windows = {fault: fault.window(fault.drawn) for fault in lasting}
    for seconds in range(REPLAYED_SECONDS, REPLAYED_SECONDS + LIVE_SECONDS + 1, 60):
        now = [
            fault
            for fault, (first, last) in windows.items()
            if first - 1 <= step_of(fault.drawn.shape, BEGIN + seconds) <= last
        ]
        if now or seconds == REPLAYED_SECONDS + LIVE_SECONDS:
            watch.poll(poller, seconds)
        for event in now:
            is_before = seconds < event.at
            if watch.record_reports(event) and not is_before:
                del windows[event]


def judged_of(shape: Shape, run: str, watch: Watch) -> Judged:
    """Return what became of a series.

    Nobody saw when the alerts of the replayed days began: as their step counts that of the event.
    """
    name = monitor_of(shape, run)
    seen = []
    open_end = step_of(shape, BEGIN + REPLAYED_SECONDS + LIVE_SECONDS)
    for event in events_of(name):
        start = step_of(shape, dt.datetime.fromisoformat(event.start).timestamp())
        end = event.end and step_of(shape, dt.datetime.fromisoformat(event.end).timestamp())
        alerted = watch.alerted.get((name, event.id), start) if event.is_alert else None
        severity = round(event.severity, SEVERITY_DECIMALS)
        seen.append(SeenEvent(start, end or open_end, event.kind, severity, severity, alerted))
    return Judged(tuple(seen), (watch.absent[name],) if name in watch.absent else ())


def run_polled() -> tuple[dict[Fault, Judged], dict[Shape, Judged]]:
    """Run the service beside a Prometheus; return what became of faulty and calm series."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        write_store(folder / "prometheus")
        url = stack.enter_context(prometheus(folder / "prometheus", None, free_port()))
        database = SqliteDatabases(folder).migrated()
        allowed = {"source_allowed_networks": (LOOPBACK,), "monitors_per_account": MAX_MONITORS}
        app = stack.enter_context(second_application(database, **allowed))
        logging.getLogger("app").setLevel(logging.WARNING)  # a line a poll
        watch = Watch(BEGIN)
        now = lambda zone: dt.datetime.fromtimestamp(watch.now, zone)  # noqa: E731
        stack.enter_context(patch.object(base, "now", now))
        source = stack.enter_context(serve_at_time(url, lambda: watch.now))
        settings = app.config["SETTINGS"]
        put_source(settings, ACTOR, ACCOUNT, SOURCE, SourceSettings(source))
        for shape in SHAPES:
            put_query(settings, ACTOR, ACCOUNT, SOURCE, query_of(shape), query_settings_of(shape))
        poller = Poller(watching_context(), PollSlots(2), lambda: False)
        stack.callback(poller.close)
        for seconds, phase in ((0, "learned"), (REPLAYED_SECONDS, "replayed")):
            began = time.monotonic()
            watch.poll(poller, seconds)
            print(f"{phase}: {time.monotonic() - began:.0f} s", flush=True)
        run_live(watch, poller)
        faulty = {fault: judged_of(fault.drawn.shape, FAULTY, watch) for fault in FAULTS}
        return faulty, {shape: judged_of(shape, CALM, watch) for shape in SHAPES}
