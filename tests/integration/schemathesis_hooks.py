"""Hooks of schemathesis: what no schema can say of a valid request is put right before it is sent.

That is: sides of a limit, names of labels, a date of the calendar, one regular step, columns of
equal length, one frequency, a time with a length, that X-Model-Selector is not read beside X-Model-
Id, which codes countries have, which monitor there is, and which key. Then each request that is
meant to be valid must get 200, and each that is not must be rejected.
"""

import copy
import importlib
import pkgutil
from typing import Any

import schemathesis
from schemathesis.core import NOT_SET
from schemathesis.core.parameters import ParameterLocation

from app.forecasting.model_ids import MIN_POINTS, MODEL_IDS
from tests.api import dialects
from tests.support.api import QUICK_MODEL
from tests.support.series import regular_body

MONITOR, POINTS = "/monitors/{name}", "/monitors/{name}/points"
# The existing monitor, its webhook, its frequency and its URL.
NAME, FREQUENCY, WEBHOOK = "checkout", "Minutes", "https://example.com/hook"
# A monitor that has enough points for a forecast, and never gets more.
MONITOR_FORECAST, LONG_NAME = f"{MONITOR}/forecast", "long"
LIMIT, LABELS, MUTED_UNTIL = {"upper": 95}, {"team": "shop"}, "2099-12-31T00:00:00Z"
WEBHOOKS = "/webhooks/{name}"
SOURCE = "/sources/{source}"
KEYS, A_KEY = "/keys", "/keys/{key_id}"
USAGE = "/usage"
TABLES = ("/read", "/tables/forecast")  # endpoints that take a table as a file
RECORDS = [{"day": f"2024-01-{day:02}", "sales": day % 5 + 10} for day in range(1, 22)]
CSV = "".join(["day,sales\n", *(f"{row['day']},{row['sales']}\n" for row in RECORDS)])
# Parameters whose values depend on the file, or on a list that no schema has.
OF_THE_FILE = (
    "sheet", "header", "dates", "columns", "layout", "timezone", "data_frequency", "per",
    "unit", "until", "start", "sum",
)  # fmt: skip
BACKTEST = "/backtest"
DEFAULT_MODEL = MODEL_IDS[0]
DEFAULT_HORIZON, DEFAULT_WINDOWS = "12", 5  # of most cases of `/tables/forecast` and of `/backtest`
COUNTRY = "AU-VIC"
# The id of the key of all requests, and of a missing key.
OWN_KEY, NO_KEY = 1, 2**31 - 1
WITH_HISTORY = "with-a-history-"
SUFFIXES = ("", "Z", "+05:30")
_of_dialects = [
    importlib.import_module(f"{dialects.__name__}.{module.name}.generated")
    for module in pkgutil.iter_modules(dialects.__path__)
    if module.ispkg
]


@schemathesis.hook
def before_load_schema(_context: schemathesis.HookContext, document: dict[str, Any]) -> None:
    """Generate timestamps without their pattern, which would take half of the time.

    Values of good series are replaced below; other series are rejected in any case.
    """
    schemas = document["components"]["schemas"]
    for name in ("TimeSeries", "AnomaliesTimeSeries", "PointsRequest"):
        del schemas[name]["properties"]["timestamps"]["items"]["pattern"]


@schemathesis.hook
def before_call(
    _context: schemathesis.HookContext, case: schemathesis.Case, _options: dict[str, object]
) -> None:
    """Name the model of ``case`` once, and turn its values into a real series."""
    headers = case.headers
    if case.path.startswith((MONITOR, WEBHOOKS)) and case.method != "PUT":
        _use_the_name(case)
    if "X-Holidays" in headers and not case.meta.is_negative_at(ParameterLocation.HEADER):
        headers["X-Holidays"] = COUNTRY
    if {"X-Model-Id", "X-Model-Selector"} <= set(headers):
        del headers["X-Model-Selector" if headers["X-Model-Id"] not in MODEL_IDS else "X-Model-Id"]
    if case.path == USAGE and not case.meta.is_negative_at(ParameterLocation.QUERY):
        _replace(case.query, {"since": "2026-01-01T00:00:00Z", "until": "2026-01-31T00:00:00Z"})
    if case.path.startswith(A_KEY) and not case.meta.is_negative_at(ParameterLocation.PATH):
        ends = case.method == "DELETE" or case.path != A_KEY
        case.path_parameters = {"key_id": NO_KEY if ends else OWN_KEY}
    if (
        case.path in TABLES
        or case.body is NOT_SET
        or case.meta.is_negative_at(ParameterLocation.BODY)
    ):
        return
    # Cases share parts of their bodies, and are sent by several threads.
    case.body = copy.deepcopy(case.body)
    make_valid = next(
        (VALIDATORS[prefix] for prefix in VALIDATORS if case.path.startswith(prefix)), None
    )
    if make_valid is not None:
        make_valid(case.body)
        return
    if case.path == MONITOR:
        _make_monitor_valid(case)
        return
    if case.path == WEBHOOKS or case.path.startswith(SOURCE):
        _make_receiver_valid(case)
        return
    if case.path == POINTS or "series" in case.body:
        _make_series_valid(case)


@schemathesis.hook("before_call")
def send_a_table(
    _context: schemathesis.HookContext, case: schemathesis.Case, _options: dict[str, object]
) -> None:
    """Send a file that can be read, and accept a media type that the response may have."""
    if case.path not in TABLES:
        return
    if not case.meta.is_negative_at(ParameterLocation.QUERY):
        for name in OF_THE_FILE:
            case.query.pop(name, None)
        if str(case.query.get("horizon")) == DEFAULT_HORIZON:
            _use_the_quick_model(case.query, "model")
    if case.body is not NOT_SET and not case.meta.is_negative_at(ParameterLocation.BODY):
        case.body = RECORDS if case.media_type == "application/json" else CSV


def _make_series_valid(case: schemathesis.Case) -> None:
    """Give a series as many timestamps as values, and a forecast the frequency of its series."""
    if case.path == BACKTEST:
        _leave_room_for_a_window(case.body)
    column = case.body if case.path == POINTS else case.body["series"][0]
    points = len(column["values"])
    # Each form of a timestamp has its turn, the one without an offset too.
    suffix = "Z" if case.path == POINTS else SUFFIXES[points % len(SUFFIXES)]
    frequency = case.body.get("data_frequency", FREQUENCY)
    column["timestamps"] = [text + suffix for text in _times(frequency, points)]
    if "forecast_frequency" not in case.body:
        return
    case.body["forecast_frequency"] = case.body["data_frequency"]
    # The document is tested here: most forecasts use the quick model.
    if "X-Model-Id" not in case.headers and points > MIN_POINTS:
        _use_the_quick_model(case.headers, "X-Model-Selector")


def _use_the_quick_model(sent: dict[str, Any], name: str) -> None:
    """Name the quick model in place of the default one, which takes ten times as long."""
    if sent.get(name, DEFAULT_MODEL) == DEFAULT_MODEL:
        sent[name] = QUICK_MODEL


def _times(frequency: str, points: int) -> list[str]:
    times: list[str] = regular_body(frequency, points=points)["series"][0]["timestamps"]
    return times


def _use_the_name(case: schemathesis.Case) -> None:
    """Use the name of an existing resource if the generated one is valid, except to delete it."""
    if case.method != "DELETE" and not case.meta.is_negative_at(ParameterLocation.PATH):
        # The generated name may be of other cases, too.
        case.path_parameters = {"name": LONG_NAME if case.path == MONITOR_FORECAST else NAME}
    elif case.path == WEBHOOKS and case.path_parameters.get("name") == NAME:
        case.path_parameters = {"name": "nobody"}  # monitors are to find it


def _make_monitor_valid(case: schemathesis.Case) -> None:
    """Send the step of monitors that have points, and a public address.

    The generator takes names from responses too.
    """
    body, name = case.body, case.path_parameters["name"]
    _replace(body, {"webhook": NAME, "limit": LIMIT, "muted_until": MUTED_UNTIL})
    if "series" in body:
        column = body["series"][0]
        column["timestamps"] = _times(body["data_frequency"], len(column["values"]))
        body["step"] = 1
        case.path_parameters = {"name": f"{WITH_HISTORY}{body['data_frequency'].lower()}"}
    elif name == NAME or name.startswith(WITH_HISTORY):
        case.path_parameters = {"name": NAME}
        body |= {"data_frequency": FREQUENCY, "step": 1, "webhook": NAME}


def _make_receiver_valid(case: schemathesis.Case) -> None:
    """Send a public address; the webhook that is there keeps a secret that can be rotated."""
    if case.path != WEBHOOKS:
        _make_source_valid(case.body)
        # An account has few sources.
        names = {"source": NAME, "query": NAME}
        case.path_parameters = {name: names[name] for name in case.path_parameters}
        return
    case.body["url"] = WEBHOOK
    if case.path_parameters["name"] == NAME:
        case.body["format"] = "standard"


def _make_source_valid(body: dict[str, Any]) -> None:
    """Send public addresses and no secrets, or a step that divides a day and no webhook."""
    _replace(body, {"limit": LIMIT, "labels": LABELS, "muted_until": MUTED_UNTIL})
    if "url" in body:
        _replace(body, {"url": WEBHOOK, "alertmanagers": [WEBHOOK], "authorization": None})
    else:
        _replace(body, {"step": 300, "max_series": 10, "webhook": None})


def _leave_room_for_a_window(body: dict[str, Any]) -> None:
    """Make the series longer than a forecast needs, and the windows as short as what is left."""
    column = body["series"][0]
    if len(column["values"]) == MIN_POINTS:
        column["values"] = [*column["values"], 1]
    body["forecast_horizon"] = min(body["forecast_horizon"], len(column["values"]) - MIN_POINTS)
    if body.get("windows") == DEFAULT_WINDOWS:
        body["models"] = [QUICK_MODEL]  # each model has its turn where there are fewer


def _make_key_valid(body: dict[str, Any]) -> None:
    """Send a label of plain text, and future times."""
    _replace(body, {"label": "generated", "expires_at": "2099-12-31T00:00:00Z", "grace": "24h"})


def _replace(sent: dict[str, Any], values: dict[str, Any]) -> None:
    """Replace the fields of ``sent`` that ``values`` has."""
    sent |= {name: value for name, value in values.items() if sent.get(name) is not None}


# The corrections of bodies of keys and of each dialect, by the prefix of their paths.
VALIDATORS = {KEYS: _make_key_valid} | {
    module.PATH_PREFIX: module.make_valid for module in _of_dialects
}
