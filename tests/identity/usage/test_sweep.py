"""Only usage beyond its retention is removed, of every account."""

import pytest
from sqlalchemy import event, insert, select

from app.identity.accounts.models import Account
from app.identity.usage import sweep as module
from app.identity.usage.models import (
    AccountDay,
    AccountHour,
    FailureDay,
    KeyAddress,
    KeyDay,
    UsageHour,
)
from app.identity.usage.sweep import ACCOUNT_HOUR_RETENTION_DAYS, RETENTION_DAYS, sweep_usage
from app.identity.usage.tally import USAGE_MODELS
from tests.identity.usage.conftest import DAY, HOUR, NOON
from tests.support.usage import rows

MIDNIGHT = NOON - 12 * HOUR
OLDEST = NOON - RETENTION_DAYS * DAY


@pytest.fixture(autouse=True)
def accounts(engine) -> None:
    """Accounts 1 to 3; who calls has one."""
    with engine.begin() as connection:
        for account_id in (1, 2, 3):
            values = {"id": account_id, "name": f"account {account_id}"}
            if connection.scalar(select(Account.id).where(Account.id == account_id)) is None:
                connection.execute(insert(Account).values(**values))


def counts_kept(engine):
    return {model.__tablename__: len(rows(engine, model)) for model in USAGE_MODELS}


def test_only_what_is_older_than_it_is_kept_is_removed(engine, record_calls) -> None:
    for account_id in (1, 3):
        for age in (
            0,
            2,
            ACCOUNT_HOUR_RETENTION_DAYS,
            ACCOUNT_HOUR_RETENTION_DAYS + 1,
            50,
            90,
            91,
            92,
            300,
        ):
            at = NOON - age * DAY
            address = f"192.0.2.{age % 250}"
            record_calls(age + 1, account_id=account_id, status=400, address=address, at=at)
    sweep_usage(engine, NOON, lambda: False)
    days = [
        MIDNIGHT - age * DAY
        for age in (50, ACCOUNT_HOUR_RETENTION_DAYS + 1, ACCOUNT_HOUR_RETENTION_DAYS, 2, 0)
    ]
    for account_id in (1, 3):

        def times(model, account_id=account_id):
            return [row[1] for row in rows(engine, model) if row[0] == account_id]

        assert times(UsageHour) == [OLDEST, *(day + 12 * HOUR for day in days)]
        assert times(AccountHour) == [
            NOON - ACCOUNT_HOUR_RETENTION_DAYS * DAY,
            NOON - 2 * DAY,
            NOON,
        ]
        for model in (AccountDay, KeyDay, FailureDay):
            assert times(model) == days
    assert {row[4] for row in rows(engine, KeyAddress)} == {
        OLDEST,
        *(day + 12 * HOUR for day in days),
    }
    before = counts_kept(engine)
    sweep_usage(engine, NOON, lambda: False)
    assert counts_kept(engine) == before


def test_a_transaction_removes_one_period_of_one_account(engine, record_calls, monkeypatch) -> None:
    """Requests are served between the transactions."""
    for account_id in (1, 2):
        for hour in range(3):
            for key_id in (1, 2):
                record_calls(key_id, account_id=account_id, at=OLDEST - DAY - hour * HOUR)
    monkeypatch.setattr(module, "MODEL_RETENTION_DAYS", {UsageHour: RETENTION_DAYS})
    seen = []

    @event.listens_for(engine, "after_cursor_execute")
    def record_removal(_connection, cursor, statement, *_others) -> None:
        seen.extend([cursor.rowcount] if statement.startswith("DELETE") else [])

    @event.listens_for(engine, "commit")
    def record_commit(_connection) -> None:
        seen.append("commit")

    sweep_usage(engine, NOON, lambda: False)
    assert seen == [2, "commit"] * 6
    assert rows(engine, UsageHour) == []


def test_more_addresses_than_one_batch_are_all_removed(engine, record_calls, monkeypatch) -> None:
    monkeypatch.setattr(module, "ADDRESS_BATCH_SIZE", 3)
    for number in range(10):
        record_calls(1, address=f"192.0.2.{number}", at=OLDEST - 1 if number else OLDEST)
    sweep_usage(engine, NOON, lambda: False)
    assert [row[2] for row in rows(engine, KeyAddress)] == ["192.0.2.0"]


def test_a_process_that_ends_does_not_wait_for_the_sweep(engine, record_calls) -> None:
    record_calls(1, at=OLDEST - DAY)
    sweep_usage(engine, NOON, lambda: True)
    assert len(rows(engine, UsageHour)) == 1


def test_usage_written_after_its_account_was_deleted_is_removed_too(engine, record_calls) -> None:
    for account_id in (2, 4, 5):
        for at in (NOON, NOON - DAY):
            record_calls(account_id, account_id=account_id, status=400, address="192.0.2.1", at=at)
    sweep_usage(engine, NOON, lambda: False)
    for model in USAGE_MODELS:
        assert {row[0] for row in rows(engine, model)} == {2}
