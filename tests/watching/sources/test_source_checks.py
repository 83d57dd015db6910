"""The check of a new query by the parser of its source, before it is stored."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.api.service import current_settings
from app.core.database import db
from app.core.http.errors import DeadlineError
from app.core.unchanged import UNCHANGED
from app.watching.sources import source_checks
from app.watching.sources.source_checks import (
    ACCOUNT_BUSY,
    CHECKS_BUSY,
    MAX_CHECKS,
    check_source,
    new_query_problem,
)
from app.watching.sources.source_records import NoSuchSourceError, QuerySettings, SourceSettings
from tests.support.api import Api, first_defect
from tests.support.fake_prometheus import error, respond
from tests.support.keys import ACTOR
from tests.support.many_webhooks import add_account
from tests.support.watching import put_source
from tests.watching.sources.source_queries import ACCOUNT, make_query, query

HANGING_SECONDS = 10  # far beyond the timeout of the check
WORDS = "2:5: parse error: unexpected <op:*>"


@pytest.fixture
def caller(app, key):
    return Api(app, key)


def put(caller, promql, **settings):
    path = "/sources/prod/queries/rate"
    return caller.send("PUT", path, {"query": promql, "step": 60, **settings})


@pytest.mark.parametrize(("status", "kind"), [(400, "bad_data"), (422, "422")])
def test_a_query_that_the_source_cannot_parse_is_rejected_with_its_words(
    server, caller, status, kind
) -> None:
    server.behave = error(status, kind, WORDS)
    field, issue, provided = first_defect(put(caller, "sum(*"), 422)
    assert (field, provided) == ("query", "sum(*")
    assert issue == f"{kind}: 1:5: parse error: unexpected <op:*>"
    server.behave = None
    assert put(caller, "up").status_code == 201


@pytest.mark.parametrize("failure", [error(500, "internal", "x"), error(503, "timeout", "x")])
def test_a_source_that_fails_rejects_no_query(server, caller, failure) -> None:
    server.behave = failure
    assert put(caller, "up").status_code == 201


def test_a_source_that_hangs_delays_a_query_by_a_bounded_time(server, caller) -> None:
    may_respond = threading.Event()
    server.behave = lambda _handler: may_respond.wait(HANGING_SECONDS)
    began = time.monotonic()
    assert put(caller, "up").status_code == 201
    assert time.monotonic() - began < HANGING_SECONDS
    may_respond.set()


def test_a_query_that_stays_is_not_parsed_again(server, caller) -> None:
    make_query(query="up")
    server.behave = error(400, "bad_data", WORDS)
    assert put(caller, "up", alert_severity=70).status_code == 200
    assert query().settings.alert_severity == 70


def test_a_query_of_an_unknown_source_is_unknown(context) -> None:
    with pytest.raises(NoSuchSourceError):
        new_query_problem(current_settings(), ACCOUNT, "nowhere", "rate", "up")


def test_servers_that_hang_hold_no_more_than_the_slots_of_their_accounts(app, server, context):
    accounts = [add_account(db.engine, f"hanging {number}") for number in range(MAX_CHECKS)]
    started, ended = threading.Semaphore(0), threading.Event()

    def hang(_handler) -> None:
        started.release()
        ended.wait(HANGING_SECONDS)

    server.behave = hang
    for account in accounts:
        put_source(ACTOR, account, "prod", SourceSettings(server.url, UNCHANGED, None, []))

    def check_account(account):
        with app.app_context():
            return check_source(current_settings(), account, "prod").problem

    *hanging, last = accounts
    with ThreadPoolExecutor(MAX_CHECKS) as threads:
        checks = [threads.submit(check_account, account) for account in hanging]
        for _ in hanging:
            assert started.acquire(timeout=HANGING_SECONDS)
        assert check_account(hanging[0]) == ACCOUNT_BUSY
        server.behave = None
        assert check_account(last) is None
        server.behave = hang
        checks.append(threads.submit(check_account, last))
        assert started.acquire(timeout=HANGING_SECONDS)
        assert check_account(ACCOUNT) == CHECKS_BUSY
        ended.set()
    server.behave = None
    assert [check.result() is not None for check in checks] == [True] * MAX_CHECKS
    assert [check_account(account) for account in accounts] == [None] * MAX_CHECKS


def test_a_preview_ends_with_the_newest_step_that_a_poll_would_read(server, now) -> None:
    server.add_series(lambda _at: 1.0, n="a")
    delay = 600
    asked = QuerySettings(query="up", step=60, delay=delay, max_series=10)
    preview = source_checks.preview_query(
        current_settings(), ACCOUNT, "prod", asked, lambda *_: DeadlineError("late")
    )
    assert preview.problem == "late"
    ((_, end),) = server.ranges()
    assert end == (now().timestamp() - delay) // 60 * 60


def test_a_replay_waits_for_the_first_response_no_longer_than_a_check(server, monkeypatch) -> None:
    may_respond = threading.Event()
    monkeypatch.setattr(source_checks, "MAX_CHECK_SECONDS", 0.3)
    server.behave = lambda _handler: may_respond.wait(HANGING_SECONDS)
    with (
        source_checks.open_check_client(current_settings(), ACCOUNT, "prod", 20.0) as prometheus,
        pytest.raises(DeadlineError, match=r"within 0\.3 s"),
    ):
        prometheus.clock_offset_seconds()
    may_respond.set()


def test_a_server_that_has_responded_has_more_time_for_a_long_range(server, monkeypatch) -> None:
    is_late = threading.Event()
    monkeypatch.setattr(source_checks, "MAX_CHECK_SECONDS", 1.0)
    with source_checks.open_check_client(current_settings(), ACCOUNT, "prod", 20.0) as prometheus:
        prometheus.clock_offset_seconds()
        server.behave = lambda handler: is_late.wait(1.2) or respond(handler, b"{}")
        assert prometheus.query_range_response("up", 0, 60, 60).status == 200


def test_a_source_that_redirects_its_version_is_checked_without_it(server, app, key) -> None:
    response = {"status": "success", "data": {"resultType": "scalar", "result": [0, "1"]}}

    def redirect_version(handler) -> None:
        if handler.command == "GET":
            respond(handler, b"", 302, Location="/login")
        else:
            respond(handler, json.dumps(response).encode())

    server.behave = redirect_version
    put_source(ACTOR, ACCOUNT, "prod", SourceSettings(server.url, UNCHANGED, None, []))
    with app.app_context():
        check = check_source(current_settings(), ACCOUNT, "prod")
    assert (check.problem, check.version) == (None, None)
