"""The client against a live service, which accepts all requests and is understood."""

import asyncio
import datetime as dt
import math
from collections.abc import Iterator

import pandas as pd
import pytest

from conftest import Service
from forecast_client import (
    AsyncForecastClient,
    AuthenticationError,
    ForecastClient,
    InvalidRequestError,
    Limit,
    NotFoundError,
    PermissionDeniedError,
    Prepared,
    ServiceConnectionError,
)
from tests.support.series import airline_body, daily_body
from tests.support.services import free_port

MONTHLY = airline_body()["series"][0]
PASSENGERS = Prepared(MONTHLY["timestamps"], MONTHLY["values"], "Monthly")
NEXT = "1961-01-01T00:00:00"
START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


@pytest.fixture(scope="module")
def account(service: Service) -> str:
    """A key of an account that no other file uses."""
    return service.new_key()


@pytest.fixture
def client(service: Service, account: str) -> Iterator[ForecastClient]:
    with ForecastClient(service.url, account) as connected:
        yield connected


def days(points: int, spike: int | None = None) -> Prepared:
    """Return a daily series with a weekly period, and perhaps a spike."""
    series = daily_body(points)["series"][0]
    values = [value + 500 * (index == spike) for index, value in enumerate(series["values"])]
    return Prepared(series["timestamps"], values, "Daily")


def minutes(first: int, count: int) -> tuple[list[str], list[float]]:
    """Return the points of a monitor, a minute apart."""
    times = [START + dt.timedelta(minutes=first + minute) for minute in range(count)]
    values = [50 + 5 * math.sin(minute) for minute in range(first, first + count)]
    return [time.strftime("%Y-%m-%dT%H:%M:%SZ") for time in times], values


def test_a_forecast_has_the_horizon_and_its_interval(client: ForecastClient) -> None:
    result = client.forecast(PASSENGERS, 12, model=2, confidence=0.8)
    assert result.timestamps[0] == NEXT
    assert len(result.timestamps) == 12
    assert result.model_id == "forecast-model-2"
    bands = zip(result.lower_bound, result.median, result.upper_bound, strict=True)
    assert all(lower < median < upper for lower, median, upper in bands)
    assert repr(result) == f"Forecast(12 points from {NEXT}, forecast-model-2)"


def test_an_anomaly_is_found_where_it_is(client: ForecastClient) -> None:
    result = client.anomalies(days(80, spike=60), false_alarm_rate=0.01, direction="up")
    assert result.is_anomaly[60]
    assert result.events[0].kind == "spike"
    assert result.events[0].start == result.timestamps[60]
    last = client.anomalies(days(80, spike=79), detect="last")
    assert last.is_anomaly == [True]
    assert list(last.frame["value"]) == [days(80, spike=79).values[-1]]


def test_a_backtest_ranks_the_models_beside_seasonal_naive(client: ForecastClient) -> None:
    result = client.backtest(PASSENGERS, 6, models=[2, "forecast-model-3"], windows=2)
    ids = [score.model_id for score in result.models]
    assert set(ids) == {"forecast-model-2", "forecast-model-3", "seasonal_naive"}
    assert [score.rank for score in result.models] == [1, 2, 3]
    assert result.best_model in ids
    assert list(result.frame.index) == ids
    assert result.frame["mae"].is_monotonic_increasing
    assert len(result.windows) == 2
    for window in result.windows:
        assert len(window.actual) == len(window.timestamps) == 6
        assert {len(band.median) for band in window.forecasts.values()} == {6}
        assert set(window.forecasts) == set(ids)


def test_a_monitor_is_put_fed_read_and_deleted(client: ForecastClient) -> None:
    monitors = client.monitors
    until = dt.datetime(2099, 1, 1, tzinfo=dt.UTC)
    made = monitors.put(
        "life",
        "Minutes",
        direction="up",
        alert_severity=75,
        alert_min_deviation=2,
        muted_until=until,
    )
    assert (made.state, made.reason, made.step, made.last_point) == ("learning", "new", 1, None)
    assert (made.alert_severity, made.alert_min_deviation, made.muted_until) == (75, 2, until)
    first = monitors.append("life", minutes(0, 3))
    assert first.status == ["learning"] * 3
    second = monitors.append("life", minutes(2, 2))
    assert second.status == ["duplicate", "learning"]
    shown = monitors.get("life")
    assert shown.points == 4
    assert shown.last_point is not None
    assert shown.last_point.timestamp == "2026-01-01T00:03:00Z"
    assert [monitor.name for monitor in monitors.list()] == ["life"]
    assert [point.value for point in monitors.points("life")] == minutes(0, 4)[1]
    assert list(monitors.events("life")) == []
    monitors.delete("life")
    with pytest.raises(NotFoundError, match="life"):
        monitors.get("life")


def test_a_monitor_is_forecast_with_its_limit(client: ForecastClient) -> None:
    times, _ = minutes(0, 40)
    made = client.monitors.put("disk", "Minutes", limit={"upper": 95.5, "horizon": 30})
    assert made.limit == Limit(upper=95.5, lower=None, horizon=30, probability=0.8)
    client.monitors.append("disk", (times, [40.0 + index for index in range(40)]))
    forecast = client.monitors.forecast("disk")
    assert forecast.frame["median"].tolist() == forecast.median
    assert forecast.frame.index[[0, -1]].tolist() == [
        pd.Timestamp("2026-01-01T00:40:00Z"),
        pd.Timestamp("2026-01-01T01:09:00Z"),
    ]
    assert forecast.model_id == "forecast-model-1"
    assert forecast.reached is not None
    assert forecast.reached.upper is not None
    assert forecast.reached.upper.p50 == "2026-01-01T00:56:00Z"
    assert forecast.reached.lower is None
    assert len(client.monitors.forecast("disk", 5, confidence=0.5).median) == 5
    client.monitors.delete("disk")


def test_a_webhook_is_put_rotated_tested_and_deleted(client: ForecastClient) -> None:
    webhooks, url = client.webhooks, "https://example.com/hook"
    made = webhooks.put("ops", url)
    assert made.secret is not None
    assert (made.url, made.format, made.last_attempt) == (url, "standard", None)
    assert webhooks.put("ops", url).secret is None
    assert webhooks.rotate("ops") not in (None, made.secret)
    assert webhooks.test("ops").startswith("msg_")
    monitor = client.monitors.put("watched", "Minutes", webhook="ops")
    assert monitor.webhook == "ops"
    assert [webhook.name for webhook in webhooks.list()] == ["ops"]
    with pytest.raises(InvalidRequestError, match="ops"):
        webhooks.delete("ops")
    client.monitors.delete("watched")
    assert webhooks.put("ops", url, format="text").format == "text"
    webhooks.delete("ops")
    with pytest.raises(NotFoundError, match="ops"):
        webhooks.get("ops")


def test_a_source_and_its_query_are_put_read_and_deleted(client: ForecastClient) -> None:
    sources, url = client.sources, "https://example.com/prometheus"
    made = sources.put("prod", url, tenant="team", alertmanagers=["https://example.com/am"])
    assert (made.url, made.tenant, made.authorization) == (url, "team", None)
    assert made.alertmanagers == ("https://example.com/am",)
    query = sources.put_query("prod", "rate", "sum(rate(x[5m]))", step=60, alert_severity=75)
    assert (query.source, query.name, query.step, query.alert_severity) == ("prod", "rate", 60, 75)
    assert sources.get_query("prod", "rate") == query
    assert [query.name for query in sources.get("prod").queries] == ["rate"]
    assert [source.name for source in sources.list()] == ["prod"]
    sources.delete_query("prod", "rate")
    with pytest.raises(NotFoundError, match="rate"):
        sources.get_query("prod", "rate")
    sources.delete("prod")
    with pytest.raises(NotFoundError, match="prod"):
        sources.get("prod")


def test_more_points_than_a_request_takes_are_appended_and_read_in_pages(
    client: ForecastClient,
) -> None:
    client.monitors.put("long", "Minutes")
    times, values = minutes(0, 2_100)
    values[2_050] = 900.0
    appended = client.monitors.append("long", (times, values))
    assert appended.timestamps == times
    assert appended.is_anomaly[2_050]
    assert [event.is_alert for event in appended.events] == [True]
    assert [event.kind for event in appended.events] == ["spike"]
    assert [point.timestamp for point in client.monitors.points("long")] == times
    newest = client.monitors.points("long", newest_first=True)
    assert next(newest).timestamp == times[-1]
    (event,) = client.monitors.events("long")
    assert event.start == times[2_050]
    assert list(client.monitors.events("long", after=event.cursor)) == []
    client.monitors.delete("long")


def test_a_monitor_learns_from_a_history_of_its_step(client: ForecastClient) -> None:
    made = client.monitors.put("history", history=days(60))
    assert (made.data_frequency, made.step, made.points) == ("Daily", 1, 60)
    client.monitors.delete("history")


def test_a_key_is_created_changed_rotated_and_revoked(
    client: ForecastClient, service: Service
) -> None:
    expiry = dt.datetime(2099, 1, 1, tzinfo=dt.UTC)
    made = client.keys.create(["read"], "web shop", expiry)
    assert made.expires_at == expiry
    assert made.key is not None
    assert made.key not in repr(made)
    with ForecastClient(service.url, made.key) as other:
        assert other.verify().permissions == ("read",)
        with pytest.raises(PermissionDeniedError):
            other.keys.list()
        changed = client.keys.change(made.id, expires_at=None)
        assert (changed.label, changed.expires_at) == ("web shop", None)
        assert client.keys.change(made.id, label="shop").label == "shop"
        successor = client.keys.rotate(made.id, dt.timedelta(hours=1))
        assert successor.key is not None
        assert client.keys.get(made.id).state == "rotated"
        client.keys.revoke(made.id)
        client.keys.revoke(made.id)
        with pytest.raises(AuthenticationError):
            other.verify()
    states = {key.id: key.state for key in client.keys.list()}
    assert (states[made.id], states[successor.id]) == ("revoked", "active")


def test_an_address_without_a_service_is_reported_soon() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with (
        ForecastClient(url, "ak_1", retries=0) as client,
        pytest.raises(ServiceConnectionError) as raised,
    ):
        client.verify()
    assert url in str(raised.value)
    assert not raised.value.was_sent


async def _all_of_it(service: Service, account: str) -> None:
    async with AsyncForecastClient(service.url, account) as client:
        forecast, detection, verified = await asyncio.gather(
            client.forecast(PASSENGERS, 3, model=2), client.anomalies(days(40)), client.verify()
        )
        assert len(forecast.median) == 3
        assert len(detection.is_anomaly) == 40
        assert len(verified.permissions) == 4
        await client.monitors.put("async", "Minutes")
        await client.monitors.append("async", minutes(0, 3))
        points = [point async for point in client.monitors.points("async")]
        assert [point.value for point in points] == minutes(0, 3)[1]
        await client.monitors.delete("async")


def test_the_asynchronous_client_does_the_same(service: Service, account: str) -> None:
    asyncio.run(_all_of_it(service, account))
