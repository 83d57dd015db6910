"""Forecast one series, or many with few requests: ``forecast`` of both clients."""

import csv
import io
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, Unpack
from urllib.parse import urlencode

import httpx

from forecast_client import calls
from forecast_client.calls import Call
from forecast_client.errors import DataError, ForecastError, InvalidRequestError, as_forecast_error
from forecast_client.many import DEFAULT_CONCURRENCY, Many
from forecast_client.models import Model, model_id
from forecast_client.parallel_calls import ParallelCalls, not_sent
from forecast_client.results import Forecast, parse_record
from forecast_client.retries import Flow, Plan, Retries
from forecast_client.series import LOCAL_LENGTH, PreparedSeries, Reading, SeriesLike, prepare

MAX_SERIES, MAX_POINTS = 1_000, 100_000  # a request has to end within a minute
ARGUMENTS = ("horizon", "model", "confidence", "holidays")
Outcomes = dict[Hashable, Forecast | ForecastError]
Part = dict[Hashable, PreparedSeries]


def forecast(
    data: SeriesLike,
    horizon: int,
    *,
    model: Model | None = None,
    confidence: float | None = None,
    holidays: str | None = None,
    id_column: Any = None,
    **reading: Unpack[Reading],
) -> Call[Any] | Plan[Any]:
    """Forecast the next ``horizon`` points of a series, or of each of many.

    ``client.forecast(sales, horizon=12, confidence=0.9).frame``
    ``client.forecast(frame, horizon=12, id_column="store")["Vienna"].median``

    Args:
        data: A pandas Series, a DataFrame of one series, or a pair of timestamps and values. Many
            series are a long DataFrame (of pandas or polars) with ``id_column``, or with its ids
            and times as a MultiIndex; a wide one with its times in the index; or a dictionary of
            series by id. They are sent a thousand at a time.
        horizon: 1 to 100 points.
        model: ``General``, ``Fast``, ``Seasonal`` or ``Robust``; 1 to 4; or an id. None: General.
        confidence: Probability of the interval, 0.1 to 0.99; None: 0.95.
        holidays: The public holidays for daily and hourly data: the ISO 3166 code of a country or
            subdivision, such as ``AU-VIC``; ``none`` for no holidays. None: Christmas, New Year and
            Easter for daily data.
        id_column: The column of ids of a long DataFrame, or a list of several.
        reading: How ``data`` are read, see ``prepare``.

    Returns:
        A ``Forecast``, or of many series ``Many`` forecasts.

    Raises:
        DataError: The data cannot be sent as they are.
        ForecastError: See ``forecast_client.errors``.
    """
    options: dict[str, Any] = {"model": model, "confidence": confidence, "holidays": holidays}
    if id_column is None and not _has_many_series(data, reading):
        return calls.forecast(data, horizon, **options, **reading)
    return _plan_table_forecast(data, horizon, options, id_column, reading)


def _has_many_series(data: Any, reading: Reading) -> bool:
    if isinstance(data, Mapping):
        return True
    if not hasattr(data, "columns") or {"time_column", "value_column"} & {*reading}:
        return False
    from forecast_client import frames  # with pandas, which is slow to import

    return frames.has_many_series(data)


def _plan_table_forecast(
    data: Any, horizon: int, options: dict[str, Any], id_column: Any, reading: Reading
) -> Plan[Many[Forecast]]:
    from forecast_client import frames  # with pandas, which is slow to import

    data, id_column = frames.with_ids(data, id_column)
    columns = reading.get("time_column"), reading.get("value_column")
    order: list[Hashable] = []
    prepared: Part = {}
    invalid: Outcomes = {}
    _, named_data = frames.split(data, id_column, *columns)
    for name, series in named_data:
        order.append(name)
        try:
            prepared[name] = prepare(series, **reading)
        except Exception as error:  # an error in one series must not fail the others
            invalid[name] = as_forecast_error(error)

    def plan(retries: Retries) -> Flow[Many[Forecast]]:
        outcomes = {**invalid}  # a plan may be run repeatedly
        stop_error: ForecastError | None = None
        for part in _parts(prepared):
            if stop_error is not None:
                outcomes.update(dict.fromkeys(part, not_sent(stop_error)))
                continue
            try:
                yield from _forecast_part(part, horizon, options, retries, outcomes)
            except ForecastError as error:
                if not any(isinstance(outcome, Forecast) for outcome in outcomes.values()):
                    raise
                stop_error = error
                outcomes.update(dict.fromkeys(part.keys() - outcomes.keys(), error))
        results: dict[Hashable, Forecast] = {}
        errors: dict[Hashable, ForecastError] = {}
        for name in order:
            outcome = outcomes[name]
            if isinstance(outcome, Forecast):
                results[name] = outcome
            else:
                errors[name] = outcome
        return Many(results, errors, "id" if id_column is None else id_column)

    return plan


def _parts(prepared: Part) -> Iterator[Part]:
    """Split series into requests: of one step, and all in UTC or none."""
    groups: dict[Any, list[Hashable]] = {}
    for name, series in prepared.items():
        zone = series.timestamps[0][LOCAL_LENGTH:]
        groups.setdefault((series.frequency, series.step, zone), []).append(name)
    for names in groups.values():
        longest = max(len(prepared[name].values) for name in names)
        count = max(1, min(MAX_SERIES, MAX_POINTS // longest))
        for start in range(0, len(names), count):
            yield {name: prepared[name] for name in names[start : start + count]}


def _forecast_part(
    part: Part, horizon: int, options: dict[str, Any], retries: Retries, outcomes: Outcomes
) -> Flow[None]:
    """Add the outcomes of series, by one request, or by several if that is too much work for one.

    Series that a table cannot express, such as those with offsets, are sent one by one.
    """
    zone = next(iter(part.values())).timestamps[0][LOCAL_LENGTH:]
    if len(part) > 1 and zone in {"", "Z"}:
        try:
            outcomes |= yield from retries.flow(_table_call(part, horizon, options))
            return
        except InvalidRequestError as error:
            if error.field in ARGUMENTS:
                raise
            if error.field is None and len(part) > 2:
                items, middle = [*part.items()], len(part) // 2
                for half in (items[:middle], items[middle:]):
                    yield from _forecast_part(dict(half), horizon, options, retries, outcomes)
                return
    jobs = ((name, calls.forecast(series, horizon, **options)) for name, series in part.items())
    parallel = ParallelCalls(jobs, retries, min(DEFAULT_CONCURRENCY, len(part)), lambda: None)
    yield from parallel.run()
    outcomes |= parallel.results
    outcomes |= parallel.errors


def _table_call(part: Part, horizon: int, options: dict[str, Any]) -> Call[Outcomes]:
    model, holidays = options["model"], options["holidays"]
    chosen = model_id("General" if model is None else model)
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(("series", "timestamp", "value"))
    for number, series in enumerate(part.values()):
        rows = zip(series.timestamps, series.values, strict=True)
        writer.writerows((f"s{number}", *row) for row in rows)
    query = calls.without_none(
        horizon=horizon,
        model=chosen,
        confidence=options["confidence"],
        holidays=holidays,
        layout="long",
        dates="timestamp",
        columns="value",
        until=max(series.timestamps[-1] for series in part.values())[:10],
    )

    def read(response: httpx.Response) -> Outcomes:
        by_name = {entry["name"]: entry for entry in response.json()["series"]}
        numbered = enumerate(part.items())
        return {
            name: _result(by_name.get(f"s{n}"), name, series, chosen)
            for n, (name, series) in numbered
        }

    headers = {"Content-Type": "text/csv", "Accept": "application/json"}
    path = f"/tables/forecast?{urlencode(query)}"
    return Call("POST", path, read, file.getvalue().encode(), headers)


def _result(
    body: calls.Json | None, name: Hashable, series: PreparedSeries, model: str
) -> Forecast | ForecastError:
    if body is None:
        return DataError(f"the response lacks the series {name!r}: send it again")
    if body["problem"]:
        return DataError(body["problem"])
    others = {"timestamps": body["forecast_timestamps"], "notices": tuple(body["notices"])}
    return parse_record(Forecast, body, **others, model_id=model, series=series)
