"""Build the requests for forecasts, anomalies and backtests, and read their responses; no I/O."""

import dataclasses
import datetime as dt
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, Unpack

import httpx

from forecast_client.errors import DataError
from forecast_client.models import Model, model_id, model_ids
from forecast_client.results import Backtest, Detection, Forecast, Verification, parse_record
from forecast_client.series import PreparedSeries, Reading, SeriesLike, prepare

T = TypeVar("T")
Json = dict[str, Any]
UNCHANGED: Any = object()  # the default of an argument for which None is a value; it is not sent
NOTICE, MODEL, HOLIDAYS = "X-Forecast-Notice", "X-Model-Id", "X-Holidays"


@dataclass(frozen=True)
class Call(Generic[T]):
    """A request, and the function that reads its response.

    ``content``: the body, JSON unless ``headers`` say otherwise. ``is_repeatable``: it is safe to
    send it twice. ``is_absence_success``: 404 is a success.
    """

    method: str
    path: str
    read: Callable[[httpx.Response], T]
    content: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    is_repeatable: bool = True
    is_absence_success: bool = False

    def repetition(self) -> "Call[T]":
        """Return the call to send after the response to this one was lost.

        If that was a DELETE and succeeded, the next one gets 404.
        """
        if self.method == "DELETE":
            return dataclasses.replace(self, is_absence_success=True)
        return self


@dataclass(frozen=True)
class Page(Generic[T]):
    """A page of items; ``next`` is the cursor of the next page, None if there is none yet."""

    items: tuple[T, ...]
    next: int | None


@dataclass(frozen=True)
class Paged(Generic[T]):
    """Items in pages: ``call`` fetches the page after a cursor, ``after`` is the first cursor."""

    call: Callable[[int | None], Call[Page[T]]]
    after: int | None


def without_none(**members: Any) -> Json:
    """Return the members that are not None; the service has defaults for the others."""
    return {name: value for name, value in members.items() if value is not None}


def json_content(body: Json) -> bytes:
    """Serialize a body as JSON; raise DataError if a value cannot be serialized."""
    try:
        return json.dumps(body, separators=(",", ":"), allow_nan=False, default=_to_json).encode()
    except (TypeError, ValueError) as error:
        raise DataError(f"an argument cannot be sent as JSON: {error}") from error


def _to_json(value: Any) -> Any:
    """Convert numpy's numbers, without importing numpy, and times."""
    if isinstance(value, dt.datetime):
        return value.isoformat(timespec="seconds")
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{type(value).__name__} is not a number, string, list or dictionary")


def reader(kind: type[T]) -> Callable[[httpx.Response], T]:
    """Return a function that reads a response into a dataclass."""
    return lambda response: parse_record(kind, response.json())


def list_reader(kind: type[T], member: str) -> Callable[[httpx.Response], list[T]]:
    """Return a function that reads a member of a response into a list of dataclasses."""
    return lambda response: [parse_record(kind, item) for item in response.json()[member]]


def string_reader(member: str) -> Callable[[httpx.Response], str]:
    """Return a function that reads a member of a response as a string."""
    return lambda response: str(response.json()[member])


def read_nothing(response: httpx.Response) -> None:
    """Read a response without a body."""
    if response.content and response.status_code != 404:
        raise ValueError("an unexpected body")


def notices_of(response: httpx.Response) -> tuple[str, ...]:
    text = response.headers.get(NOTICE)
    return tuple(text.split("; ")) if text else ()


def series_body(series: PreparedSeries) -> Json:
    """Return the members of a request that describe a series."""
    return {
        "series": [{"timestamps": list(series.timestamps), "values": list(series.values)}],
        "data_frequency": series.frequency,
    }


def forecast(
    data: SeriesLike,
    horizon: int,
    *,
    model: Model | None = None,
    confidence: float | None = None,
    holidays: str | None = None,
    **reading: Unpack[Reading],
) -> Call[Forecast]:
    """Forecast the next ``horizon`` points of a series; see ``table_forecasts.forecast``."""
    series = prepare(data, **reading)
    headers = {} if model is None else {MODEL: model_id(model)}
    headers |= _holidays_headers(holidays)

    def read(response: httpx.Response) -> Forecast:
        body = response.json()
        return parse_record(
            Forecast,
            body,
            timestamps=body["forecast_timestamps"],
            model_id=response.headers[MODEL],
            notices=notices_of(response),
            series=series,
        )

    body = _forecast_body(series, horizon, confidence)
    return Call("POST", "/forecast", read, json_content(body), headers)


def anomalies(
    data: SeriesLike,
    *,
    detect: str | None = None,
    false_alarm_rate: float | None = None,
    direction: str | None = None,
    **reading: Unpack[Reading],
) -> Call[Detection]:
    """Find the outliers of a series.

    ``client.anomalies(sales, false_alarm_rate=0.01).events``

    Args:
        data: As for ``forecast``; at least 20 points.
        detect: ``all`` points or the ``last``; None: all.
        false_alarm_rate: Fraction of the points of a clean series that may be flagged, 0.0001 to
            0.1; None: 0.001.
        direction: Which outliers to find: ``up``, ``down`` or ``both``; None: both.
        reading: How ``data`` are read, see ``prepare``.

    Raises:
        ForecastError: See ``forecast_client.errors``.
    """
    series = prepare(data, **reading)
    options = without_none(detect=detect, false_alarm_rate=false_alarm_rate, direction=direction)
    content = json_content(series_body(series) | options)
    return Call("POST", "/anomalies", _result_reader(Detection, series), content)


def backtest(
    data: SeriesLike,
    horizon: int,
    *,
    models: Sequence[Model] | None = None,
    windows: int | None = None,
    confidence: float | None = None,
    holidays: str | None = None,
    **reading: Unpack[Reading],
) -> Call[Backtest]:
    """Forecast the past of a series with several models, and measure their errors.

    ``client.backtest(sales, horizon=6, windows=3).best_model``

    Args:
        data: As for ``forecast``.
        horizon: Points of a window, 1 to 100.
        models: Names, numbers or ids; None: all four. Seasonal naive is always added.
        windows: How many parts of the past are forecast, 1 to 10; None: 5.
        confidence: Probability of the intervals; None: 0.95.
        holidays: As for ``forecast``.
        reading: How ``data`` are read, see ``prepare``.

    Raises:
        ForecastError: See ``forecast_client.errors``.
    """
    series = prepare(data, **reading)
    ids = None if models is None else model_ids(models)
    body = _forecast_body(series, horizon, confidence) | without_none(models=ids, windows=windows)
    read = _result_reader(Backtest, series)
    return Call("POST", "/backtest", read, json_content(body), _holidays_headers(holidays))


def verify() -> Call[Verification]:
    """Return the permissions of the key and its remaining requests, without counting one."""
    return Call("GET", "/verify", lambda response: Verification.from_body(response.json()))


def _result_reader(kind: type[T], series: PreparedSeries) -> Callable[[httpx.Response], T]:
    return lambda response: parse_record(
        kind, response.json(), series=series, notices=notices_of(response)
    )


def _holidays_headers(holidays: str | None) -> dict[str, str]:
    if holidays is None:
        return {}
    if not isinstance(holidays, str) or not re.fullmatch("[A-Za-z0-9-]+", holidays):
        raise DataError(f"{holidays!r} is not a country: send AU or AU-VIC", "holidays")
    return {HOLIDAYS: holidays}


def _forecast_body(series: PreparedSeries, horizon: int, confidence: float | None) -> Json:
    return {
        **series_body(series),
        "forecast_horizon": horizon,
        "forecast_frequency": series.frequency,
        **without_none(confidence=confidence),
    }
