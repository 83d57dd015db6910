"""Due webhooks are found in pages, at a cost that does not grow with the messages."""

import datetime as dt

import pytest
from sqlalchemy import Engine, delete, update

from app.core.database import utcnow
from app.delivery import delivery_queue
from app.delivery.models import Webhook, WebhookDelivery
from tests.delivery.deliveries import NOON, add_delivery, add_webhook, due_ids
from tests.support.databases import ON_POSTGRESQL
from tests.support.many_webhooks import add_messages

URL = "https://hooks.example.com/a"
SECOND = dt.timedelta(seconds=1)
pytestmark = pytest.mark.usefixtures("each_database")


@pytest.fixture
def webhook(engine: Engine) -> int:
    return add_webhook(engine, URL)


def test_the_many_of_one_source_do_not_hide_those_of_another(engine: Engine, webhook: int) -> None:
    for _ in range(20):
        add_delivery(engine, webhook)
    other = add_webhook(engine, URL + "/b")
    add_delivery(engine, other, NOON + SECOND)
    assert due_ids(engine, NOON + SECOND) == [webhook, other]
    delivery_queue.write_and_lease(engine, [], {webhook: 100}, NOON)
    assert due_ids(engine, NOON + SECOND) == [other]


def test_a_search_continues_page_after_page(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery_queue, "ROWS_PER_STATEMENT", 3)
    sources = [add_webhook(engine, f"{URL}/{number}") for number in range(8)]
    for webhook in sources:
        add_delivery(engine, webhook)
    pages, after = [], 0
    while after is not None:
        due, after = delivery_queue.find_due_webhooks(engine, NOON, after)
        pages.append([source.id for source in due])
    assert pages == [sources[:3], sources[3:6], sources[6:]]


def steps_of_search(engine: Engine, messages: int) -> int:
    """Return the steps of SQLite's search if each of three webhooks has due messages."""
    with engine.begin() as connection:
        connection.execute(delete(Webhook))
    add_messages(engine, 1, [f"{URL}/{number}" for number in range(3)], messages)
    steps: list[int] = []
    with engine.connect() as connection:
        driver = connection.connection.driver_connection
    driver.set_progress_handler(lambda: steps.append(1), 1)
    assert len(due_ids(engine, utcnow())) == 3
    driver.set_progress_handler(None, 0)
    return len(steps)


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
def test_a_search_takes_no_more_steps_where_thousands_are_due(engine: Engine) -> None:
    few = steps_of_search(engine, 2)
    assert few > 20
    assert steps_of_search(engine, 2_000) < 2 * few


@ON_POSTGRESQL
def test_postgresql_searches_by_the_index_of_what_is_pending(engine: Engine) -> None:
    """Also if each webhook has thousands of sent messages."""
    add_messages(engine, 1, [f"{URL}/{number}" for number in range(3)], 1_000)
    with engine.begin() as connection:
        done = {"delivered_at": NOON, "next_attempt_at": None}
        connection.execute(update(WebhookDelivery).where(WebhookDelivery.id % 10 > 0).values(done))
    notices: list[str] = []
    with engine.connect() as connection:
        driver = connection.connection.driver_connection
    driver.add_notice_handler(lambda notice: notices.append(notice.message_primary))
    for statement in (
        "ANALYZE deliveries",
        "LOAD 'auto_explain'",
        "SET auto_explain.log_min_duration = 0",
        "SET auto_explain.log_level = 'notice'",
        "SET plan_cache_mode = force_generic_plan",
    ):
        driver.execute(statement)
    assert len(due_ids(engine, utcnow())) == 3
    (plan,) = (line for line in notices if "waiting" in line)
    assert "Scan using ix_deliveries_pending" in plan
    assert "Seq Scan on deliveries" not in plan
    assert "ix_deliveries_attempted_at" not in plan
