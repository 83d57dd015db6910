"""Previews of sources and queries on the dashboard."""

import datetime as dt
import gzip
import json
import re
import threading
import time
from typing import Any

import pytest
from flask import Flask

from app.compute.errors import EngineBusyError
from app.compute.jobs import ENGINE_EXTENSION, InProcessEngine, Job, call_job_function
from app.core.database import utcnow
from app.watching.sources import source_checks
from app.watching.sources.responses import SourceResponse
from app.watching.sources.source_reader import get_source
from tests.support.fake_prometheus import FakePrometheus, Handler, error, respond
from tests.support.members import Browser, text_of
from tests.web.dashboard.sources.source_pages import BAD_LABEL, NAME, SOURCE_SETTINGS, add_query


@pytest.fixture
def settings() -> dict[str, object]:
    return SOURCE_SETTINGS


def test_responses_of_a_source_are_parsed_by_an_engine_process(
    app: Flask, admin: Browser, prod: FakePrometheus
) -> None:
    asked: list[str] = []

    def run(job: Job, received: SourceResponse, *arguments: Any) -> Any:
        asked.append(job.function)
        if bomb is not None:
            received = received._replace(body=bomb, is_gzip=True)
        return call_job_function(job, received, *arguments)

    bomb = None
    app.extensions[ENGINE_EXTENSION] = InProcessEngine(run)
    prod.add_series(lambda _at: 1.0, service="checkout")
    assert "1 series" in text_of(add_query(admin, do="preview"))
    bomb = gzip.compress(b"{}," * 20_000_000)
    page = add_query(admin, do="preview")
    assert "It cannot be read: returned more than 8 MiB" in text_of(page)
    assert asked == ["app.watching.sources.responses:preview_matrix"] * 2


def test_a_busy_engine_is_reported_in_the_form_and_keeps_its_input(
    app: Flask, admin: Browser, prod: FakePrometheus
) -> None:
    def reject(_job: Job, *_arguments: Any) -> None:
        raise EngineBusyError(2.0)

    app.extensions[ENGINE_EXTENSION] = InProcessEngine(reject)
    prod.add_series(lambda _at: 1.0)
    page = add_query(admin, do="preview")
    assert "too many previews are waiting" in text_of(page)
    assert 'value="rate"' in page.text


def test_all_requests_of_a_preview_together_end_after_its_seconds(
    admin: Browser, prod: FakePrometheus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_checks, "MAX_CHECK_SECONDS", 1.0)
    prod.add_series(lambda _at: 1.0)
    has_ended = threading.Event()

    def respond_slowly(handler: Handler) -> None:
        has_ended.wait(0.4)
        path, _, form = prod.requests[-1]
        data = {"status": "success", "data": prod.data(path, form)}
        respond(handler, json.dumps(data).encode())

    prod.behave = respond_slowly
    began = time.monotonic()
    page = add_query(admin, do="preview")
    assert time.monotonic() - began < 5
    has_ended.set()
    assert "no complete response within 1 s" in text_of(page)


def test_a_preview_draws_the_last_day_of_a_query_and_stores_nothing(
    admin: Browser, prod: FakePrometheus
) -> None:
    prod.add_series(lambda at: at % 3600 / 36, service="checkout")
    gap_ends = utcnow().timestamp() - 3600
    prod.add_series(lambda at: None if at < gap_ends and at % 7200 < 3600 else 5, service=BAD_LABEL)
    page = add_query(admin, do="preview")
    assert page.status_code == 200
    assert "2 series , each a monitor" in text_of(page)
    assert re.search(r"service=checkout \d\S* to 9\d", text_of(page))
    assert page.text.count('<path d="M') == 2
    assert "service=&lt;script&gt;alert(1)" in page.text
    assert "<script>alert" not in page.text
    assert 'value="rate"' in page.text
    assert get_source(1, NAME).queries == {}
    start, end = prod.ranges()[-1]
    assert end - start == pytest.approx(86_400, abs=600)


def test_a_preview_of_a_young_series_begins_with_its_first_value(
    admin: Browser, prod: FakePrometheus
) -> None:
    started = utcnow().timestamp() - 2 * 3_600
    prod.add_series(lambda at: at % 60 if at > started else None, service="checkout")
    page = text_of(add_query(admin, do="preview"))
    start, end = re.findall(r"(\d+ \w+ \d{4}, \d\d:\d\d)", page)[:2]
    first, last = (dt.datetime.strptime(text, "%d %b %Y, %H:%M") for text in (start, end))
    assert dt.timedelta(hours=1.5) < last - first <= dt.timedelta(hours=2)
    assert "a value every 5 minutes (a day has too many at its step of 1 minute)" in page


def test_a_query_with_10_000_series_says_so_and_reads_none(
    admin: Browser, prod: FakePrometheus
) -> None:
    for number in range(10_000):
        prod.add_series(lambda _at: 1.0, pod=f"p-{number}")
    page = add_query(admin, do="preview")
    assert "10,000 series: more than the 100 allowed" in text_of(page)
    assert prod.ranges() == []
    assert len(page.data) < 20_000


def test_a_query_that_the_server_rejects_says_why(admin: Browser, prod: FakePrometheus) -> None:
    prod.behave = error(400, "bad_data", "parse error: unexpected end of input")
    assert "bad_data: parse error: unexpected end of input" in text_of(
        add_query(admin, do="preview")
    )


def test_no_more_than_some_previews_take_threads_from_others(
    admin: Browser, prod: FakePrometheus, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = {*range(2, 2 + source_checks.MAX_CHECKS)}
    for busy, problem in (({1}, "of this account is running"), (others, "8 other accounts")):
        monkeypatch.setattr(source_checks, "_accounts_with_check", busy)
        assert problem in text_of(add_query(admin, do="preview"))
    monkeypatch.setattr(source_checks, "_accounts_with_check", {2})
    prod.add_series(lambda _at: 1.0)
    assert "1 series" in text_of(add_query(admin, do="preview"))
