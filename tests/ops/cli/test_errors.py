"""Whatever is wrong with a command: one line on stderr that says it, and nothing changed."""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from sqlalchemy import select

from app.core.database import db
from app.identity.accounts.audit import AuditEvent
from app.identity.accounts.models import Account, ApiKey
from tests.support import preloaded_programs
from tests.support.cli import attempt, run, run_failing
from tests.support.server import ROOT

pytestmark = pytest.mark.usefixtures("each_database")

MAX_SECONDS = 60
CUSTOM = "--per-minute 5 --per-hour 50 --per-day 500"
NEW = "accounts create new"
CREATE = "keys create --permissions read"
HUGE = "9" * 30
NAMES = "acme ada@example.com"
# A command as it is typed, and what the line of its error names.
REJECTED = {
    "duplicate account": ("accounts create acme", "'acme' already"),
    "duplicate behind spaces": ("accounts create ' acme '", "'acme' already"),
    "account without a name": ("accounts create ' '", "name is empty; send a name"),
    "missing argument": ("accounts create", "NAME"),
    "long name": (f"accounts create {'x' * 101}", "at most 100"),
    "control characters": ("accounts create 'a\nb'", "control characters"),
    "unknown tier": (f"{NEW} --tier gold", "gold"),
    "enterprise without numbers": (f"{NEW} --tier enterprise", "--per-minute"),
    "enterprise with one number": (f"{NEW} --tier enterprise --per-minute 5", "--per-hour"),
    "numbers without enterprise": (f"{NEW} --tier free {CUSTOM}", "enterprise"),
    "numbers without a tier": (f"{NEW} {CUSTOM}", "enterprise"),
    "limit of nothing": (f"{NEW} --tier enterprise {CUSTOM} --per-day 0", "--per-day"),
    "limit beyond the column": (f"{NEW} --tier enterprise {CUSTOM} --per-day {HUGE}", "--per-day"),
    "limit that is not a number": (f"{NEW} --tier enterprise {CUSTOM} --per-day many", "many"),
    "tier of an unknown account": ("accounts set-tier nosuch free", "'nosuch'"),
    "change to an unknown tier": ("accounts set-tier acme gold", "gold"),
    "only change to enterprise": ("accounts set-tier acme enterprise", "--per-minute"),
    "key of an unknown account": (f"{CREATE} --account nosuch", "'nosuch'"),
    "key without permissions": ("keys create", "--permissions"),
    "unknown permission": ("keys create --permissions read,fly", "'fly'; send one of read, write"),
    "empty permission": ("keys create --permissions ''", "permission"),
    "past expiry": (f"{CREATE} --expires-at 2001-01-01T00:00:00Z", "in the past"),
    "no expiry at all": (f"{CREATE} --expires-in 0d", "in the past"),
    "expiry that is not a date": (f"{CREATE} --expires-at 2099-02-30", "2099-02-30"),
    "expiry beyond all years": (f"{CREATE} --expires-in 999999w", "9999"),
    "expiry beyond 9999": (f"{CREATE} --expires-at 9999-12-31T23:59:59-14:00", "9999-12-31"),
    "negative expiry": (f"{CREATE} --expires-in -5d", "-5d"),
    "length without a unit": (f"{CREATE} --expires-in 90", "'90'"),
    "two expiries": (f"{CREATE} --expires-in 90d --expires-at 2099-01-01", "not both"),
    "long label": (f"{CREATE} --label {'x' * 201}", "at most 200"),
    "keys of an unknown account": ("keys list --account nosuch", "'nosuch'"),
    "grace of minus one": ("keys rotate 1 --grace -1", "-1"),
    "negative grace": ("keys rotate 1 --grace -1h", "'-1h' is negative"),
    "negative grace behind an equals sign": ("keys rotate 1 --grace=-1h", "-1h"),
    "grace without a unit": ("keys rotate 1 --grace 24", "'24'"),
    "audit of an unknown account": ("keys audit --account nosuch", "leave out --account"),
    "endless grace": ("keys rotate 1 --grace 999999999w", "9999"),
    "unknown command": ("keys destroy", "destroy"),
    "unknown option": ("keys list --yaml", "--yaml"),
} | {
    f"{command} of {name}": (f"keys {command} {number}", problem)
    for command in ("show", "rotate", "revoke")
    for name, number, problem in (
        ("an unknown key", "77", "no key 77"),
        ("no number", "web", "'web' is not a key id"),
        ("a number beyond the column", HUGE, "not a key id"),
        ("a number just beyond the column", "2147483648", "not a key id"),
        ("nothing", "0", "'0' is not a key id"),
        ("another alphabet's digit", "٣", "not a key id"),
    )
}
WRONG_CALLS = (
    "unknown option",
    "unknown command",
    "key without permissions",
    "two expiries",
    "enterprise with one number",
)


@pytest.fixture
def content(app):
    """Return all that the database holds of accounts and keys."""

    def read():
        with app.app_context(), db.engine.connect() as connection:
            return [
                connection.execute(select(model.__table__).order_by(model.id)).all()
                for model in (Account, ApiKey, AuditEvent)
            ]

    return read


def test_a_wrong_command_is_one_clear_line_and_changes_nothing(app, key, content) -> None:
    run(app, "accounts", "create", "acme", "--tier", "free")
    before = content()
    for case, (command, problem) in REJECTED.items():
        assert problem in run_failing(app, *shlex.split(command)), case
        assert content() == before, case


def test_scripts_distinguish_a_wrong_call_by_exit_status_2_from_a_failure(app) -> None:
    for case in WRONG_CALLS:
        assert attempt(app, *shlex.split(REJECTED[case][0])).exit_code == 2, case
    assert attempt(app, "keys", "revoke", "77").exit_code == 1


def test_a_key_sent_for_its_id_is_not_repeated_where_errors_are_kept(app, key) -> None:
    assert key not in run_failing(app, "keys", "revoke", key)


@pytest.mark.parametrize("command", ["rotate", "revoke"])
def test_a_revoked_key_is_named_as_such(app, key, content, command) -> None:
    run(app, "keys", "revoke", "1")
    before = content()
    assert "revoked" in run_failing(app, "keys", command, "1")
    assert content() == before


def test_an_error_in_the_middle_leaves_nothing_half_done(app, key, content, monkeypatch) -> None:
    from app.identity.accounts import keys

    monkeypatch.setattr(keys, "display_prefix", lambda _key: None)  # a column's NOT NULL
    before = content()
    run_failing(app, "keys", "rotate", "1")
    assert content() == before


@pytest.mark.parametrize(
    ("name", "value"), [("MAX_POINTS", "many"), ("DATABASE_URL", "mysql://x@y/z")]
)
def test_a_wrong_setting_is_one_line_in_a_shell_too(tmp_path, name, value) -> None:
    environ = os.environ | {"DATABASE_URL": f"sqlite:///{tmp_path}/x.db", name: value}
    command = [sys.executable, "-m", "flask", "keys", "list"]
    done = subprocess.run(
        command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Error: {name}: ")


@pytest.mark.parametrize(
    "command",
    [
        "keys create --permissions read --quiet",
        "keys rotate 1 --grace 0h",
        f"members invite {NAMES}",
    ],
)
def test_a_secret_that_cannot_be_printed_changes_nothing(app, database_url, content, command):
    run(app, "accounts", "create", "acme")
    run(app, "keys", "create", "--account", "acme", "--permissions", "read")
    before = content()
    assert line_on_full_disk(database_url, command).endswith("; nothing was changed")
    assert content() == before


def test_a_list_that_cannot_be_printed_is_one_line(app, database_url) -> None:
    assert "cannot be written: No space left" in line_on_full_disk(database_url, "keys list")


def line_on_full_disk(database_url: str, command: str) -> str:
    """Return the one line of a command whose output cannot be written."""
    environ = os.environ | {"DATABASE_URL": database_url}
    words = ["flask", *shlex.split(command)]
    with Path("/dev/full").open("w") as full, tempfile.TemporaryFile("w+") as errors:
        program = preloaded_programs.start(words, environ, full.fileno(), errors=errors.fileno())
        assert program.wait(MAX_SECONDS) == 1
        errors.seek(0)
        (line,) = errors.read().splitlines()
    return line
