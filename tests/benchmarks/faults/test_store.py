"""The server before Prometheus, whose clock is set."""

import email.utils

import httpx

from benchmarks.faults.shop import BEGIN
from benchmarks.faults.store import serve_at_time
from tests.support.fake_prometheus import fake_prometheus


def test_responses_pass_with_the_date_that_is_set() -> None:
    with fake_prometheus(lambda: 0.0) as fake, serve_at_time(fake.url, lambda: BEGIN) as url:
        fake.add_series(float, run="calm")
        form = {"query": "x", "start": "60", "end": "120", "step": "60"}
        received = httpx.post(f"{url}/api/v1/query_range", data=form, trust_env=False)
    assert email.utils.parsedate_to_datetime(received.headers["Date"]).timestamp() == BEGIN
    (series,) = received.json()["data"]["result"]
    assert series == {"metric": {"run": "calm"}, "values": [[60, "60.0"], [120, "120.0"]]}
