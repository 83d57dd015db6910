"""Many series are forecast by a few requests, with the same results as separately."""

import types
from typing import Any

import httpx
import numpy as np
import pandas as pd
import pytest

from forecast_client import (
    AuthenticationError,
    DataError,
    ForecastClient,
    InvalidRequestError,
    Many,
    NotSentError,
    ServerError,
)
from scripted import KEY, URL

MONTHS = pd.date_range("2021-01-01", periods=36, freq="MS")


def sales(stores: list[str]) -> pd.DataFrame:
    steps = np.arange(36.0)
    return pd.concat(
        pd.DataFrame({"month": MONTHS, "store": store, "sales": 100 * n + steps + steps % 12})
        for n, store in enumerate(stores, 1)
    )


class Counted(httpx.HTTPTransport):
    """Counts the requests by their paths."""

    def __init__(self) -> None:
        super().__init__()
        self.paths: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.paths.append(request.url.path)
        return super().handle_request(request)


@pytest.fixture
def counting_service(service: Any) -> Any:
    transport = Counted()
    with ForecastClient(service.url, service.key, transport=transport) as client:
        yield client, transport.paths


def test_many_series_in_one_request_get_the_forecasts_of_single_requests(
    counting_service: Any,
) -> None:
    client, paths = counting_service
    frame = sales(["North, the first", "South", "=West"])
    many = client.forecast(frame, 3, id_column="store", model="Fast", confidence=0.8)
    assert paths == ["/tables/forecast"]
    assert list(many) == ["North, the first", "South", "=West"]
    for store, forecast in many.items():
        single = client.forecast(
            frame[frame["store"] == store], 3, value_column="sales", model="Fast", confidence=0.8
        )
        assert forecast.timestamps == single.timestamps
        assert forecast.median == pytest.approx(single.median)
        assert forecast.lower_bound == pytest.approx(single.lower_bound)
        assert forecast.model_id == single.model_id
    assert list(many.frame.columns[:2]) == ["store", "month"]


def test_times_in_a_zone_that_changes_its_clocks_are_sent_one_by_one(counting_service: Any) -> None:
    client, paths = counting_service
    hours = pd.date_range("2024-03-29", periods=96, freq="h", tz="Europe/Berlin")
    wide = pd.DataFrame({"a": np.arange(96.0), "b": np.arange(96.0) % 24}, index=hours)
    many = client.forecast(wide, 2, model="Fast")
    assert many["a"].frame.index[0] == hours[-1] + pd.Timedelta(hours=1)
    assert len(paths) <= 2


@pytest.mark.parametrize("form", ["two columns", "levels", "wide", "dictionary", "polars"])
def test_ids_are_two_columns_or_levels_or_names_or_a_frame_of_polars(
    counting_service: Any, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, paths = counting_service
    frame = sales(["a", "b"]).assign(country="AT")
    wide = frame.pivot(index="month", columns="store", values="sales")
    polars = types.new_class("DataFrame")
    polars.__module__ = "polars.dataframe.frame"
    polars.columns = property(lambda self: list(frame.columns))  # type: ignore[attr-defined]
    polars.to_dict = lambda self, as_series: frame.to_dict("list")  # type: ignore[attr-defined]
    data, options, ids = {
        "two columns": (frame, {"id_column": ["country", "store"]}, [("AT", "a"), ("AT", "b")]),
        "levels": (frame.set_index(["country", "store", "month"]), {}, [("AT", "a"), ("AT", "b")]),
        "wide": (wide, {}, ["a", "b"]),
        "dictionary": ({name: wide[name] for name in wide}, {}, ["a", "b"]),
        "polars": (polars(), {"id_column": "store", "value_column": "sales"}, ["a", "b"]),
    }[form]
    many = client.forecast(data, 2, model="Fast", **options)
    assert list(many) == ids
    assert paths == ["/tables/forecast"]


def test_a_series_that_cannot_be_sent_does_not_lose_the_others(counting_service: Any) -> None:
    client, _paths = counting_service
    frame = sales(["a", "hole", "b"]).reset_index(drop=True).drop(index=[40])
    many = client.forecast(frame, 2, id_column="store", model="Fast")
    assert list(many) == ["a", "b"]
    assert isinstance(many.errors["hole"], DataError)


@pytest.mark.parametrize(
    ("options", "argument"), [({"horizon": 0}, "horizon"), ({"confidence": 2}, "confidence")]
)
def test_a_rejected_argument_is_named(
    counting_service: Any, options: dict[str, Any], argument: str
) -> None:
    client, paths = counting_service
    with pytest.raises(InvalidRequestError) as rejected:
        client.forecast(sales(["a", "b"]), **{"horizon": 2, "id_column": "store"} | options)
    assert rejected.value.field == argument
    assert len(paths) == 1


def test_too_much_work_for_a_request_is_halved() -> None:
    sent: list[int] = []

    def respond(request: httpx.Request) -> httpx.Response:
        sent.append(len(names_in(request)))
        if sent[-1] > 2:
            error = {"code": "CODE", "message": "No", "details": {"issue": "Too much work"}}
            return httpx.Response(422, json={"error": error})
        return table_response(request)

    client = ForecastClient(URL, KEY, transport=httpx.MockTransport(respond))
    many: Many[Any] = client.forecast(sales([*"abcd"]), 1, id_column="store")
    assert list(many) == [*"abcd"]
    assert sent == [4, 2, 2]


def test_forecasts_made_before_a_request_failed_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forecast_client.table_forecasts.MAX_SERIES", 2)
    sent: list[int] = []

    def respond(request: httpx.Request) -> httpx.Response:
        sent.append(1)
        if len(sent) > 1:
            return httpx.Response(500, json={"error": {"code": "CODE", "message": "No"}})
        return table_response(request)

    client = ForecastClient(URL, KEY, transport=httpx.MockTransport(respond))
    many: Many[Any] = client.forecast(sales([*"abcdef"]), 1, id_column="store")
    assert list(many) == [*"ab"]
    assert [type(error) for error in many.errors.values()] == [ServerError] * 2 + [NotSentError] * 2
    assert len(sent) == 2


def test_the_first_half_of_a_request_is_kept_if_the_second_fails() -> None:
    sent: list[int] = []

    def respond(request: httpx.Request) -> httpx.Response:
        sent.append(len(names_in(request)))
        if sent == [4]:
            error = {"code": "CODE", "message": "No", "details": {"issue": "Too much work"}}
            return httpx.Response(422, json={"error": error})
        if len(sent) > 2:
            return httpx.Response(500, json={"error": {"code": "CODE", "message": "No"}})
        return table_response(request)

    client = ForecastClient(URL, KEY, transport=httpx.MockTransport(respond))
    many: Many[Any] = client.forecast(sales([*"abcd"]), 1, id_column="store")
    assert list(many) == [*"ab"]
    assert [*many.errors] == [*"cd"]
    assert sent == [4, 2, 2]


def test_an_error_before_any_forecast_is_raised() -> None:
    rejection = httpx.Response(401, json={"error": {"code": "CODE", "message": "No"}})
    client = ForecastClient(URL, KEY, transport=httpx.MockTransport(lambda _request: rejection))
    with pytest.raises(AuthenticationError):
        client.forecast(sales([*"abcd"]), 1, id_column="store")


def names_in(request: httpx.Request) -> list[str]:
    """Return the names of the series in a request."""
    return sorted({line.split(",")[0] for line in request.content.decode().splitlines()[1:]})


def table_response(request: httpx.Request) -> httpx.Response:
    """Return a forecast of one step for each series of a request."""
    numbers = {"median": [1.0], "lower_bound": [0.0], "upper_bound": [2.0]}
    times = {"forecast_timestamps": ["2024-01-01T00:00:00"], "notices": [], "problem": None}
    series = [{"name": name} | numbers | times for name in names_in(request)]
    return httpx.Response(200, json={"series": series})
