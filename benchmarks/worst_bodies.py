"""The requests of `benchmarks.worst_requests`: the largest accepted, the nastiest rejected.

What is rejected is sent wherever there is a body. What is accepted is different for each endpoint,
so each with a body has an entry in `ACCEPTED`.
"""

import datetime as dt
import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import orjson
import zstandard

from app.api.dialects.timegpt import bounds
from app.api.endpoints.endpoint import Endpoint
from app.api.responses.json import Json
from app.core.settings import SETTINGS
from app.forecasting.backtest.windows import MAX_WINDOWS
from app.forecasting.types import MAX_HORIZON
from app.watching.monitors.append import MAX_APPEND_POINTS
from tests.support import attack_bodies, monitors
from tests.support.series import body_of, detection_body

MAX_BODY_BYTES = int(SETTINGS["max_body_bytes"].default)
MAX_POINTS = int(SETTINGS["max_points"].default)
STORED_KEYS, STORED_APPENDS = 100, 10
TIMEGPT_LONG_SERIES_POINTS = 10_000
MODEL = {"X-Model-Id": "forecast-model-1"}
HOLIDAYS = {"X-Holidays": "DE-BY"}
AGENT = {"Accept": "application/json, text/event-stream"}
LONG_QUERY = "?x=" + "%22" * 2_000
# What the path of an endpoint names; `stored_requests` creates them.
VARIABLES = {
    "name": "worst",
    "source": "worst",
    "query": "worst",
    "key_id": "2",
    "task": "finetune",
    "model_id": "x" * 1_000,
}
PAGE = "?limit=1000&order=desc"
# The query with the largest response, where there is one.
QUERIES = {
    "GET /monitors/{name}/points": PAGE,
    "GET /monitors/{name}/events": PAGE,
    "GET /monitors/{name}/deliveries": PAGE,
    "GET /monitors/{name}/forecast": "?horizon=1000",
    "GET /timegpt/model_params": "?model=timegpt-2.1&freq=D",
}


class Case(NamedTuple):
    """A request: what it is, its body, its headers, and what is in the path besides variables."""

    name: str
    body: bytes | None
    headers: dict[str, str]
    query: str = ""


def needs_entry(endpoint: Endpoint) -> bool:
    """Return whether the accepted requests of an endpoint must be in `ACCEPTED`."""
    return endpoint.body is not None


def cases_of(endpoint: Endpoint) -> Iterator[Case]:
    """Yield the worst requests of an endpoint.

    Raise KeyError if it has a body and no entry in `ACCEPTED`.
    """
    json = {"Content-Type": "application/json", **AGENT}
    if needs_entry(endpoint):
        yield from ACCEPTED[endpoint.name]()
    else:
        query = QUERIES.get(endpoint.name, "")
        yield Case("the largest response" if query else "no body", None, {}, query)
        yield Case("a long query", None, {}, LONG_QUERY)
    if endpoint.json_schema is not None:
        yield from (Case(name, body, json) for name, body in _rejected_json(MAX_BODY_BYTES))
        if endpoint.batch is not None:
            yield from _rejected_zstd(endpoint.batch.max_unpacked_bytes)


def _rejected_json(size: int) -> Iterator[tuple[str, bytes]]:
    yield "empty objects", b'{"series":%s}' % attack_bodies.empty_objects(size - 20)
    yield "unknown fields", _fields(size)
    yield "deep arrays", b'{"series":' + b"[" * (size // 2) + b"]" * (size // 2 - 20) + b"}"
    yield "a long string", b'{"series":"%s"}' % (b"x" * (size - 20))
    yield "a long number", b'{"series":%s}' % (b"9" * (size - 20))
    yield "empty strings", b'{"series":[{"timestamps":["%s"]}]}' % (b'","' * (size // 3 - 20))
    yield "escaped text", b'{"series":"%s"}' % (rb"\u00e9" * (size // 6 - 10))


def _fields(size: int) -> bytes:
    """Return an object with as many fields as fit."""
    return b"{" + b",".join(b'"%07d":0' % number for number in range(size // 12)) + b"}"


def _rejected_zstd(size: int) -> Iterator[Case]:
    headers = {"Content-Type": "application/json", "Content-Encoding": "zstd"}
    for name, body in _rejected_json(size):
        yield Case(f"{name}, zstd", zstandard.compress(body, 3), headers)
    yield Case("blanks, too many, zstd", zstandard.compress(b" " * 8 * size, 3), headers)


@functools.cache
def _times(points: int, hours: int) -> list[str]:
    first = dt.datetime(1860, 1, 1)
    step = dt.timedelta(hours=hours)
    return [(first + index * step).isoformat() for index in range(points)]


def _series(points: int, frequency: str = "Hours") -> Json:
    hours = {"Hours": 1, "Daily": 24}[frequency]
    values = attack_bodies.noisy_values(points)
    return body_of(_times(points, hours), values, frequency, MAX_HORIZON)


def _case(name: str, body: Any, **headers: str) -> Case:
    return Case(name, orjson.dumps(body), {"Content-Type": "application/json"} | headers)


def _forecasts() -> Iterator[Case]:
    for model in range(1, 5):
        header = {"X-Model-Id": f"forecast-model-{model}"}
        yield _case(f"{MAX_POINTS:,} points, model {model}", _series(MAX_POINTS), **header)
        yield _case(f"1,000 points, model {model}", _series(1_000), **header)
    yield _case("days with holidays", _series(MAX_POINTS, "Daily"), **MODEL, **HOLIDAYS)


def _backtests() -> Iterator[Case]:
    for points in (MAX_POINTS, 1_500):
        body = _series(points) | {"windows": MAX_WINDOWS}
        yield _case(f"{points:,} points, {MAX_WINDOWS} windows", body)


def _detections() -> Iterator[Case]:
    for points in (MAX_POINTS, 8_640):
        yield _case(f"{points:,} points", detection_body(_series(points), detect="all"))


def _azure() -> Iterator[Case]:
    for points in (MAX_POINTS, 8_640):
        pairs = zip(_times(points, 1), attack_bodies.noisy_values(points), strict=True)
        entries = [{"timestamp": f"{time}Z", "value": value} for time, value in pairs]
        yield _case(f"{points:,} points", {"series": entries, "granularity": "hourly"})


def _timegpt(**more: Any) -> Callable[[], Iterator[Case]]:
    def cases() -> Iterator[Case]:
        for length in (bounds.MAX_POINTS // bounds.MAX_SERIES, TIMEGPT_LONG_SERIES_POINTS):
            number = bounds.MAX_POINTS // length
            series = {
                "y": attack_bodies.noisy_values(bounds.MAX_POINTS),
                "sizes": [length] * number,
            }
            body = {"series": series, "freq": "H", "model": "forecast-model-1"} | more
            packed = zstandard.compress(orjson.dumps(body), 3)
            headers = {"Content-Type": "application/json", "Content-Encoding": "zstd"}
            yield Case(f"{number:,} series of {length:,} points", packed, headers)

    return cases


def _timegpt_forecasts() -> Iterator[Case]:
    yield from _timegpt(h=24, level=[80])()
    series = {"y": attack_bodies.noisy_values(20_000), "sizes": [10] * 2_000}
    quick = {"model": "forecast-model-2"}  # so that all of it can be computed in time
    body = {"series": series, "freq": "H", "h": 48, "level": [*range(79, 99)]} | quick
    headers = {"Content-Type": "application/json"}
    yield Case("3.9 million numbers in the response", orjson.dumps(body), headers)


def _files() -> Iterator[Case]:
    csv, xlsx = {"Content-Type": attack_bodies.CSV}, {"Content-Type": attack_bodies.XLSX}
    yield Case("an honest table", attack_bodies.honest_table(), csv)
    yield Case("an unclosed tag", attack_bodies.unclosed_tag(), xlsx)
    yield Case("many unclosed tags", attack_bodies.unclosed_tag(1_000_000), xlsx)
    yield Case("a repeated string", attack_bodies.repeated_string(), xlsx)
    yield Case("a line of dashes", attack_bodies.dashes(), csv)
    yield Case("a longer line of dashes", attack_bodies.dashes(MAX_BODY_BYTES - 100), csv)
    yield Case("one column, no dates", b"1\n" * (MAX_BODY_BYTES // 2), csv)
    yield Case("commas only", b"," * MAX_BODY_BYTES, csv)
    yield Case("quotes only", b'"' * MAX_BODY_BYTES, csv)
    yield Case("short rows", b"2024-01-01,1\n" * (MAX_BODY_BYTES // 13), csv)
    days = "\n".join(
        f"{year}-01-{day:02}" + ",1" * 250 for year in (1990, 1995) for day in range(1, 32)
    )
    yield Case("columns with a gap of years", f"day{',a' * 250}\n{days}".encode(), csv)
    yield Case("wide rows", (b"2024-01-01" + b",1" * 4_990 + b"\n") * 400, csv)
    yield from _long_names()


def _long_names() -> Iterator[Case]:
    """Yield tables whose names are nearly all of them, which each row or series repeats."""
    csv, json = {"Content-Type": attack_bodies.CSV}, {"Content-Type": "application/json"}
    months = [f"{year}-{month:02}-01" for year in range(2019, 2024) for month in range(1, 13)]
    name = "x" * (MAX_BODY_BYTES // 2)
    records = [{"date": month, name[:30_000]: 1} for month in months]
    yield Case("records with one long name", orjson.dumps([{"date": months[0], name: 1}]), json)
    yield Case("60 records with a long name", orjson.dumps(records), json)
    tables = {f"{n:05}": [{"date": months[0], "y": 1}] for n in range(MAX_BODY_BYTES // 45)}
    yield Case("many tables in one object", orjson.dumps(tables), json)
    names = [f"{n:04}{name[:1_900]}" for n in range(2_000)]
    rows = [f"{month}{',1' * len(names)}" for month in months[:12]]
    yield Case("columns with long names", "\n".join([",".join(["d", *names]), *rows]).encode(), csv)
    long = [f"{name},{month},1" for name in names[:166] for month in months[:12]]
    yield Case("series with long names", "\n".join(["n,d,y", *long]).encode(), csv)


def _table_forecasts() -> Iterator[Case]:
    yield from (case._replace(query="?horizon=100") for case in _files())
    csv = {"Content-Type": attack_bodies.CSV}
    quick = "&model=forecast-model-2"
    yield Case("20,000 series of 10 points", _panel(20_000, 10), csv, f"?horizon=25{quick}")
    yield Case("1,000 series of 100 points", _panel(1_000, 100), csv, "?horizon=100")
    yield Case("10 series of 10,000 points", _panel(10, 10_000), csv, "?horizon=100&sum=true")
    workbook = {"Accept": attack_bodies.XLSX} | csv
    query = f"?horizon=100&history=true{quick}"
    yield Case("a large workbook", _panel(1_500, 100), workbook, query)


def _panel(series: int, points: int) -> bytes:
    """Return a long table of days."""
    first = dt.date(1990, 1, 1)
    days = [f"{first + dt.timedelta(day)}" for day in range(points)]
    values = iter(attack_bodies.noisy_values(series * points))
    rows = (f"{n:x},{day},{next(values):.0f}" for n in range(series) for day in days)
    return "\n".join(["n,d,y", *rows]).encode()


def _points() -> Iterator[Case]:
    body = monitors.points(
        monitors.noise_at_100(MAX_APPEND_POINTS, seed=3), first=STORED_APPENDS * MAX_APPEND_POINTS
    )
    yield _case(f"{MAX_APPEND_POINTS:,} points", body)


def _monitor() -> Iterator[Case]:
    history = monitors.points(monitors.noise_at_100(MAX_POINTS), first=-MAX_POINTS)
    body = monitors.SETTINGS | {"series": [history], "limit": {"upper": 1_000, "horizon": 1_000}}
    yield _case(f"a history of {MAX_POINTS:,} points", body)


def _replays() -> Iterator[Case]:
    """Yield the longest history that may be read, and the most steps that may be judged."""
    query = {"query": "up", "step": 300, "days": 3}
    yield _case("100 series of 5,000 steps, 864 judged", query | {"history": 5_000 - 864})
    yield _case("100 series of 964 steps, 864 judged", query | {"history": 100})


def _calls() -> Iterator[Case]:
    table = attack_bodies.honest_table().decode()
    asked: list[tuple[str, str, Json]] = [
        ("a chart of 50,000 days with holidays", "forecast", _series(MAX_POINTS, "Daily")),
        ("1,500 points, 10 windows", "backtest", _series(1_500) | {"windows": MAX_WINDOWS}),
        ("a chart of 50,000 points", "detect_anomalies", detection_body(_series(MAX_POINTS))),
        ("an honest table", "read_table", {"table": table}),
    ]
    for name, tool, arguments in asked:
        more: Json = {} if tool == "read_table" else {"chart": True}
        more |= MODEL | HOLIDAYS if tool == "forecast" else {}
        yield _call(name, "tools/call", {"name": tool, "arguments": arguments | more})
    many: Json = {f"{n:07}": 0 for n in range(MAX_BODY_BYTES // 12 - 100)}
    yield _call("many arguments", "tools/call", {"name": "forecast", "arguments": many})
    long = {"table": "a", "columns": "%" * (MAX_BODY_BYTES // 2)}
    yield _call("a long argument", "tools/call", {"name": "read_table", "arguments": long})
    address = "monitor-chart:///" + "%2f" * (MAX_BODY_BYTES // 3 - 50)
    yield _call("a long address", "resources/read", {"uri": address})
    calls = [{"jsonrpc": "2.0", "id": n, "method": "tools/list"} for n in range(1_000)]
    yield _case("1,000 calls", calls, **AGENT)


def _call(name: str, method: str, params: Json) -> Case:
    return _case(name, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, **AGENT)


def _single_case(name: str, body: Json) -> Callable[[], Iterator[Case]]:
    return lambda: iter([_case(name, body)])


ACCEPTED: dict[str, Callable[[], Iterator[Case]]] = {
    "POST /forecast": _forecasts,
    "POST /explain": _forecasts,
    "POST /backtest": _backtests,
    "POST /anomalies": _detections,
    **{
        f"POST /anomalydetector/{version}/timeseries/{kind}/detect": _azure
        for version in ("v1.0", "v1.1")
        for kind in ("entire", "last", "changepoint")
    },
    "POST /timegpt/v2/forecast": _timegpt_forecasts,
    "POST /timegpt/v2/cross_validation": _timegpt(h=1, n_windows=20),
    "POST /timegpt/v2/anomaly_detection": _timegpt(level=99),
    "POST /timegpt/v2/online_anomaly_detection": _timegpt(h=1, detection_size=20, level=99),
    "POST /read": _files,
    "POST /tables/forecast": _table_forecasts,
    "POST /mcp": _calls,
    "PUT /monitors/{name}": _monitor,
    "POST /monitors/{name}/points": _points,
    "PUT /webhooks/{name}": _single_case(
        "a webhook", {"url": "https://hooks.example.com/" + "x" * 900}
    ),
    "PUT /sources/{source}": _single_case("a source", {"url": "https://example.com/" + "x" * 900}),
    "PUT /sources/{source}/queries/{query}": _single_case(
        "a query", {"query": "x" * 4_000, "history": 10_000}
    ),
    "POST /sources/{source}/queries/{query}/trial": _replays,
    "POST /keys": _single_case("a key", {"permissions": ["read"], "label": "x" * 80}),
    "PATCH /keys/{key_id}": _single_case("a label", {"label": "y" * 80}),
    "POST /keys/{key_id}/rotate": _single_case("a long grace", {"grace": "7d"}),
}


def stored_requests(source_url: str) -> Iterator[tuple[str, str, Json]]:
    """Yield method, path and body of what makes an account as large as an account can be.

    The monitor of `VARIABLES` gets all the points that are kept. Its spikes grow, as the detector
    learns equal ones as normal, which would leave few events. Its sources are at ``source_url``.
    """
    address = {"url": "https://hooks.example.com/"}
    yield from (("POST", "/keys", {"permissions": ["read"]}) for _ in range(STORED_KEYS))
    for name in _names("webhooks_per_account"):
        yield "PUT", f"/webhooks/{name}", address
    for name in _names("monitors_per_account"):
        yield "PUT", f"/monitors/{name}", monitors.SETTINGS
    for name in _names("sources_per_account"):
        yield "PUT", f"/sources/{name}", {"url": source_url}
    for name in _names("queries_per_source"):
        path = f"/sources/{VARIABLES['source']}/queries/{name}"
        yield "PUT", path, {"query": "up", "history": 10_000}
    (monitor,) = _monitor()
    settings = orjson.loads(monitor.body or b"") | {"webhook": VARIABLES["name"]}
    yield "PUT", f"/monitors/{VARIABLES['name']}", settings
    for number in range(STORED_APPENDS):
        values = monitors.noise_at_100(MAX_APPEND_POINTS, seed=number)
        values[::50] = [200.0 * 1.2 ** (20 * number + index) for index in range(20)]
        body = monitors.points(values, first=number * MAX_APPEND_POINTS)
        yield "POST", f"/monitors/{VARIABLES['name']}/points", body


def _names(setting: str) -> list[str]:
    """Return as many names as a setting allows, the first as in `VARIABLES`."""
    return ["worst", *(f"other-{number}" for number in range(1, int(SETTINGS[setting].default)))]
