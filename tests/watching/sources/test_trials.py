"""What a source's own parser says of a new query, before it is stored."""

import threading
import time

import pytest

from app.api.current_settings import current_settings
from app.watching.sources.records import NoSuchSourceError
from app.watching.sources.trials import new_query_problem
from tests.support.api import Api, first_defect
from tests.support.prometheus import error
from tests.watching.sources.asking import ACCOUNT, ask, query

HANGING_SECONDS = 10  # far longer than a query may be parsed
WORDS = "2:5: parse error: unexpected <op:*>"


@pytest.fixture
def caller(app, key):
    return Api(app, key)


def put(caller, promql, **settings):
    path = "/sources/prod/queries/rate"
    return caller.send("PUT", path, {"query": promql, "step": 60, **settings})


@pytest.mark.parametrize(("status", "kind"), [(400, "bad_data"), (422, "422")])
def test_a_query_that_the_source_cannot_parse_is_refused_with_its_words(
    server, caller, status, kind
):
    server.behave = error(status, kind, WORDS)
    field, issue, provided = first_defect(put(caller, "sum(*"), 422)
    assert (field, provided) == ("query", "sum(*")
    assert issue == f"{kind}: 1:5: parse error: unexpected <op:*>"
    server.behave = None
    assert put(caller, "up").status_code == 201


@pytest.mark.parametrize("failure", [error(500, "internal", "x"), error(503, "timeout", "x")])
def test_a_source_that_fails_refuses_no_query(server, caller, failure):
    server.behave = failure
    assert put(caller, "up").status_code == 201


def test_a_source_that_hangs_delays_a_query_by_a_bounded_time(server, caller):
    is_answered = threading.Event()
    server.behave = lambda _handler: is_answered.wait(HANGING_SECONDS)
    began = time.monotonic()
    assert put(caller, "up").status_code == 201
    assert time.monotonic() - began < HANGING_SECONDS
    is_answered.set()


def test_a_query_that_stays_is_not_parsed_again(server, caller):
    ask(query="up")
    server.behave = error(400, "bad_data", WORDS)
    assert put(caller, "up", alert_severity=70).status_code == 200
    assert query().settings.alert_severity == 70


def test_a_query_of_an_unknown_source_is_unknown(context):
    with pytest.raises(NoSuchSourceError):
        new_query_problem(current_settings(), ACCOUNT, "nowhere", "rate", "up")
