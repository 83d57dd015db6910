"""Limits that change during their evaluation: the change is evaluated next, and is never lost."""

import contextlib
import json

import numpy as np
import pytest
from sqlalchemy import select, update

from app.compute.errors import CallerTimeoutError, EngineBusyError
from app.core.database import db
from app.core.database.engine import read_connection
from app.delivery.models import WebhookDelivery
from app.watching.monitors.queries.stored_history import TooFewPointsError
from app.watching.monitors.settings.errors import NoSuchMonitorError
from app.watching.monitors.settings.limits import Limit
from app.watching.monitors.storage.row_conversion import LIMITS, STATES
from app.watching.monitors.worker import limit_events
from tests.support.watching import delete_monitor, evaluate_limits
from tests.watching.monitors.feeding import ACCOUNT, events, make, put_webhook, send

POINTS = 60
FAR_LIMIT = Limit(upper=1e6, horizon=12)
NEAR_LIMIT = Limit(upper=25.0, horizon=12)
pytestmark = pytest.mark.usefixtures("each_database")


def noise(count=POINTS):
    return np.random.default_rng(0).normal(20, 0.5, count).tolist()


def evaluate_while(monkeypatch, change, step="read_history"):
    """Evaluate the limits, and call ``change`` after ``step`` of an evaluation."""
    original = getattr(limit_events, step)

    def run(*arguments, **options):
        result = original(*arguments, **options)
        change()
        return result

    with monkeypatch.context() as patched:
        patched.setattr(limit_events, step, run)
        return evaluate_limits()


def rows():
    with read_connection() as connection:
        return connection.execute(select(LIMITS)).all()


def kinds():
    return [event.kind for event in events()]


def test_a_limit_that_is_changed_while_it_is_evaluated_is_evaluated_again(monkeypatch, now) -> None:
    make(limit=FAR_LIMIT)
    send(range(POINTS), noise())
    beyond = Limit(upper=19.0, horizon=12, probability=0.3)
    assert evaluate_while(monkeypatch, lambda: make(limit=beyond)) == 0
    assert kinds() == []
    (row,) = rows()
    assert (row.due_at, row.evaluated_index, row.probability) == (now(), None, None)
    assert evaluate_limits() == 1
    assert kinds() == ["limit_reached"]


def test_a_monitor_that_is_deleted_during_its_evaluation_holds_up_no_other(monkeypatch) -> None:
    for name in ("deleted", "other"):
        make(name, limit=NEAR_LIMIT)
        send(range(POINTS), [*noise(POINTS - 1), 30.0], name)

    def delete() -> None:
        with contextlib.suppress(NoSuchMonitorError):
            delete_monitor(ACCOUNT, "deleted")

    assert evaluate_while(monkeypatch, delete, "read_stored") == 1
    assert [event.kind for event in events("other")] == ["spike", "limit_reached"]


def test_a_value_beyond_the_limit_is_reported_even_during_an_evaluation(monkeypatch):
    make(limit=NEAR_LIMIT)
    send(range(POINTS), noise())
    assert evaluate_while(monkeypatch, lambda: send([POINTS], [30.0])) == 0
    assert kinds().count("limit_reached") == 0
    assert evaluate_limits() == 1
    assert kinds().count("limit_reached") == 1


def test_a_value_that_jumps_from_beyond_one_limit_to_beyond_the_other_is_reported() -> None:
    make(limit=Limit(upper=25.0, lower=15.0, horizon=12))
    send(range(POINTS), [*noise(POINTS - 1), 30.0])
    assert evaluate_limits() == 1
    send([POINTS], [10.0])
    assert evaluate_limits() == 1
    reached = [event for event in events() if event.kind == "limit_reached"]
    sides = [(event.direction, event.closed_as) for event in reached]
    assert sides == [("up", "ended"), ("down", None)]


def test_a_limit_that_is_set_again_while_it_is_removed_is_evaluated(monkeypatch) -> None:
    make(limit=FAR_LIMIT)
    send(range(POINTS), noise())
    assert evaluate_limits() == 1
    make(limit=None)
    assert evaluate_while(monkeypatch, lambda: make(limit=NEAR_LIMIT), "read_stored") == 0
    assert len(rows()) == 1
    assert evaluate_limits() == 1


def test_a_limit_that_is_removed_costs_no_more_evaluations() -> None:
    make(limit=FAR_LIMIT)
    send(range(POINTS), noise())
    make(limit=None)
    assert evaluate_limits() == 1
    assert rows() == []


@pytest.mark.parametrize(
    ("error", "has_trace"), [(EngineBusyError(3.0), False), (CallerTimeoutError("killed"), True)]
)
def test_an_evaluation_without_an_engine_is_repeated_and_logged(
    monkeypatch, caplog, now, error, has_trace
) -> None:
    make(limit=FAR_LIMIT)
    send(range(POINTS), noise())

    def fail() -> None:
        raise error

    assert evaluate_while(monkeypatch, fail) == 0
    (record,) = [record for record in caplog.records if "not evaluated" in record.msg]
    assert bool(record.exc_info) == has_trace
    assert evaluate_limits() == 0
    now.move(minutes=1)
    assert evaluate_limits() == 1


def test_failed_evaluations_are_dated_by_the_first_until_one_succeeds(monkeypatch, now) -> None:
    make(limit=FAR_LIMIT)
    send(range(POINTS), noise())
    first_failure = now()

    def fail() -> None:
        raise EngineBusyError(3.0)

    for _ in range(3):
        assert evaluate_while(monkeypatch, fail) == 0
        assert [row.failing_since for row in rows()] == [first_failure]
        now.move(minutes=1)
    assert evaluate_limits() == 1
    assert [row.failing_since for row in rows()] == [None]


def test_a_limit_that_has_become_too_short_to_forecast_no_longer_fails(monkeypatch, now) -> None:
    make(limit=FAR_LIMIT)
    send(range(POINTS), noise())
    for error, failing_since in ((EngineBusyError(3.0), now()), (TooFewPointsError(2), None)):

        def fail(error: Exception = error) -> None:
            raise error

        assert evaluate_while(monkeypatch, fail) == 0
        assert [row.failing_since for row in rows()] == [failing_since]
        now.move(minutes=1)


def test_the_event_of_an_absent_series_closes_as_absent_in_that_state(now) -> None:
    make(limit=NEAR_LIMIT, webhook=put_webhook())
    send(range(POINTS), [*noise(POINTS - 1), 30.0])
    assert evaluate_limits() == 1
    with db.engine.begin() as connection:
        connection.execute(update(STATES).values(is_absent=True))
    now.move(days=1)
    assert evaluate_limits() == 1
    (event,) = [event for event in events() if event.kind == "limit_reached"]
    assert event.closed_as == "absent"
    with read_connection() as connection:
        payloads = connection.scalars(select(WebhookDelivery.payload).order_by(WebhookDelivery.id))
        assert json.loads(payloads.all()[-1])["data"]["state"] == "absent"
