"""The events that are alerts, and the messages about them, as the ledger decides."""

import datetime as dt
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from app.anomalies.results import CloseReason, Direction, EventKind, EventUpdate, Stage
from app.core.database import db
from app.delivery.models import WebhookDelivery
from app.watching.monitors.judging.event_ledger import EventLedger
from app.watching.monitors.queries.monitor_queries import get_monitor
from app.watching.monitors.settings.states import State
from app.watching.monitors.storage.messages import monitor_subject
from tests.watching.monitors.feeding import (
    ACCOUNT,
    HOURLY,
    NOW,
    history,
    make,
    put_webhook,
    send_in_batches,
)

MUTED = {"muted_until": NOW + dt.timedelta(hours=1)}
# The series of a day's noise, spikes of any size and new levels: whatever the detector makes of it,
# the messages must be the same.
SENT_POINTS = st.lists(
    st.tuples(st.integers(0, 110), st.sampled_from([9.5, 10.0, 10.5, 11.5, 13.0, 18.0, 40.0])),
    min_size=1,
    max_size=60,
)


def make_ledger(**alerts: Any) -> EventLedger:
    return EventLedger(7, NOW, replace(HOURLY, **alerts))


def record_point(
    ledger: EventLedger,
    stage: Stage,
    severity: float,
    *,
    deviation: float = 1.0,
    kind: EventKind = EventKind.SPIKE,
    steps_since_peak: int = 0,
    steps_since_end: int = 0,
) -> None:
    """Record what the detector says about the event at the next point."""
    event_update = EventUpdate(
        stage,
        kind,
        Direction.UP,
        severity,
        steps_since_start=0,
        steps_since_peak=steps_since_peak,
        steps_since_end=steps_since_end,
        close_reason=CloseReason.ENDED if stage is Stage.CLOSED else None,
    )
    ledger.record_update(event_update, index=10, previous=9, deviation=deviation)
    ledger.finish(State.ANOMALOUS if ledger.anomaly_event else State.NORMAL)


def sent_messages(ledger: EventLedger) -> list[tuple[str, float]]:
    """Return whether each message is about an opening or a closing, and the event's severity."""
    return [
        (message.type.removeprefix("event."), message.event.severity) for message in ledger.messages
    ]


def test_an_event_below_the_severity_is_recorded_and_not_sent() -> None:
    quiet = make_ledger(alert_severity=50)
    record_point(quiet, Stage.OPENED, 49)
    record_point(quiet, Stage.CLOSED, 49)
    assert sent_messages(quiet) == []
    assert [(event.is_alert, event.is_withheld) for event in quiet.opened] == [(False, False)]


def test_an_event_is_sent_at_the_point_at_which_its_severity_suffices() -> None:
    growing = make_ledger(alert_severity=50)
    record_point(growing, Stage.OPENED, 30)
    before = growing.anomaly_event.revision
    record_point(growing, Stage.CONTINUES, 49)
    assert sent_messages(growing) == []
    record_point(growing, Stage.CONTINUES, 80, kind=EventKind.LEVEL_SHIFT)
    assert growing.anomaly_event.revision > before, (
        "who reads by cursor would miss that it is an alert"
    )
    record_point(growing, Stage.CONTINUES, 90)
    record_point(growing, Stage.CLOSED, 95)
    assert sent_messages(growing) == [("opened", 80), ("closed", 95)]
    opened, closed = growing.messages
    assert (opened.event.kind, opened.event.is_open) == ("level_shift", True)
    assert opened.state == State.ANOMALOUS
    assert (closed.event.is_open, closed.state) == (False, State.NORMAL)
    assert growing.reported == growing.opened


def test_the_severity_that_is_shown_decides() -> None:
    ledger_at_50 = make_ledger(alert_severity=50)
    record_point(ledger_at_50, Stage.OPENED, 49.96)
    assert ledger_at_50.anomaly_event.is_alert
    below = make_ledger(alert_severity=50)
    record_point(below, Stage.OPENED, 49.94)
    assert not below.anomaly_event.is_alert


def test_an_event_is_sent_at_the_first_of_its_points_that_is_far_enough() -> None:
    near = make_ledger(alert_min_deviation=5)
    record_point(near, Stage.OPENED, 60, deviation=4.9)
    record_point(near, Stage.CONTINUES, 60, deviation=900.0, steps_since_end=1, steps_since_peak=1)
    assert sent_messages(near) == [], "a quiet point may be after its end"
    record_point(near, Stage.CONTINUES, 60, deviation=5.0)
    record_point(near, Stage.CONTINUES, 70, deviation=2.0, steps_since_peak=1)
    assert sent_messages(near) == [("opened", 60)]
    assert near.anomaly_event.deviation == 5.0
    record_point(near, Stage.CLOSED, 70, deviation=900.0)
    assert near.opened[0].deviation == 5.0, "the point that closes an event is not part of it"


def test_an_event_that_suffices_only_as_it_closes_is_sent_twice_with_one_cursor() -> None:
    late = make_ledger()
    record_point(late, Stage.OPENED, 40)
    record_point(late, Stage.CLOSED, 60)
    assert sent_messages(late) == [("opened", 60), ("closed", 60)]
    assert len({message.event.revision for message in late.messages}) == 1


def test_overdue_points_are_an_alert_at_any_threshold() -> None:
    strict = make_ledger(alert_severity=100, alert_min_deviation=1e9)
    strict.open_overdue(10)
    strict.finish(State.OVERDUE)
    strict.end_overdue(12)
    strict.finish(State.NORMAL)
    assert sent_messages(strict) == [("opened", 0.0), ("closed", 0.0)]


@pytest.mark.parametrize("until", [None, NOW, NOW - dt.timedelta(days=1)])
def test_a_mute_that_has_ended_mutes_nothing(until) -> None:
    loud = make_ledger(muted_until=until)
    record_point(loud, Stage.OPENED, 60)
    assert sent_messages(loud) == [("opened", 60)]


def test_while_muted_nothing_is_sent_and_what_is_open_waits() -> None:
    muted = make_ledger(**MUTED)
    record_point(muted, Stage.OPENED, 60)
    event = muted.anomaly_event
    assert (sent_messages(muted), event.is_alert, event.is_withheld) == ([], False, True)
    record_point(muted, Stage.CLOSED, 60)
    assert (sent_messages(muted), event.is_alert, event.is_withheld) == ([], False, False)


def test_an_alert_that_closes_while_muted_is_closed_later_at_its_receiver() -> None:
    before = make_ledger()
    record_point(before, Stage.OPENED, 60)
    event = before.anomaly_event
    muted = EventLedger(9, NOW, replace(HOURLY, **MUTED), anomaly=event)
    record_point(muted, Stage.CONTINUES, 70)
    assert not event.is_withheld
    record_point(muted, Stage.CLOSED, 70)
    assert (sent_messages(muted), event.is_withheld) == ([], True)
    after = EventLedger(10, NOW, HOURLY)
    after.resume_withheld([event])
    after.finish(State.NORMAL)
    assert sent_messages(after) == [("closed", 70)]
    assert not event.is_withheld


def messages_of(name: str) -> list[tuple[Any, ...]]:
    """Return the messages without ids and moments, which depend on the batches."""
    monitor_id = get_monitor(ACCOUNT, name).id
    query = select(WebhookDelivery.payload).where(
        WebhookDelivery.subject == monitor_subject(monitor_id)
    )
    with db.engine.connect() as connection:
        payloads = connection.scalars(query.order_by(WebhookDelivery.id)).all()
    results = []
    for message in map(json.loads, payloads):
        event = message["data"]["event"]
        event["closed_at"] = event["closed_at"] is not None
        for field in ("id", "cursor", "opened_at"):
            del event[field]
        results.append((message["type"], message["data"]["state"], event))
    return results


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sent=SENT_POINTS,
    cuts=st.lists(st.integers(1, 59), max_size=4),
    alerts=st.fixed_dictionaries(
        {
            "alert_severity": st.sampled_from([0, 5, 20, 50, 70]),
            "alert_min_deviation": st.sampled_from([0, 0.5, 3]),
        }
    ),
    number=st.uuids(),
)
def test_batches_send_the_messages_of_points_one_by_one(sent, cuts, alerts, number) -> None:
    single, many = f"one-{number}", f"many-{number}"
    for name in (single, many):
        make(name, history=history(72), webhook=put_webhook(), **alerts)
    send_in_batches(sent, range(1, len(sent)), single)
    send_in_batches(sent, cuts, many)
    assert messages_of(many) == messages_of(single)
    types = [message[0] for message in messages_of(single)]
    assert types == ["event.opened", "event.closed"] * (len(types) // 2) + ["event.opened"] * (
        len(types) % 2
    )
