"""Accounts suspended, resumed and deleted by command; keys relabelled and given other expiries."""

import datetime as dt

import pytest
from sqlalchemy import update

from app.core.database.engine import write_session
from app.identity.accounts.models import Account
from app.identity.accounts.permissions import PERMISSION_MEANINGS
from app.identity.limits.tiers import TIERS
from tests.support.cli import attempt, run, run_failing, run_json
from tests.support.keys import make_account, record_of, verify


@pytest.fixture
def acme(app, make_key):
    """The key 1, of the account acme."""
    return make_key("read", account_name=make_account(app, "acme", "free"))


def states(app, group):
    return [row["state"] for row in run_json(app, group, "list")]


def test_a_suspended_account_is_shown_as_such_and_resumed(app, client, acme) -> None:
    assert "forecast-service accounts resume" in run(app, "accounts", "suspend", "acme")
    assert verify(client, acme).status_code == 401
    assert states(app, "accounts") == ["active", "suspended"]
    assert states(app, "keys") == ["suspended"]
    run(app, "accounts", "resume", "acme")
    assert verify(client, acme).status_code == 200
    assert states(app, "accounts") == ["active", "active"]


@pytest.mark.parametrize(
    "command",
    [
        "accounts list", "keys list", "keys show 1", "members list", "usage show acme",
        "sources list", "webhooks list",
    ],
)  # fmt: skip
def test_a_command_that_only_reads_does_not_wait_for_a_writer(app, acme, command) -> None:
    with app.app_context(), write_session() as writer:
        writer.execute(update(Account).values(name=Account.name))
        run(app, *command.split())


def test_a_deletion_asks_and_says_what_goes(app, client, acme) -> None:
    result = app.test_cli_runner().invoke(args=["accounts", "delete", "acme"], input="n\n")
    assert result.exit_code == 1
    assert "the account acme with 1 key and 0 monitors, its members and its usage?" in result.stderr
    assert verify(client, acme).status_code == 200
    result = app.test_cli_runner().invoke(args=["accounts", "delete", "acme"], input="y\n")
    assert result.exit_code == 0
    assert verify(client, acme).status_code == 401


def test_a_deletion_in_a_script_is_not_asked_about(app, acme) -> None:
    assert "with 1 key and 0 monitors" in run(app, "accounts", "delete", "acme", "--yes")
    assert [row["name"] for row in run_json(app, "accounts", "list")] == ["default"]
    (*_, event) = run_json(app, "keys", "audit")
    assert (event["action"], event["account"]) == ("account deleted", "acme")


def test_without_a_confirmation_nothing_is_deleted(app, client, acme) -> None:
    assert attempt(app, "accounts", "delete", "acme").exit_code == 1
    assert verify(client, acme).status_code == 200


@pytest.mark.parametrize("command", ["suspend", "resume", "delete"])
def test_an_account_that_is_not_there_is_named(app, acme, command) -> None:
    message = run_failing(app, "accounts", command, "nobody")
    assert "there is no account 'nobody'; `forecast-service accounts list` lists all" in message


def test_an_action_that_was_done_already_is_reported(app, acme) -> None:
    run(app, "accounts", "suspend", "acme")
    assert "already suspended" in run_failing(app, "accounts", "suspend", "acme")
    assert "suspended" in run_failing(
        app, "keys", "create", "--account", "acme", "--permissions", "read"
    )
    run(app, "accounts", "resume", "acme")
    assert "not suspended" in run_failing(app, "accounts", "resume", "acme")


def test_a_label_can_be_changed_and_removed(app, acme) -> None:
    for label, state in (("web shop", "is now labelled 'web shop'."), ("", "has no label now.")):
        assert run(app, "keys", "set-label", "1", label).rstrip().endswith(state)
        assert run_json(app, "keys", "list")[0]["label"] == label
    assert "at most 200" in run_failing(app, "keys", "set-label", "1", "x" * 201)
    assert "control characters" in run_failing(app, "keys", "set-label", "1", "a\nb")
    assert "no key 7" in run_failing(app, "keys", "set-label", "7", "x")


def test_an_expiry_can_be_moved_and_removed(app, acme) -> None:
    run(app, "keys", "set-expiry", "1", "--expires-in", "1h")
    left = record_of(app, acme).expires_at - dt.datetime.now(dt.UTC)
    assert abs(left - dt.timedelta(hours=1)) < dt.timedelta(seconds=30)
    assert "2099-01-31T00:00:00Z" in run(
        app, "keys", "set-expiry", "1", "--expires-at", "2099-01-31"
    )
    assert "without expiry" in run(app, "keys", "set-expiry", "1", "--never")
    assert record_of(app, acme).expires_at is None


@pytest.mark.parametrize(
    "words", [(), ("--never", "--expires-in", "1h"), ("--expires-at", "2001-01-01")]
)
def test_an_expiry_is_given_once_and_in_the_future(app, acme, words) -> None:
    run_failing(app, "keys", "set-expiry", "1", *words)
    assert record_of(app, acme).expires_at is None


def test_a_grace_is_ninety_days_at_most(app, client, acme) -> None:
    assert "send at most 90d" in run_failing(app, "keys", "rotate", "1", "--grace", "91d")
    assert states(app, "keys") == ["active"]


def test_the_help_lists_values_with_what_they_mean(app) -> None:
    def words(*command):
        return " ".join(run(app, *command, "--help").split())

    create_key, create_account = words("keys", "create"), words("accounts", "create")
    for name, meaning in PERMISSION_MEANINGS.items():
        assert f"{name}: {meaning}" in create_key
    for name in TIERS:
        assert f"{name}: " in create_account
    assert "free: 10/100/1,000" in create_account
    for state in ("active", "rotated", "suspended", "expired", "revoked"):
        assert state in words("keys", "list")
