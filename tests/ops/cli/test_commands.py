"""The admin's commands, as a shell sees them: what they print, what they change."""

import datetime as dt
import re

import orjson
import pytest

from tests.support.cli import LISTED, run, run_json
from tests.support.keys import post, remaining_requests, verify

KEY = re.compile(r"ak_[0-9a-f]{64}")
pytestmark = pytest.mark.usefixtures("each_database")


def new_key(app, *words):
    """Create a key by command and return it."""
    return run(app, "keys", "create", "--permissions", "read", "--quiet", *words).strip()


def shown_key(app, key_id):
    """Return what `keys show` prints, by name."""
    lines = run(app, "keys", "show", str(key_id)).splitlines()
    return dict(re.split(r":\s+", line, maxsplit=1) for line in lines)


@pytest.mark.parametrize(
    ("options", "tier", "limits"),
    [
        ("--tier free", "free", [10, 100, 1_000]),
        ("--tier standard", "standard", [100, 1_000, 50_000]),
        ("--tier premium", "premium", [500, 5_000, 250_000]),
        ("--tier enterprise --per-minute 7 --per-hour 8 --per-day 9", "enterprise", [7, 8, 9]),
    ],
)
def test_an_account_of_each_tier_has_and_lists_its_limits(app, client, options, tier, limits):
    run(app, "accounts", "create", "acme", *options.split())
    account = run_json(app, "accounts", "list")[1]
    assert list(account.values()) == [2, "acme", tier, *limits, "active"]
    assert remaining_requests(client, new_key(app, "--account", "acme")) == limits[0]


def test_an_account_without_a_tier_lists_no_limits_because_its_keys_have_their_own(app, client):
    assert run(app, "accounts", "list").splitlines()[1].split() == [
        "1", "default", *"----", "active"
    ]  # fmt: skip
    assert remaining_requests(client, new_key(app)) == 50


def test_a_change_of_tier_holds_from_the_next_request_on(app, client) -> None:
    run(app, "accounts", "create", "acme", "--tier", "free")
    key = new_key(app, "--account", "acme")
    post(client, key)
    run(app, "accounts", "set-tier", "acme", "standard")
    assert remaining_requests(client, key) == 99
    custom = ("--per-minute", "5", "--per-hour", "50", "--per-day", "500")
    run(app, "accounts", "set-tier", "acme", "enterprise", *custom)
    assert remaining_requests(client, key) == 4


def test_quiet_prints_only_the_key_and_it_works(app, client) -> None:
    printed = run(app, "keys", "create", "--permissions", "read,write", "--quiet")
    assert KEY.fullmatch(printed.removesuffix("\n"))
    assert verify(client, printed.strip()).get_json()["apiKey"]["permissions"] == ["read", "write"]


def test_a_key_is_printed_once_and_never_again(app, client) -> None:
    printed = run(app, "keys", "create", "--permissions", "read", "--label", "batch")
    (key,) = KEY.findall(printed)
    assert verify(client, key).status_code == 200
    later = [run(app, "keys", "list"), run(app, "keys", "list", "--json"), str(shown_key(app, 1))]
    assert not [text for text in later if KEY.search(text) or key[3:] in text]


def test_the_list_shows_what_the_dashboard_would(app, client) -> None:
    run(app, "accounts", "create", "acme")
    key = new_key(
        app, "--account", "acme", "--label", "batch", "--expires-at", "2099-01-31T00:00:00Z"
    )
    verify(client, key)
    (row,) = run_json(app, "keys", "list")
    assert list(row) == LISTED
    last_used = dt.datetime.fromisoformat(row.pop("last_used_at"))
    assert abs(dt.datetime.now(dt.UTC) - last_used) < dt.timedelta(seconds=30)
    assert row == {
        "id": 1,
        "prefix": key[: len(row["prefix"])],
        "account": "acme",
        "label": "batch",
        "permissions": ["read"],
        "state": "active",
        "usage_count": 1,
        "shared_usage_count": 1,
        "expires_at": "2099-01-31T00:00:00Z",
    }


def test_the_table_has_a_line_a_key_under_a_line_of_names(app) -> None:
    new_key(app)
    new_key(app, "--label", "two words")
    lines = run(app, "keys", "list").splitlines()
    assert lines[0].split() == LISTED
    assert [line.split()[0] for line in lines[1:]] == ["1", "2"]
    assert "two words" in lines[2]


def test_lists_can_be_of_one_account_and_of_nothing(app) -> None:
    run(app, "accounts", "create", "acme")
    new_key(app)
    assert run_json(app, "keys", "list", "--account", "acme") == []
    new_key(app, "--account", "acme")
    assert [row["id"] for row in run_json(app, "keys", "list", "--account", "acme")] == [2]
    assert len(run_json(app, "keys", "list")) == 2


def test_expiry_can_be_given_as_a_moment_or_as_a_length(app) -> None:
    for moment in ("2099-01-31T02:00:00+02:00", "2099-01-31T00:00:00", "2099-01-31"):
        new_key(app, "--expires-at", moment)
    new_key(app, "--expires-in", "90d")
    *moments, length = [row["expires_at"] for row in run_json(app, "keys", "list")]
    assert moments == ["2099-01-31T00:00:00Z"] * 3
    in_90_days = dt.datetime.now(dt.UTC) + dt.timedelta(days=90)
    assert abs(dt.datetime.fromisoformat(length) - in_90_days) < dt.timedelta(seconds=30)


@pytest.mark.parametrize(
    ("length", "seconds"), [("90s", 90), ("5m", 300), ("24h", 86_400), ("2d", 172_800)]
)
def test_every_unit_of_a_grace_is_understood(app, length, seconds) -> None:
    new_key(app)
    run(app, "keys", "rotate", "1", "--grace", length)
    ends = dt.datetime.fromisoformat(shown_key(app, 1)["grace_ends_at"])
    expected = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=seconds)
    assert abs(ends - expected) < dt.timedelta(seconds=30)


def test_rotation_prints_a_successor_and_the_old_key_continues_for_a_day(app, client) -> None:
    old = new_key(app, "--label", "batch")
    new = run(app, "keys", "rotate", "1", "--quiet").strip()
    assert KEY.fullmatch(new)
    assert [verify(client, key).status_code for key in (old, new)] == [200, 200]
    rows = run_json(app, "keys", "list")
    assert [(row["id"], row["state"], row["label"]) for row in rows] == [
        (1, "rotated", "batch"),
        (2, "active", "batch"),
    ]
    ends = dt.datetime.fromisoformat(shown_key(app, 1)["grace_ends_at"])
    tomorrow = dt.datetime.now(dt.UTC) + dt.timedelta(hours=24)
    assert abs(ends - tomorrow) < dt.timedelta(seconds=30)
    assert shown_key(app, 1)["successor_id"] == "2"


def test_revocation_says_so_and_holds_immediately(app, client) -> None:
    key = new_key(app)
    assert "revoked" in run(app, "keys", "revoke", "1")
    assert verify(client, key).status_code == 401
    assert run_json(app, "keys", "list")[0]["state"] == "revoked"


def test_show_knows_more_than_the_list(app) -> None:
    new_key(app)
    names = set(shown_key(app, 1))
    assert names >= {*LISTED, "created_at", "grace_ends_at", "revoked_at", "shared_last_used_at"}


def test_usage_is_shared_over_a_rotation_and_each_key_keeps_its_own(app, client) -> None:
    old, other = new_key(app), new_key(app)
    for _ in range(3):
        verify(client, old)
    new = run(app, "keys", "rotate", "1", "--quiet").strip()
    for key in (old, new, new, other):
        verify(client, key)
    rows = run_json(app, "keys", "list")
    counts = {row["id"]: (row["usage_count"], row["shared_usage_count"]) for row in rows}
    assert counts == {1: (4, 6), 2: (1, 1), 3: (2, 6)}
    last_uses = {shown_key(app, key_id)["shared_last_used_at"] for key_id in (1, 3)}
    assert last_uses == {shown_key(app, 3)["last_used_at"]}


def test_show_names_the_key_before_and_the_key_after_a_rotation(app) -> None:
    new_key(app)
    run(app, "keys", "rotate", "1")
    run(app, "keys", "rotate", "2")
    chain = [
        (shown_key(app, n)["predecessor_id"], shown_key(app, n)["successor_id"]) for n in (1, 2, 3)
    ]
    assert chain == [("-", "2"), ("1", "3"), ("2", "-")]
    assert run_json(app, "keys", "show", "2")["predecessor_id"] == 1


def test_lists_are_json_for_programs_with_nothing_else_on_stdout(app) -> None:
    new_key(app, "--label", 'Zoë\'s "日本" \\ 1')
    rows = orjson.loads(run(app, "keys", "list", "--json"))
    assert rows[0]["label"] == 'Zoë\'s "日本" \\ 1'
