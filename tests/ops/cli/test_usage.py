"""`flask usage show`: what it prints, as a table, JSON or CSV."""

import csv
import io

import pytest

from tests.support.cli import attempt, run, run_failing, run_json
from tests.support.keys import make_account, post, record_of, verify
from tests.support.usage import flush

COLUMNS = ["start", "key_id", "prefix", "endpoint", "status_class", "calls"]
pytestmark = pytest.mark.usefixtures("each_database")


@pytest.fixture
def used_key(app, client, key):
    """A key that was used three times."""
    verify(client, key)
    verify(client, key)
    post(client, key)
    flush(app)
    return record_of(app, key)


@pytest.mark.parametrize("words", [(), ("--since", "7d"), ("--since", "2020-01-01T00:00:00Z")])
def test_calls_of_an_account_are_shown_by_hour(app, used_key, words) -> None:
    rows = run_json(app, "usage", "show", "default", *words)
    assert [list(row) for row in rows] == [COLUMNS] * 2
    assert sorted((row["endpoint"], row["status_class"], row["calls"]) for row in rows) == [
        ("GET /verify", "2xx", 2),
        ("POST /forecast", "4xx", 1),
    ]
    assert {(row["key_id"], row["prefix"]) for row in rows} == {(used_key.id, used_key.prefix)}


def test_the_table_and_the_csv_say_what_the_json_says(app, used_key) -> None:
    words = ("usage", "show", "default", "--interval", "day")
    rows = [{name: str(value) for name, value in row.items()} for row in run_json(app, *words)]
    assert [*csv.DictReader(io.StringIO(run(app, *words, "--csv")))] == rows
    head, *lines = run(app, *words).splitlines()
    assert head.split() == COLUMNS
    assert [line.replace("T /", "T:/").split()[-1] for line in lines] == [
        row["calls"] for row in rows
    ]
    assert all(row["start"].endswith("T00:00:00Z") for row in rows)


def test_an_account_without_calls_and_a_time_before_them_show_none(app, used_key) -> None:
    make_account(app, "quiet", None)
    assert run_json(app, "usage", "show", "quiet") == []
    assert run(app, "usage", "show", "quiet", "--csv").splitlines() == [",".join(COLUMNS)]


def test_a_rejected_listing_of_usage_is_one_line(app) -> None:
    assert "no account" in run_failing(app, "usage", "show", "nobody")
    assert "is not a duration" in run_failing(app, "usage", "show", "default", "--since", "soon")
    assert "is not a time in ISO 8601" in run_failing(
        app, "usage", "show", "default", "--since", "2026-13-01"
    )
    assert "is negative" in run_failing(app, "usage", "show", "default", "--since", "-7d")
    assert "before the year 1" in run_failing(app, "usage", "show", "default", "--since", "999999d")
    assert "not both" in run_failing(app, "usage", "show", "default", "--json", "--csv")


def test_help_lists_the_values(app) -> None:
    help_text = attempt(app, "usage", "show", "--help").output
    assert "[hour|day]" in help_text
    assert "2027-01-31T00:00:00Z" in help_text
