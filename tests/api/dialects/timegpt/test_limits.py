"""The cost of a call of many series: one request for 100 forecasts or 50,000 points.

A forecast of more than 100 steps counts as several.
"""

import pytest
from flask import Flask
from sqlalchemy import select

from app.api.callers.usage import flusher_of
from app.api.computing.batch_cost import POINTS_PER_REQUEST
from app.api.computing.batches import OutOfTimeError
from app.api.dialects.timegpt import computing
from app.core.database import db
from app.identity.usage.models import UsageHour
from tests.api.dialects.timegpt.calls import PREFIX, Body, body, post
from tests.support.api import Api, details_of, error_of
from tests.support.keys import change_tier, make_account
from tests.support.stores import database_url, storage_uri, store_kind

__all__ = ["database_url", "storage_uri", "store_kind"]

SHORT = [1.0, 2.0]


COSTS: dict[str, tuple[int, str, Body]] = {
    "two series": (1, "forecast", body()),
    "100 series": (1, "forecast", body(*[SHORT] * 100)),
    "101 series": (2, "forecast", body(*[SHORT] * 101)),
    "200 steps of 50 series": (1, "forecast", body(*[SHORT] * 50, h=200)),
    "201 steps of 34 series": (2, "forecast", body(*[SHORT] * 34, h=201)),
    "100 steps after a null of 51 series": (2, "forecast", body(*[[*SHORT, None]] * 51, h=100)),
    "two windows of 101 steps of 26 series": (
        2,
        "cross_validation",
        body(*[[1.0] * 103] * 26, n_windows=2, h=101, step_size=1),
    ),
    "100,000 points": (2, "forecast", body([1.0] * 50_000, [1.0] * 50_000)),
    "three windows of 40 series": (
        2,
        "cross_validation",
        body(*[[1.0] * 9] * 40, n_windows=3, h=2),
    ),
    "the history of 50 series": (
        2,
        "cross_validation",
        body(*[[1.0] * 20] * 50, full_history=True),
    ),
    "a detection of 250 series": (3, "anomaly_detection", body(*[SHORT] * 250, level=99)),
    "ten steps of 20 series": (
        2,
        "online_anomaly_detection",
        body(*[[1.0] * 20] * 20, level=99, h=1, detection_size=10),
    ),
}


@pytest.mark.parametrize("kind", COSTS)
def test_a_call_costs_what_it_computes(isolated_api: Api, kind: str) -> None:
    cost, task, sent = COSTS[kind]
    response = post(isolated_api, task, sent)
    assert response.status_code == 200
    assert isolated_api.remaining() == 100 - cost
    assert response.headers["X-RateLimit-Remaining"] == f"{100 - cost}"
    used = isolated_api.request("GET", f"{PREFIX}usage").get_json()
    assert used["minute"] == {"usage": cost, "limit": 100}


def call_of(requests: int) -> Body:
    """Return a call that costs this many requests, with one long, quick series for each."""
    return body(*[[1.0] * POINTS_PER_REQUEST] * requests)


class TestInEveryStore:
    @pytest.fixture
    def settings(self, storage_uri: str) -> dict[str, object]:
        return {"ratelimit_storage_uri": storage_uri}

    @pytest.fixture
    def caller(self, app: Flask, make_key) -> Api:
        """A caller with a limit of 5 requests a minute and 100 an hour."""
        return Api(
            app,
            make_key("read", account_name=make_account(app, "acme", "enterprise", 5, 100, 1000)),
        )

    def test_a_call_above_what_is_left_costs_one_request_and_gets_retry_after(
        self, caller: Api
    ) -> None:
        assert post(caller, "forecast", call_of(3)).status_code == 200
        assert caller.remaining() == 2
        response = post(caller, "forecast", call_of(3))
        assert details_of(response, 429)["limit"] == 5
        assert response.get_json()["detail"].startswith("Rate limit exceeded: 5 requests a minute")
        assert caller.remaining() == 1
        assert post(caller, "forecast", call_of(1)).status_code == 200
        assert caller.remaining() == 0

    def test_a_call_above_the_limit_is_rejected_with_the_number_of_parts_to_send(
        self, caller: Api
    ) -> None:
        response = post(caller, "forecast", body(*[SHORT] * 1_201))
        issue = details_of(response, 422)["issue"]
        assert "costs 13 requests (1,201 forecasts of up to 100 steps, 2,402 points)" in issue
        assert "5 a minute" in issue
        assert issue.endswith(": 3 or more")
        assert caller.remaining() == 4


def test_a_call_counts_against_the_hour_too(app: Flask, make_key) -> None:
    account = make_account(app, "acme", "enterprise", 100, 4, 1_000)
    caller = Api(app, make_key("read", account_name=account))
    assert post(caller, "forecast", call_of(3)).status_code == 200
    change_tier(app, account, "enterprise", 100, 5, 1_000)
    error_of(post(caller, "forecast", call_of(3)), 429)
    used = caller.request("GET", f"{PREFIX}usage").get_json()
    assert used["hour"] == {"usage": 4, "limit": 5}
    assert used["minute"] == {"usage": 4, "limit": 100}


@pytest.mark.parametrize(("share", "percent", "partitions"), [(0.44, 44, 28), (0.0, 1, 1_200)])
def test_too_much_work_is_rejected_with_the_number_of_partitions_to_send(
    api: Api, monkeypatch: pytest.MonkeyPatch, share: float, percent: int, partitions: int
) -> None:
    """The SDK sends ten partitions at once, and each of them gets a tenth of the engines."""

    def take_too_long(*_arguments: object) -> None:
        raise OutOfTimeError(share, 50)

    monkeypatch.setattr(computing, "run_batch_job", take_too_long)
    issue = details_of(post(api, "forecast", body()), 422)["issue"]
    assert f"about {percent} % can be computed in 50 s" in issue
    assert issue.endswith(f": {partitions} or more")


def test_an_invalid_call_costs_one_request(isolated_api: Api) -> None:
    error_of(post(isolated_api, "forecast", body(h=0)), 422)
    error_of(post(isolated_api, "finetune", {}), 422)
    assert isolated_api.remaining() == 98


@pytest.mark.parametrize(
    ("sent", "status", "cost"), [(body(*[SHORT] * 201), 200, 3), (body(SHORT, h=0), 422, 1)]
)
def test_usage_counts_what_the_call_costs_and_a_rejected_one_as_a_request(
    app: Flask, isolated_api: Api, sent: Body, status: int, cost: int
) -> None:
    assert post(isolated_api, "forecast", sent).status_code == status
    flusher_of(app).flush()
    with app.app_context(), db.engine.connect() as connection:
        counts = connection.execute(select(UsageHour.calls)).scalars().all()
    assert counts == [cost]
