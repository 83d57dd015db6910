"""A slot in the engine's queue: acquired before a request counts, and always released."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from flask import Flask

from app.compute import jobs
from app.compute.errors import EngineBusyError
from app.compute.jobs import ENGINE_EXTENSION, Cost, InProcessEngine, Job
from app.watching.monitors.queries.stored_history import LIMIT_FORECAST_JOB
from tests.conftest import MakeKey
from tests.support.api import RATE_LIMIT_HEADERS, Api, error_of, with_entry
from tests.support.monitors import LEARNED, Monitor, noise_at_100, points
from tests.support.series import daily_body, regular_body

GOOD = daily_body()
TABLE = b"day,sales\n2024-01-01,1\n2024-01-02,2\n"
MAX_BODY = 4 * 1024 * 1024
LARGE_BODIES: dict[str, tuple[int, Callable[[Api, Flask], Any]]] = {
    "no JSON": (400, lambda caller, _: caller.forecast(b"{")),
    "wrong data": (422, lambda caller, _: caller.forecast(with_entry(GOOD, "values", 3, None))),
    "too long a body": (413, lambda caller, _: caller.forecast(b" " * 5_000_000)),
}


@dataclass
class Engine:
    """An engine in this process that records its slots, and rejects jobs while it is ``busy``."""

    busy: float | None = None
    acquired: list[tuple[Cost, int]] = field(default_factory=list)
    ran: list[Cost] = field(default_factory=list)
    tenants: list[str] = field(default_factory=list)
    limits: list[float | None] = field(default_factory=list)
    released: int = 0

    def acquire_slot(self, cost: Cost, size: int, tenant: str = "") -> "Engine":
        self.tenants.append(tenant)
        if self.busy is not None:
            raise EngineBusyError(self.busy)
        self.acquired.append((cost, size))
        return self

    def run(
        self,
        job: Job,
        *arguments: Any,
        cost: Cost,
        timeout_seconds: float | None = None,
        tenant: str = "",
    ) -> Any:
        self.ran.append(cost)
        self.limits.append(timeout_seconds)
        return jobs.call_job_function(job, *arguments)

    def release(self) -> None:
        self.released += 1


@pytest.fixture
def engine(app: Flask) -> Engine:
    app.extensions[ENGINE_EXTENSION] = Engine()
    return app.extensions[ENGINE_EXTENSION]


@pytest.mark.parametrize(("seconds", "retry_after"), [(0.0, "1"), (5.2, "6")])
def test_a_rejection_says_when_the_queue_will_be_empty(
    isolated_api: Api, engine: Engine, seconds: float, retry_after: str
) -> None:
    engine.busy = seconds
    response = isolated_api.forecast(GOOD)
    issue = f"too many forecasts are waiting; send the request again in {retry_after} s"
    assert error_of(response, 503)["details"] == {"issue": issue}
    assert response.headers["Retry-After"] == retry_after


def test_a_rejection_to_learn_names_histories(app: Flask, isolated_api: Api) -> None:
    def reject(*_arguments: Any) -> None:
        raise EngineBusyError

    app.extensions[ENGINE_EXTENSION] = InProcessEngine(reject)
    response = Monitor(isolated_api, "cpu").put(series=[points(noise_at_100(LEARNED))])
    assert error_of(response, 503)["details"]["issue"].startswith("too many histories are waiting")


def test_a_rejection_reads_no_body_and_counts_nothing(
    app: Flask, isolated_api: Api, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under overload a rejection must cost no more than the lookup of the key."""
    from app.api.callers.limiter import COUNTERS_EXTENSION

    before = isolated_api.verify().get_json()["rateLimit"]["remaining"]
    engine.busy = 6.0
    with monkeypatch.context() as broken:
        for name in ("acquire", "read"):
            broken.setattr(app.extensions[COUNTERS_EXTENSION].store, name, None)
        responses = [
            isolated_api.forecast(b"{ not read"),
            Api(app).request("POST", "/read", b"not read"),
        ]
        for response in responses:
            error_of(response, 503)
            assert all(name in response.headers for name in RATE_LIMIT_HEADERS)
    assert isolated_api.verify().get_json()["rateLimit"]["remaining"] == before


def test_a_busy_service_rejects_a_wrong_key_or_permission_first(
    app: Flask, make_key: MakeKey, engine: Engine
) -> None:
    engine.busy = 6.0
    error_of(Api(app).forecast(GOOD), 401)
    error_of(Api(app, "ak_" + "0" * 64).forecast(GOOD), 401)
    error_of(Api(app, make_key("write")).forecast(GOOD), 403)
    assert engine.tenants == []


def test_a_slot_belongs_to_the_account_or_without_a_key_to_the_address(
    app: Flask, isolated_api: Api, engine: Engine
) -> None:
    assert isolated_api.forecast(GOOD).status_code == 200
    for caller in (isolated_api, Api(app)):
        caller.request("POST", "/read", TABLE, Content_Type="text/csv")
    of_account, of_account_too, of_address = engine.tenants
    assert of_account.startswith("account:")
    assert of_account_too == of_account
    assert of_address == "address:127.0.0.1"


@pytest.mark.parametrize(("status", "send"), LARGE_BODIES.values(), ids=LARGE_BODIES.keys())
def test_a_rejected_request_releases_its_slot(
    app: Flask, isolated_api: Api, engine: Engine, status: int, send: Callable[[Api, Flask], Any]
) -> None:
    error_of(send(isolated_api, app), status)
    assert (len(engine.acquired), engine.released, engine.ran) == (1, 1, [])


def test_a_forecast_runs_in_the_slot_that_it_acquired(isolated_api: Api, engine: Engine) -> None:
    assert isolated_api.forecast(GOOD).status_code == 200
    assert (len(engine.acquired), len(engine.ran), engine.released) == (1, 1, 0)


def test_requests_that_need_no_engine_acquire_no_slot(isolated_api: Api, engine: Engine) -> None:
    engine.busy = 6.0
    assert isolated_api.verify().status_code == 200
    error_of(isolated_api.request("GET", "/forecast"), 405)
    error_of(isolated_api.request("POST", "/nowhere"), 404)


def test_the_size_of_a_body_is_known_before_it_is_read(isolated_api: Api, engine: Engine) -> None:
    body = b"{" + b" " * 99
    error_of(isolated_api.forecast(body), 400)
    error_of(isolated_api.forecast(body, Content_Length=None, Transfer_Encoding="chunked"), 400)
    error_of(isolated_api.forecast(b" " * 5_000_000), 413)
    assert [size for _, size in engine.acquired] == [100, MAX_BODY, MAX_BODY]


def test_a_request_without_a_body_reserves_no_memory_and_no_time_for_one(
    isolated_api: Api, engine: Engine
) -> None:
    error_of(isolated_api.request("GET", "/monitors/none/forecast"), 404)
    ((cost, size),) = engine.acquired
    assert (size, cost.guessed_seconds) == (0, LIMIT_FORECAST_JOB.guessed_seconds)


def test_longer_requests_are_expected_to_take_longer(isolated_api: Api, engine: Engine) -> None:
    for count in (30, 3000):
        assert isolated_api.backtest(regular_body("Hours", count)).status_code in (200, 422)
    (short, _), (long, _) = engine.acquired
    assert long.guessed_seconds > short.guessed_seconds
    assert long.kind != short.kind


def test_a_backtest_costs_what_its_models_and_windows_cost(
    isolated_api: Api, engine: Engine
) -> None:
    body = regular_body("Hours", 400) | {"forecast_horizon": 5}
    small = body | {"models": ["forecast-model-2"], "windows": 1}
    for sent in (small, body):
        assert isolated_api.backtest(sent).status_code == 200
    few, usual = engine.ran
    assert usual.guessed_seconds > few.guessed_seconds
    # As if they were 20 points and 400.
    assert (few.kind, usual.kind) == ("backtest 5", "backtest 9")


def test_a_monitors_long_forecast_is_expected_to_take_longer(
    isolated_api: Api, engine: Engine
) -> None:
    body = regular_body("Hours", 30)
    learned = {"data_frequency": "Hours", "series": body["series"]}
    assert isolated_api.send("PUT", "/monitors/disk", learned).status_code == 201
    engine.ran.clear()
    for horizon in (100, 1_000):
        path = f"/monitors/disk/forecast?horizon={horizon}"
        assert isolated_api.request("GET", path).status_code == 200
    short, long = engine.ran
    assert long.guessed_seconds > 5 * short.guessed_seconds
    assert long.kind != short.kind


def test_the_models_are_kinds_of_their_own(isolated_api: Api, engine: Engine) -> None:
    for model in ("forecast-model-1", "forecast-model-2"):
        assert isolated_api.forecast(GOOD, X_Model_Id=model).status_code == 200
    assert len({cost.kind for cost in engine.ran}) == 2


@pytest.mark.parametrize(("size", "counted"), [(100, 1), (64 * 1024 + 1, 2), (MAX_BODY, 64)])
def test_a_table_without_a_key_counts_by_its_bytes(
    app: Flask, engine: Engine, size: int, counted: int
) -> None:
    """Twelve of the largest tables a minute leave room for requests for pages."""
    content = TABLE + b"2024-01-03,3\n" + b" " * size
    response = Api(app).request("POST", "/read", content[:size], Content_Type="text/csv")
    limit, left = (int(response.headers[f"X-RateLimit-{name}"]) for name in ("Limit", "Remaining"))
    assert limit - left == counted
    assert limit > 12 * 64


def test_only_a_table_that_takes_its_whole_time_is_to_blame_for_that(
    app: Flask, engine: Engine, isolated_api: Api
) -> None:
    Api(app).request("POST", "/read", TABLE, Content_Type="text/csv")
    isolated_api.forecast(GOOD)
    assert engine.limits == [20.0, None]


class TestFewPages:
    """With a page budget below the cost of one table."""

    @pytest.fixture
    def settings(self) -> dict[str, object]:
        return {"pages_per_minute": 3}

    def test_a_table_counts_as_all_of_them_and_is_read(self, app: Flask) -> None:
        content = TABLE + b" " * 1_000_000
        statuses = [
            Api(app).request("POST", "/read", content, Content_Type="text/csv").status_code
            for _ in range(2)
        ]
        assert statuses == [200, 429]
