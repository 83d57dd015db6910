"""GET /metrics: what happens is counted once, under labels of our own, for allowed addresses."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from flask import Flask

from app.compute.errors import EngineBusyError, EngineFailedError
from app.compute.jobs import ENGINE_EXTENSION, InProcessEngine
from app.core import instruments
from app.core import metric_files as processes
from app.forecasting.model_ids import DEFAULT_MODEL
from app.forecasting.models.recipes import MODELS
from tests.support.api import Api, error_of, make_engine_fail, with_entry
from tests.support.keys import make_account, record_of
from tests.support.metrics import Counts, read, rises
from tests.support.monitors import Monitor
from tests.support.series import daily_body

GOOD = daily_body()
Risen = Callable[[], Counts]
FORECAST = "{method=POST,route=/forecast,status=%d}"


def scrape(app: Flask, **headers: str) -> Counts:
    """Return the counts, as loopback gets them."""
    response = Api(app).request("GET", "/metrics", **headers)
    assert response.status_code == 200, response.get_data(as_text=True)
    return read(response.get_data(as_text=True))


@pytest.fixture
def rises_of(app: Flask) -> Risen:
    """What has risen since the test began, without the scrape itself."""
    before = scrape(app)

    def rises_since_start() -> Counts:
        return {n: c for n, c in rises(before, scrape(app)).items() if "/metrics" not in n}

    return rises_since_start


def requests(method: str, route: str, status: int) -> Counts:
    """Return one more response of a route."""
    return {
        f"forecast_http_requests_total{{method={method},route={route},status={status}}}": 1,
        f"forecast_http_request_duration_seconds_count{{route={route}}}": 1,
    }


def test_a_forecast_is_counted_with_its_time_and_its_points(
    isolated_api: Api, rises_of: Risen
) -> None:
    isolated_api.forecast(GOOD)
    assert rises_of() == {
        **requests("POST", "/forecast", 200),
        "forecast_series_points_count": 1,
        "forecast_engine_duration_seconds_count{engine_job=forecast-model-2}": 1,
    }


def test_the_points_of_a_series_fall_into_their_bucket(app: Flask, isolated_api: Api) -> None:
    before = scrape(app)
    isolated_api.forecast(daily_body(40))
    after = scrape(app)
    grown = {n for n in after if n.startswith("forecast_series_points_bucket")}
    grown = {n for n in grown if after[n] > before[n]}
    assert "forecast_series_points_bucket{le=50.0}" in grown
    assert "forecast_series_points_bucket{le=20.0}" not in grown
    assert after["forecast_series_points_sum"] - before["forecast_series_points_sum"] == 40


def test_rejected_requests_count_under_their_status_and_not_as_forecasts(
    isolated_api: Api, rises_of: Risen
) -> None:
    isolated_api.forecast({})
    isolated_api.forecast(with_entry(GOOD, "values", 3, None))
    isolated_api.verify()
    assert rises_of() == {
        "forecast_http_requests_total" + FORECAST % 400: 1,
        "forecast_http_requests_total" + FORECAST % 422: 1,
        "forecast_http_request_duration_seconds_count{route=/forecast}": 2,
        **requests("GET", "/verify", 200),
    }


def test_failed_authentications_are_counted_by_reason(app: Flask, rises_of: Risen) -> None:
    Api(app).verify()
    Api(app, "ak_" + "0" * 64).forecast(GOOD)
    assert rises_of() == {
        **requests("GET", "/verify", 401),
        **requests("POST", "/forecast", 401),
        "forecast_authentication_failures_total{reason=missing}": 1,
        "forecast_authentication_failures_total{reason=refused}": 1,
    }


@pytest.mark.parametrize(("tier", "custom"), [("free", ()), ("enterprise", (1, 1, 1))])
def test_a_limit_rejection_counts_under_the_tier(
    app: Flask, make_key: Callable, tier: str, custom: tuple[int, ...]
) -> None:
    make_account(app, "small", tier, *custom)
    caller = Api(app, make_key("read", account_name="small"))
    for _ in range(custom[0] if custom else 10):
        caller.forecast({})
    before = scrape(app)
    error_of(caller.forecast({}), 429)
    grown = rises(before, scrape(app))
    assert grown[f"forecast_limit_refusals_total{{tier={tier}}}"] == 1


def test_a_limit_rejection_without_a_tier_counts_under_the_level(
    app: Flask, key: str, rises_of: Risen
) -> None:
    for _ in range(101):
        Api(app, key).forecast({})
    assert rises_of()["forecast_limit_refusals_total{tier=Read/Write}"] == 1


def test_a_rejected_address_counts_as_anonymous(app: Flask, rises_of: Risen) -> None:
    for _ in range(62):
        Api(app).verify()
    assert rises_of()["forecast_limit_refusals_total{tier=anonymous}"] == 2


def test_a_fallback_is_counted_under_the_model_asked_for(
    isolated_api: Api, rises_of: Risen, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object) -> None:
        raise ArithmeticError

    monkeypatch.setitem(MODELS, "forecast-model-2", SimpleNamespace(fit=fail))
    assert "could not be fitted" in isolated_api.forecast(GOOD).headers["X-Forecast-Notice"]
    assert rises_of()["forecast_fallbacks_total{engine_job=forecast-model-2}"] == 1


def test_a_fallback_of_a_monitors_forecast_is_counted(
    isolated_api: Api, rises_of: Risen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monitor = Monitor.create(isolated_api)
    monitor.append([float(value) for value in range(30)])

    def fail(*_arguments: object) -> None:
        raise ArithmeticError

    monkeypatch.setitem(MODELS, DEFAULT_MODEL, SimpleNamespace(fit=fail))
    monitor.get("/forecast")
    assert rises_of()["forecast_fallbacks_total{engine_job=monitor forecast}"] == 1


def test_a_busy_engine_counts_as_rejection_and_a_failed_one_as_failure(
    app: Flask, isolated_api: Api, rises_of: Risen
) -> None:
    make_engine_fail(app, EngineBusyError())
    error_of(isolated_api.forecast(GOOD), 503)
    make_engine_fail(app, EngineFailedError("gone"))
    error_of(isolated_api.forecast(GOOD), 500)
    grown = rises_of()
    assert grown["forecast_engine_refusals_total"] == 1
    assert grown["forecast_engine_failures_total{engine_job=forecast-model-2}"] == 1
    assert "forecast_engine_duration_seconds_count{engine_job=forecast-model-2}" not in grown
    assert "forecast_engine_jobs_in_flight" not in grown


def test_the_expected_wait_is_current_and_kept_while_unknown(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = app.extensions[ENGINE_EXTENSION] = InProcessEngine()
    for expected, reported in ((4.5, 4.5), (None, 4.5), (0.0, 0.0)):
        monkeypatch.setattr(
            InProcessEngine, "expected_wait_seconds", lambda _, expected=expected: expected
        )
        assert engine.expected_wait_seconds() == expected
        assert scrape(app)["forecast_engine_wait_seconds"] == reported


def test_requests_in_flight_are_those_that_are_being_handled(app: Flask, isolated_api: Api) -> None:
    seen: list[Counts] = []

    def compute(*_arguments: object) -> None:
        seen.append(scrape(app))
        raise EngineBusyError

    app.extensions[ENGINE_EXTENSION] = InProcessEngine(compute)
    isolated_api.forecast(GOOD)
    (within,) = seen
    after = scrape(app)
    name = "forecast_http_requests_in_flight"
    assert within[name] - after[name] == 1  # both scrapes are requests themselves
    assert within["forecast_engine_jobs_in_flight"] - after["forecast_engine_jobs_in_flight"] == 1


def test_nothing_that_a_client_sends_becomes_a_label(app: Flask, key: str, rises_of: Risen) -> None:
    before = set(scrape(app))
    Api(app, key).request("BREW", "/secret-path", X_Model_Id="my-model", X_Request_Id="my-id")
    Api(app, key).request("GET", "/forecast/42?a=b")
    Api(app, key).forecast(GOOD, X_Model_Id="my-model")
    Api(app, "ak_bad").verify()
    text = str(set(scrape(app)) - before)
    for sent in ("BREW", "secret", "my-", "42", key[:8], "ak_", "127.0.0.1"):
        assert sent not in text
    assert "{method=other,route=unmatched,status=404}" in str(rises_of())


def test_a_database_that_fails_is_counted(
    app: Flask, isolated_api: Api, rises_of: Risen, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sqlalchemy.exc import OperationalError

    from app.api.callers import current_caller

    def fail_to_connect(*_arguments: object, **_options: object) -> None:
        raise OperationalError("", {}, Exception())

    monkeypatch.setattr(current_caller, "authenticate", fail_to_connect)
    error_of(isolated_api.verify(), 500)
    assert rises_of()["forecast_key_store_failures_total"] == 1


@pytest.fixture
def all_stores_available() -> None:
    """No application of another test has left the process without its limit store."""
    instruments.LIMIT_STORE_UNAVAILABLE.set(0)


@pytest.mark.usefixtures("all_stores_available")
def test_a_limit_store_that_is_unavailable_shows_until_it_responds_again(
    app: Flask, isolated_api: Api, rises_of: Risen, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.api.callers.limiter import COUNTERS_EXTENSION
    from app.identity.limits import fallback

    def fail_to_connect(_budget: object, _cost: int) -> None:
        raise ConnectionError

    monkeypatch.setattr(fallback, "RETRY_PAUSE_SECONDS", 0)
    with monkeypatch.context() as broken:
        broken.setattr(app.extensions[COUNTERS_EXTENSION].store, "acquire", fail_to_connect)
        assert isolated_api.forecast(GOOD).status_code == 200
    grown = rises_of()
    assert grown["forecast_limit_store_failures_total"] == 1
    assert grown["forecast_limit_store_away"] == 1
    assert isolated_api.forecast(GOOD).status_code == 200
    assert "forecast_limit_store_away" not in rises_of()


def test_counters_of_events_that_have_not_happened_are_0(app: Flask) -> None:
    counts = scrape(app)
    for tier in ("free", "standard", "premium", "enterprise", "Read Only", "anonymous"):
        assert f"forecast_limit_refusals_total{{tier={tier}}}" in counts
    for model in range(1, 5):
        assert f"forecast_fallbacks_total{{engine_job=forecast-model-{model}}}" in counts


def test_scrapes_need_no_key_and_use_up_nothing(app: Flask, key: str) -> None:
    for _ in range(3):
        Api(app, key).request("GET", "/metrics")
    assert record_of(app, key).usage_count == 0
    assert Api(app).verify().headers["X-RateLimit-Remaining"] == "59"


@pytest.mark.parametrize("wanted", ["text/plain", "application/openmetrics-text"])
def test_the_format_is_the_one_that_is_asked_for(app: Flask, wanted: str) -> None:
    response = Api(app).request("GET", "/metrics", Accept=f"{wanted};version=1.0.0")
    assert response.mimetype == wanted


def test_a_file_that_a_worker_is_just_making_does_not_fail_the_scrape(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "counter_3.db").touch()
    (tmp_path / "gauge_livesum_3.db").write_bytes(bytes(4096))
    monkeypatch.setenv(processes.FOLDER_VARIABLE, str(tmp_path))
    assert list(processes.collect_metrics().collect()) == []
