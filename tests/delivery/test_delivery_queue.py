"""Each delivery is claimed by one deliverer, by another if that is killed, and tried for a day."""

import datetime as dt
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from sqlalchemy import Engine, delete, event, select, update

from app.core.backoff import JITTER
from app.core.fair_scheduler import Channel
from app.delivery import delivery_queue
from app.delivery.delivery_queue import (
    DELIVERY_LEASE,
    MAX_MESSAGE_AGE,
    RETENTION_PERIOD,
    RETRY_PAUSES,
    LeasedDelivery,
)
from app.delivery.models import (
    MAX_PROBLEM_LENGTH,
    TEST_MESSAGE_TYPE,
    DeliveryState,
    Webhook,
    WebhookDelivery,
)
from app.delivery.sender import DEADLINE_SECONDS, AttemptResult
from app.delivery.webhook_secrets import new_secret
from tests.delivery.deliveries import (
    NOON,
    PAYLOAD,
    TEXT,
    add_delivery,
    add_webhook,
    change,
    due_ids,
    stored_deliveries,
    suspend_default,
)
from tests.delivery.sending import SUCCESS, message_to
from tests.support.databases import ON_POSTGRESQL

pytestmark = pytest.mark.usefixtures("each_database")

URL = "https://hooks.example.com/a"
SECOND = dt.timedelta(seconds=1)
MAX_LEASED = 100
FAILED = AttemptResult("returned 500")
MESSAGE = message_to(URL)


@pytest.fixture
def webhook(engine: Engine) -> int:
    return add_webhook(engine, URL)


def lease_due(
    engine: Engine, webhook_id: int, most: int = MAX_LEASED, now: dt.datetime = NOON
) -> list[LeasedDelivery]:
    _, taken = delivery_queue.write_and_lease(engine, [], {webhook_id: most}, now)
    return taken


def lease_single(engine: Engine, now: dt.datetime) -> LeasedDelivery:
    (webhook_id,) = due_ids(engine, now)
    (taken,) = lease_due(engine, webhook_id, 1, now)
    return taken


def write(engine: Engine, taken: LeasedDelivery, result: AttemptResult, now: dt.datetime) -> None:
    assert delivery_queue.write_and_lease(engine, [(taken, result)], {}, now) == ([], [])


def test_a_message_is_due_from_its_event_on_with_url_and_secret(
    engine: Engine, webhook: int
) -> None:
    delivery = add_delivery(engine, webhook)
    assert delivery_queue.find_due_webhooks(engine, NOON - SECOND) == ([], None)
    assert delivery_queue.find_due_webhooks(engine, NOON) == ([Channel(webhook, 1, URL)], None)
    taken = lease_single(engine, NOON)
    assert (taken.delivery_id, taken.attempt, taken.created_at) == (delivery, 1, NOON)
    assert (taken.message.url, taken.message.payload) == (URL, PAYLOAD)
    assert len(taken.message.secrets) == 1
    assert taken.message.message_id.startswith("msg_")


def test_a_leased_delivery_is_not_leased_again_before_its_lease_ends(
    engine: Engine, webhook: int
) -> None:
    delivery = add_delivery(engine, webhook)
    lease_single(engine, NOON)
    before = NOON + DELIVERY_LEASE - SECOND
    assert due_ids(engine, before) == []
    assert lease_due(engine, webhook, now=before) == []
    second = lease_single(engine, NOON + DELIVERY_LEASE)
    assert (second.delivery_id, second.attempt) == (delivery, 2)


def test_a_lease_is_longer_than_an_attempt() -> None:
    assert DELIVERY_LEASE.total_seconds() > 2 * DEADLINE_SECONDS


def test_concurrent_deliverers_take_each_delivery_once(engine: Engine, webhook: int) -> None:
    deliveries = [add_delivery(engine, webhook) for _ in range(24)]
    with ThreadPoolExecutor(8) as pool:
        takes = [pool.submit(lease_due, engine, webhook, 3) for _ in range(8)]
        taken = [delivery.delivery_id for take_ in takes for delivery in take_.result()]
    # A deliverer that finds a row locked claims the next: each row is claimed once.
    assert sorted(taken) == deliveries


def test_the_deliveries_due_longest_are_leased_first_up_to_the_limit(
    engine: Engine, webhook: int
) -> None:
    late, early, latest = (add_delivery(engine, webhook, NOON + n * SECOND) for n in (2, 1, 3))
    now = NOON + 3 * SECOND
    assert [delivery.delivery_id for delivery in lease_due(engine, webhook, 2, now)] == [
        early,
        late,
    ]
    assert [delivery.delivery_id for delivery in lease_due(engine, webhook, 2, now)] == [latest]


def test_a_closing_message_waits_until_the_opening_one_has_ended(
    engine: Engine, webhook: int
) -> None:
    """PagerDuty ignores a resolve before its trigger, and nothing resolves the later trigger."""
    opening = add_delivery(engine, webhook, subject="monitor:7")
    closing = add_delivery(engine, webhook, message_type="event.closed", subject="monitor:7")
    (taken,) = lease_due(engine, webhook)
    assert taken.delivery_id == opening
    assert due_ids(engine, NOON) == []
    write(engine, taken, FAILED, NOON)
    before = NOON + RETRY_PAUSES[0] * (1 - JITTER) - SECOND
    assert due_ids(engine, before) == []
    (second,) = lease_due(engine, webhook, now=NOON + 2 * RETRY_PAUSES[0])
    assert second.delivery_id == opening
    write(engine, second, SUCCESS, NOON + 2 * RETRY_PAUSES[0])
    assert lease_single(engine, NOON + 2 * RETRY_PAUSES[0]).delivery_id == closing


def test_a_closing_message_is_sent_once_the_opening_one_has_failed(
    engine: Engine, webhook: int
) -> None:
    add_delivery(engine, webhook, subject="monitor:7")
    closing = add_delivery(engine, webhook, message_type="event.closed", subject="monitor:7")
    write(engine, lease_single(engine, NOON), AttemptResult("gone", is_final=True), NOON)
    assert lease_single(engine, NOON).delivery_id == closing


def test_no_message_waits_for_another_monitor_webhook_or_later_event(
    engine: Engine, webhook: int
) -> None:
    other = add_webhook(engine, URL + "/b")
    for receiver, subject in ((webhook, "monitor:8"), (other, "monitor:7")):
        add_delivery(engine, receiver, NOON + SECOND, subject=subject)
    closing = add_delivery(engine, webhook, message_type="event.closed", subject="monitor:7")
    add_delivery(engine, webhook, NOON + SECOND, subject="monitor:7")
    assert lease_single(engine, NOON).delivery_id == closing


def test_an_opening_message_waits_for_no_other(engine: Engine, webhook: int) -> None:
    for _ in range(2):
        add_delivery(engine, webhook, subject="monitor:7")
    assert len(lease_due(engine, webhook)) == 2


def test_results_and_new_leases_are_one_transaction(engine: Engine, webhook: int) -> None:
    first, second = add_delivery(engine, webhook), add_delivery(engine, webhook)
    done = lease_due(engine, webhook, 1)
    commits: list[int] = []
    event.listen(engine, "commit", lambda _connection: commits.append(1))
    left, taken = delivery_queue.write_and_lease(engine, [(done[0], SUCCESS)], {webhook: 1}, NOON)
    assert (left, [delivery.delivery_id for delivery in taken]) == ([], [second])
    assert [row.id for row in stored_deliveries(engine) if row.delivered_at] == [first]
    assert len(commits) == 1


@ON_POSTGRESQL
def test_a_result_of_a_row_that_is_locked_is_left_and_others_are_written(
    engine: Engine, webhook: int
) -> None:
    """Waiting for a lock while holding others can deadlock, for example with a deletion."""
    for _ in range(2):
        add_delivery(engine, webhook)
    locked, free = lease_due(engine, webhook)
    results = [(locked, SUCCESS), (free, SUCCESS)]
    with engine.begin() as deleting:
        deleting.execute(delete(WebhookDelivery).where(WebhookDelivery.id == locked.delivery_id))
        assert delivery_queue.write_and_lease(engine, results, {}, NOON) == (
            [(locked, SUCCESS)],
            [],
        )
        assert [row.state for row in stored_deliveries(engine)] == ["pending", "delivered"]
    assert delivery_queue.write_and_lease(engine, [(locked, SUCCESS)], {}, NOON) == ([], [])


def test_a_delivered_message_is_not_due_again(engine: Engine, webhook: int) -> None:
    add_delivery(engine, webhook)
    write(engine, lease_single(engine, NOON), SUCCESS, NOON + SECOND)
    (row,) = stored_deliveries(engine)
    assert (row.state, row.delivered_at) == (DeliveryState.DELIVERED, NOON + SECOND)
    assert due_ids(engine, NOON + MAX_MESSAGE_AGE) == []


def test_a_failed_delivery_is_due_after_its_pause(engine: Engine, webhook: int) -> None:
    add_delivery(engine, webhook)
    write(engine, lease_single(engine, NOON), FAILED, NOON)
    (row,) = stored_deliveries(engine)
    assert (row.state, row.last_problem) == (DeliveryState.PENDING, "returned 500")
    assert NOON + RETRY_PAUSES[0] * (1 - JITTER) <= row.next_attempt_at
    assert row.next_attempt_at <= NOON + RETRY_PAUSES[0] * (1 + JITTER)
    assert due_ids(engine, row.next_attempt_at - SECOND) == []
    assert lease_single(engine, row.next_attempt_at).attempt == 2


def test_a_final_failure_is_not_tried_again(engine: Engine, webhook: int) -> None:
    add_delivery(engine, webhook)
    result = AttemptResult("returned 410", is_final=True)
    write(engine, lease_single(engine, NOON), result, NOON)
    (row,) = stored_deliveries(engine)
    assert (row.state, row.failed_at, row.last_problem) == ("failed", NOON, "returned 410")
    assert due_ids(engine, NOON + MAX_MESSAGE_AGE) == []


def test_a_deliverer_that_lost_its_lease_writes_no_result(engine: Engine, webhook: int) -> None:
    add_delivery(engine, webhook)
    slow = lease_single(engine, NOON)
    quick = lease_single(engine, NOON + DELIVERY_LEASE)
    write(engine, slow, FAILED, NOON + DELIVERY_LEASE + SECOND)
    assert due_ids(engine, NOON + DELIVERY_LEASE + SECOND) == []  # still the other's
    write(engine, quick, SUCCESS, NOON + DELIVERY_LEASE + SECOND)
    assert [row.state for row in stored_deliveries(engine)] == ["delivered"]


def test_a_problem_that_is_long_is_cut_and_the_attempt_counts(engine: Engine, webhook: int) -> None:
    add_delivery(engine, webhook)
    problem = "the certificate is not valid: " + "a." * MAX_PROBLEM_LENGTH
    write(engine, lease_single(engine, NOON), AttemptResult(problem, is_final=True), NOON)
    (row,) = stored_deliveries(engine)
    assert (row.state, row.last_problem) == ("failed", f"{problem[: MAX_PROBLEM_LENGTH - 1]}…")


def test_a_result_is_not_written_to_what_came_after_the_delivery_was_deleted(
    engine: Engine, webhook: int
) -> None:
    add_delivery(engine, webhook)
    of_deleted = lease_single(engine, NOON)
    with engine.begin() as connection:
        connection.execute(delete(Webhook))
    new = add_delivery(engine, add_webhook(engine, URL))
    assert new != of_deleted.delivery_id
    assert lease_single(engine, NOON).attempt == of_deleted.attempt
    for taken in (of_deleted, replace(of_deleted, delivery_id=new)):
        write(engine, taken, SUCCESS, NOON)
    assert [row.state for row in stored_deliveries(engine)] == ["pending"]


def test_an_unavailable_receiver_is_retried_for_a_day_with_growing_pauses() -> None:
    taken, now, pauses = LeasedDelivery(1, 1, 1, NOON, True, MESSAGE), NOON, []
    while (following := delivery_queue.next_attempt(taken, now, factor=1)) is not None:
        pauses.append(following - now)
        taken, now = replace(taken, attempt=taken.attempt + 1), following
    assert pauses[:4] == [5 * SECOND, 30 * SECOND, 120 * SECOND, 600 * SECOND]
    assert pauses == sorted(pauses)
    assert MAX_MESSAGE_AGE - RETRY_PAUSES[-1] < now - NOON <= MAX_MESSAGE_AGE


@pytest.mark.parametrize("jitter", [-JITTER, JITTER])
def test_pauses_grow_regardless_of_the_jitter(jitter: float) -> None:
    pauses = [
        delivery_queue.next_attempt(
            LeasedDelivery(1, 1, attempt, NOON, True, MESSAGE), NOON, 1 + jitter * (-1) ** attempt
        )
        - NOON
        for attempt in range(1, len(RETRY_PAUSES) + 1)
    ]
    assert pauses == sorted(pauses)


def test_a_message_that_waited_longer_than_a_day_is_tried_once(
    engine: Engine, webhook: int
) -> None:
    add_delivery(engine, webhook)
    late = NOON + 2 * MAX_MESSAGE_AGE
    write(engine, lease_single(engine, late), FAILED, late)
    assert [row.state for row in stored_deliveries(engine)] == ["failed"]


def test_a_rotated_secret_signs_and_the_previous_one_too_until_it_ends(engine: Engine) -> None:
    new, previous = new_secret(), new_secret()
    ends = NOON + MAX_MESSAGE_AGE
    options = {"former_secret": previous, "former_secret_ends_at": ends}
    add_delivery(engine, add_webhook(engine, URL, secret=new, **options))
    assert lease_single(engine, ends - SECOND).message.secrets == (new, previous)
    assert lease_single(engine, ends + DELIVERY_LEASE).message.secrets == (new,)


def test_the_format_at_the_attempt_decides(engine: Engine) -> None:
    webhook = add_webhook(engine, URL, format="text", secret=None)
    add_delivery(engine, webhook)
    message = lease_single(engine, NOON).message
    assert (message.format, message.secrets) == ("text", ())
    assert (message.payload, message.text) == (PAYLOAD, TEXT)
    with engine.begin() as connection:
        values = {"format": "standard", "secret": new_secret()}
        connection.execute(update(Webhook).values(values))
    message = lease_single(engine, NOON + DELIVERY_LEASE).message
    assert (message.format, len(message.secrets)) == ("standard", 1)


def test_a_result_has_its_status_and_time(engine: Engine, webhook: int) -> None:
    add_delivery(engine, webhook)
    rejected = AttemptResult("returned 500", status=500)
    write(engine, lease_single(engine, NOON), rejected, NOON + SECOND)
    (row,) = stored_deliveries(engine)
    assert (row.last_status, row.attempted_at) == (500, NOON + SECOND)
    later = NOON + MAX_MESSAGE_AGE / 2
    write(engine, lease_single(engine, later), AttemptResult("no response within 10 s"), later)
    (row,) = stored_deliveries(engine)
    assert (row.last_status, row.attempted_at) == (None, later)


def test_a_test_message_is_tried_once(engine: Engine, webhook: int) -> None:
    add_delivery(engine, webhook, message_type=TEST_MESSAGE_TYPE)
    write(engine, lease_single(engine, NOON), FAILED, NOON)
    assert [row.state for row in stored_deliveries(engine)] == ["failed"]


def test_messages_of_a_suspended_account_wait_until_it_is_resumed(
    engine: Engine, webhook: int
) -> None:
    delivery = add_delivery(engine, webhook)
    suspend_default(engine)
    assert due_ids(engine, NOON) == lease_due(engine, webhook) == []
    suspend_default(engine, None)
    assert due_ids(engine, NOON) == [webhook]
    assert lease_single(engine, NOON).delivery_id == delivery


def test_deliveries_are_deleted_with_their_webhook(engine: Engine, webhook: int) -> None:
    add_delivery(engine, webhook)
    with engine.begin() as connection:
        connection.execute(delete(Webhook))
    assert stored_deliveries(engine) == []


def test_only_deliveries_that_ended_a_week_ago_are_removed(engine: Engine, webhook: int) -> None:
    now = NOON + RETENTION_PERIOD + MAX_MESSAGE_AGE
    old = [add_delivery(engine, webhook) for _ in range(5)]
    change(engine, old[0], delivered_at=now - RETENTION_PERIOD - SECOND)
    change(engine, old[1], failed_at=now - RETENTION_PERIOD - SECOND)
    change(engine, old[2], delivered_at=now - RETENTION_PERIOD + SECOND)
    change(engine, old[3], failed_at=now - RETENTION_PERIOD + SECOND)
    assert delivery_queue.sweep_deliveries(engine, now) == 2
    assert [row.id for row in stored_deliveries(engine)] == old[2:]
    assert delivery_queue.sweep_deliveries(engine, now) == 0


def test_a_malformed_delivery_fails_permanently_and_delays_no_other(
    engine: Engine, webhook: int, caplog: pytest.LogCaptureFixture
) -> None:
    spoilt = add_webhook(engine, URL, former_secret=new_secret())  # which never ends
    bad = [add_delivery(engine, spoilt) for _ in range(2)]
    good = add_delivery(engine, webhook)
    wanted = {spoilt: MAX_LEASED, webhook: MAX_LEASED}
    _, taken = delivery_queue.write_and_lease(engine, [], wanted, NOON)
    assert [delivery.delivery_id for delivery in taken] == [good]
    assert [row.state for row in stored_deliveries(engine)] == [DeliveryState.FAILED] * 2 + [
        DeliveryState.PENDING
    ]
    assert stored_deliveries(engine)[0].last_problem == "its row in the database is malformed"
    assert [record.fields["row"] for record in caplog.records] == bad
    assert due_ids(engine, NOON + DELIVERY_LEASE) == [webhook]


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)  # PostgreSQL checks types
def test_only_the_malformed_delivery_of_a_webhook_fails(engine: Engine, webhook: int) -> None:
    bad, good = (add_delivery(engine, webhook) for _ in range(2))
    with engine.begin() as connection:
        connection.exec_driver_sql(
            "UPDATE deliveries SET created_at = 'yesterday' WHERE id = ?", (bad,)
        )
    assert [delivery.delivery_id for delivery in lease_due(engine, webhook)] == [good]
    assert due_ids(engine, NOON + DELIVERY_LEASE) == [webhook]
    with engine.connect() as connection:
        failed = select(WebhookDelivery.id).where(WebhookDelivery.failed_at.is_not(None))
        assert connection.scalars(failed).all() == [bad]
