"""Many series: one that fails does not end the others, and all wait for the rate limit."""

import asyncio
import dataclasses
import json
import sys
import threading
from collections.abc import Callable
from typing import Any

import httpx
import numpy as np
import pandas as pd
import pytest

from forecast_client import (
    AsyncForecastClient,
    AuthenticationError,
    DataError,
    ForecastClient,
    InvalidRequestError,
    Many,
    NotSentError,
    RateLimitError,
    ServiceConnectionError,
)
from scripted import KEY, URL, ok, page, rejection

Respond = Callable[[httpx.Request, int], httpx.Response]
MONTHS = pd.date_range("2024-01-01", periods=12, freq="MS")
STORES = [f"store {number}" for number in range(40)]


def long_frame(stores: list[str] = STORES, points: int = 12) -> pd.DataFrame:
    months = pd.date_range("2024-01-01", periods=points, freq="MS")
    return pd.DataFrame(
        {
            "month": np.tile(months, len(stores)),
            "store": np.repeat(stores, points),
            "sales": np.arange(float(points * len(stores))),
        }
    )


def first_value(request: httpx.Request) -> float:
    value: float = json.loads(request.content)["series"][0]["values"][0]
    return value


def detection_of(request: httpx.Request) -> httpx.Response:
    """Return a detection in the last two points whose expected values are the first value."""
    first, times = first_value(request), json.loads(request.content)["series"][0]["timestamps"]
    columns = ("expected", "lower_bound", "upper_bound", "p_value", "severity")
    body: dict[str, Any] = {name: [first] * 2 for name in columns}
    body |= {"timestamps": times[-2:], "is_anomaly": [False] * 2}
    return ok(body | {"events": [], "change_points": [], "periods": []})


class Service:
    """Responds to clients of both kinds, and counts requests; only pauses move the clock."""

    def __init__(self, kind: str, respond: Respond) -> None:
        self.kind, self.count, self.now = kind, 0, 0.0
        self.under_way = self.most_under_way = 0
        self._respond, self._lock = respond, threading.Lock()

    def many(self, data: Any, **options: Any) -> Many[Any]:
        """Return the result of ``client.many.anomalies``."""
        mock = httpx.MockTransport(self.async_handle if self.kind == "async" else self.handle)
        kinds: dict[str, Any] = {"sync": ForecastClient, "async": AsyncForecastClient}
        client = kinds[self.kind](URL, KEY, transport=mock)
        transport = client.transport
        transport.retries = dataclasses.replace(
            transport.retries, clock=lambda: self.now, chance=lambda: 0.0
        )
        transport.sleep = self.async_sleep if self.kind == "async" else self.sleep
        result = client.many.anomalies(data, **options)
        return asyncio.run(result) if self.kind == "async" else result

    def handle(self, request: httpx.Request) -> httpx.Response:
        with self._lock:
            self.count += 1
            number = self.count
        return self._respond(request, number)

    async def async_handle(self, request: httpx.Request) -> httpx.Response:
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        await asyncio.sleep(0)
        self.under_way -= 1
        return self.handle(request)

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.now += seconds

    async def async_sleep(self, seconds: float) -> None:
        self.sleep(seconds)
        await asyncio.sleep(0)


@pytest.fixture(params=["sync", "async"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def respond_always(request: httpx.Request, _number: int) -> httpx.Response:
    return detection_of(request)


def respond_by_series(broken: dict[float, httpx.Response]) -> Respond:
    """Respond with ``broken`` to series that begin with its keys, with a detection to others."""
    return lambda request, _number: broken.get(first_value(request)) or detection_of(request)


def test_each_series_gets_its_own_result_in_the_order_of_the_data(kind: str) -> None:
    many = Service(kind, respond_always).many(long_frame(), id_column="store")
    assert list(many) == STORES
    assert [many[store].expected[0] for store in STORES] == [12.0 * n for n in range(40)]
    assert (many.errors, len(many), repr(many)) == ({}, 40, "Many(40 of 40 series, 0 failed)")


def test_frame_of_many_series_has_one_row_per_point(kind: str) -> None:
    frame = Service(kind, respond_always).many(long_frame(STORES[:2]), id_column="store").frame
    assert list(frame.columns[:5]) == ["store", "month", "value", "is_anomaly", "expected"]
    assert frame["store"].tolist() == ["store 0", "store 0", "store 1", "store 1"]
    assert frame["month"].tolist() == [*pd.to_datetime(["2024-11-01", "2024-12-01"])] * 2


def test_wide_frames_and_dictionaries_hold_many_series_too(kind: str) -> None:
    frame = long_frame(["a", "b"])
    wide = frame.pivot(index="month", columns="store", values="sales")
    series = {name: wide[name] for name in wide}
    levels = frame.set_index(["store", "month"])
    for data, options in ((wide, {}), (series, {}), (levels, {"id_column": "store"})):
        many = Service(kind, respond_always).many(data, **options)
        assert {name: result.expected[0] for name, result in many.items()} == {"a": 0.0, "b": 12.0}


def test_a_bad_series_does_not_lose_the_rest(kind: str) -> None:
    frame = long_frame(["a", "hole", "rejected", "b", "proxy"])
    frame = frame.drop(index=[15])
    rejected = rejection(422, details={"field": "series[0].values[3]", "issue": "not a number"})
    broken: dict[float, Any] = {24.0: rejected, 48.0: page(403)}
    many = Service(kind, respond_by_series(broken)).many(frame, id_column="store")
    assert list(many.results) == ["a", "b"]
    assert list(many.errors) == ["hole", "rejected", "proxy"]
    assert isinstance(many.errors["hole"], DataError)
    assert isinstance(many.errors["rejected"], InvalidRequestError)
    assert many.get("hole") is None
    assert many.get("rejected", 7) == 7
    assert many.get("nowhere") is None
    with pytest.raises(KeyError, match="hole failed, see errors: missing: 2024-04-01"):
        many["hole"]


def test_filled_gaps_are_reported_by_their_own_series(kind: str) -> None:
    frame = long_frame(["a", "hole"]).drop(index=[15])
    many = Service(kind, respond_always).many(frame, id_column="store", fill="linear")
    assert many["a"].notes == ()
    assert "1 missing point filled (linear)" in many["hole"].notes[0]


def test_a_used_up_limit_lets_all_wait_and_loses_none(kind: str) -> None:
    used_up: Any = rejection(429, Retry_After="30")
    service = Service(
        kind, lambda request, number: detection_of(request) if number % 10 else used_up
    )
    many = service.many(long_frame(), id_column="store")
    assert len(many) == 40
    assert service.count == 40 + 4
    assert service.now >= 30


def test_a_limit_that_stays_used_up_ends_all_calls(kind: str) -> None:
    used_up: Any = rejection(429, Retry_After="3600")
    service = Service(
        kind, lambda request, number: detection_of(request) if number <= 5 else used_up
    )
    many = service.many(long_frame(), id_column="store")
    assert len(many) == 5
    assert service.count <= 5 + 8
    assert service.now == 0
    kinds = {type(error) for error in many.errors.values()}
    assert kinds == {RateLimitError, NotSentError}


def test_short_waits_are_bounded_together(kind: str) -> None:
    used_up: Any = rejection(429, Retry_After="1")
    service = Service(kind, lambda _request, _number: used_up)
    assert len(service.many(long_frame(), id_column="store").errors) == 40
    assert 100 < service.now < 1_000 * 8


def test_results_are_kept_when_the_service_stops_responding(kind: str) -> None:
    def respond(request: httpx.Request, number: int) -> httpx.Response:
        if number > 20:
            raise httpx.ConnectError("refused")
        return detection_of(request)

    service = Service(kind, respond)
    many = service.many(long_frame(), id_column="store", concurrency=2)
    assert len(many) == 20
    assert service.count <= 20 + 2 * 5
    assert len(many.errors) == 20
    last = many.errors["store 39"]
    assert isinstance(last, NotSentError)
    assert isinstance(last.__cause__, ServiceConnectionError)
    assert "not sent, because" in str(last)


def test_a_wrong_key_and_a_wrong_rate_are_not_sent_a_thousand_times(kind: str) -> None:
    rate = rejection(400, details={"field": "false_alarm_rate", "issue": "Must be …"})
    key = rejection(401)
    for response, error in ((rate, InvalidRequestError), (key, AuthenticationError)):
        service = Service(kind, lambda _request, _number, given=response: given)
        many = service.many(long_frame(), id_column="store", concurrency=4)
        assert service.count <= 4
        assert {type(failure) for failure in many.errors.values()} == {error, NotSentError}


class Broken(list):
    """Data that fail in a way that no code expects."""

    def __len__(self) -> int:
        raise ZeroDivisionError("broken")


def test_an_unexpected_error_does_not_lose_the_rest(kind: str) -> None:
    def respond(request: httpx.Request, _number: int) -> httpx.Response:
        if first_value(request) == 7.0:
            raise RuntimeError("the network is upside down")
        return detection_of(request)

    good = [float(month) for month in range(12)]
    series = {"odd": Broken(), "lost": (MONTHS, [7.0] * 12), "good": (MONTHS, good)}
    many = Service(kind, respond).many(series)
    assert list(many) == ["good"]
    assert str(many.errors["odd"]) == "unexpected ZeroDivisionError: broken"
    assert isinstance(many.errors["odd"].__cause__, ZeroDivisionError)
    assert str(many.errors["lost"]) == "unexpected RuntimeError: the network is upside down"
    wide = pd.DataFrame({"odd": [object()] * 12, "good": good}, MONTHS)
    long = wide.melt(ignore_index=False, var_name="id").rename_axis("month").reset_index()
    for frame, options in ((wide, {}), (long, {"id_column": "id"})):
        assert list(Service(kind, respond).many(frame, **options)) == ["good"]


def test_a_series_that_crashes_the_service_does_not_end_the_others(kind: str) -> None:
    many = Service(kind, respond_by_series({0.0: page(502)})).many(long_frame(), id_column="store")
    assert list(many.errors) == ["store 0"]


def test_concurrency_limits_the_requests_under_way() -> None:
    service = Service("async", respond_always)
    service.many(long_frame(), id_column="store", concurrency=3)
    assert service.most_under_way == 3


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (long_frame(), {"id_column": "shop"}, "^id_column: there is no column 'shop', only 'mon"),
        (long_frame(), {}, "^id_column: which rows belong"),
        (long_frame().iloc[:0], {"id_column": "store"}, "DataFrame is empty"),
        (long_frame().assign(store=None), {"id_column": "store"}, "empty in 480 rows"),
        ({}, {}, "there is no series"),
        (pd.DataFrame([[1.0, 2.0]] * 9, MONTHS[:9], ["a", "a"]), {}, "several columns.*'a'"),
        ([1, 2], {}, "a list does not hold many series"),
        (long_frame(), {"id_column": "store", "concurrency": 0}, "whole number from 1 to 64"),
    ],
)
def test_data_that_hold_no_series_are_rejected_before_anything_is_sent(
    data: Any, options: dict[str, Any], message: str, kind: str
) -> None:
    service = Service(kind, respond_always)
    with pytest.raises(DataError, match=message):
        service.many(data, **options)
    assert service.count == 0


def test_a_bar_counts_the_series(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    Service(kind, respond_always).many(long_frame(), id_column="store", progress=True)
    assert "40/40" in capsys.readouterr().err
    Service(kind, respond_always).many(long_frame(), id_column="store")
    assert capsys.readouterr().err == ""


def test_without_tqdm_there_is_no_progress_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    many = Service("sync", respond_always).many(long_frame(), id_column="store", progress=True)
    assert len(many) == 40


def test_series_of_other_times_are_not_taken_for_the_one_before(kind: str) -> None:
    quarters = pd.Series(range(12), index=pd.date_range("2024-01-01", periods=12, freq="QS"))
    months = pd.Series(range(12), index=pd.date_range("2024-01-01", periods=12, freq="MS"))
    local = months.tz_localize("Europe/Berlin")
    data = {"a": months, "b": quarters, "c": months, "d": local, "e": months.to_period("M")}
    many = Service(kind, respond_always).many(data)
    assert [result.series.frequency for result in many.values()] == ["Monthly", "Quarterly"] + [
        "Monthly"
    ] * 3
    indexes = [str(result.frame.index.dtype) for result in many.values()]
    assert indexes[3:] == [f"datetime64[{local.index.unit}, Europe/Berlin]", "period[M]"]
