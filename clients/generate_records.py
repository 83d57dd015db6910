"""Write the records of the Python client from the service's OpenAPI document.

``python clients/generate_records.py`` writes ``clients/python/src/forecast_client/records.py``.
"""

import re
import sys
import textwrap
from dataclasses import dataclass, fields
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from flask import Flask

from app import create_app
from app.api.openapi.document import build_document
from app.api.responses.json import Json
from app.watching.monitors.settings.limits import Limit
from app.watching.monitors.settings.monitor_settings import AlertSettings
from app.watching.sources.source_records import QuerySettings

PATH = Path(__file__).parent / "python" / "src" / "forecast_client" / "records.py"
LINE_LENGTH = 100
MIN_COLUMN_ITEMS = 100  # maxItems of columns of points; other arrays have smaller ones
HEADER = '''\
"""What responses hold, and options of requests. Made by ``make client-records``: do not edit."""

import datetime as dt
from dataclasses import dataclass, field
from typing import TypedDict
'''
TYPES = {
    "string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None",
}  # fmt: skip


@dataclass(frozen=True)
class Record:
    """A dataclass of the client.

    Attributes:
        name: Its name in Python.
        schema: Its schema in the OpenAPI document.
        summary: The first line of its docstring.
        created: The schema of a new resource; its additional members are secrets shown only once.
        base: The record whose members it has, too.
        names: The members that it has; empty: all that its base does not have.
    """

    name: str
    schema: str
    summary: str
    created: str = ""
    base: str = ""
    names: frozenset[str] = frozenset()


def _names(settings: type) -> frozenset[str]:
    return frozenset(field.name for field in fields(settings))


ALERT_NAMES = _names(AlertSettings)
RECORDS = (
    Record("Event", "Event", "An incident in a series, of one or more points."),
    Record("ChangePoint", "ChangePoint", "A lasting change of the level."),
    Record("ModelScore", "ScoredModel", "The errors of a model in a backtest."),
    Record("Band", "Band", "The forecasts of a model for a window: one entry per point."),
    Record("Window", "Window", "A part of the past that a backtest forecasts."),
    Record("MonitorPoint", "MonitorPoint", "A point and its verdict; a late one has no numbers."),
    Record("MonitorEvent", "MonitorEvent", "An incident of one or more points."),
    Record("Limit", "Limit", "What values should not exceed or fall below."),
    Record("ReachedSide", "ReachedSide", "When one side of a limit is passed."),
    Record("Reached", "Reached", "When a limit is passed, by side."),
    Record("MonitorForecast", "MonitorForecast", "The forecast of a monitor: parallel lists."),
    Record("MonitorQuality", "MonitorQuality", "How well a monitor forecast its newest points."),
    Record(
        "Alerting",
        "Monitor",
        "Which points of a monitor or query are anomalies, and which events are alerts.",
        names=ALERT_NAMES,
    ),
    Record("Monitor", "Monitor", "A monitor: its settings and its state.", base="Alerting"),
    Record("AppendedPoints", "Appended", "The verdicts: parallel lists, one entry per point."),
    Record("WebhookAttempt", "LastAttempt", "An attempt to send a message."),
    Record("Webhook", "Webhook", "A receiver of messages.", "PutWebhook"),
    Record("SourceAuthorization", "ShownAuthorization", "The type of stored credentials."),
    Record("AlertmanagerFailure", "AlertmanagerFailure", "An Alertmanager that accepts no alerts."),
    Record("QueryState", "QueryState", "A query of a source, in short."),
    Record("Source", "Source", "A server with Prometheus' API."),
    Record("Query", "Query", "A query of a source: its settings and its state.", base="Alerting"),
    Record("Key", "Key", "An API key.", "CreatedKey"),
)


@dataclass(frozen=True)
class Options:
    """A class of keyword arguments of the client.

    Attributes:
        name: Its name in Python.
        schema: The schema of the resource that has these settings.
        names: The names of the settings.
        summary: The first line of its docstring; the record that it ends with explains them.
        base: The class of the options that it adds to.
    """

    name: str
    schema: str
    names: frozenset[str]
    summary: str
    base: str = "TypedDict"


OPTIONS = (
    Options(
        "LimitOptions",
        "Limit",
        _names(Limit),
        "A limit: ``upper``, ``lower`` or both; see ``Limit``.",
    ),
    Options(
        "AlertOptions",
        "Monitor",
        ALERT_NAMES,
        "Settings of alerts, for which the service has defaults: see ``Alerting``.",
    ),
    Options(
        "QueryOptions",
        "Query",
        _names(QuerySettings) - ALERT_NAMES - {"query"},
        "Settings of a query, for which the service has defaults: see ``Query``.",
        "AlertOptions",
    ),
)
NAMES = {record.schema: record.name for record in RECORDS if not record.names}


def records_module(app: Flask) -> str:
    """Return the source of the module.

    Raises:
        KeyError: The type of a member is missing in ``RECORDS``.
    """
    schemas = build_document(app)["components"]["schemas"]
    records = "".join(_class(record, schemas) for record in RECORDS)
    options = "".join(_options_class(options, schemas) for options in OPTIONS)
    return HEADER + records + options


def _options_class(options: Options, schemas: Json) -> str:
    members = schemas[options.schema]["properties"]
    settings = {name: schema for name, schema in members.items() if name in options.names}
    types = {
        name: _type(schema).replace("dt.", "str | dt.").replace("Limit", "LimitOptions")
        for name, schema in settings.items()
    }
    lines = [f"    {name}: {annotation}\n" for name, annotation in types.items()]
    return (
        f"\n\nclass {options.name}({options.base}, total=False):\n"
        f"{_docstring(options.summary, [])}\n{''.join(lines)}"
    )


def _class(record: Record, schemas: Json) -> str:
    members = schemas[record.schema]["properties"]
    hidden = (
        ALERT_NAMES if record.base else frozenset(members) - record.names if record.names else ()
    )
    members = {name: schema for name, schema in members.items() if name not in hidden}
    secrets = {
        name: schema
        for name, schema in (
            schemas[record.created]["properties"] if record.created else {}
        ).items()
        if name not in members
    }
    fields = [f"    {name}: {_type(schema)}\n" for name, schema in members.items()]
    fields += [
        f"    {name}: {_type(schema)} | None = field(default=None, repr=False)\n"
        for name, schema in secrets.items()
    ]
    parents = f"({record.base})" if record.base else ""
    documented = [_attribute(name, schema) for name, schema in (members | secrets).items()]
    return (
        f"\n\n@dataclass(frozen=True)\nclass {record.name}{parents}:\n"
        f"{_docstring(record.summary, [text for text in documented if text])}\n{''.join(fields)}"
    )


def _docstring(summary: str, attributes: list[str]) -> str:
    if not attributes:
        return f'    """{summary}"""\n'
    return f'    """{summary}\n\n    Attributes:\n{"".join(attributes)}    """\n'


def _attribute(name: str, schema: Json) -> str:
    """Return the lines that document a field, "" if it has no description."""
    sentences = [schema.get("description", "").partition("\n\n")[0]]
    choices = [str(choice) for choice in schema.get("enum", []) if choice is not None]
    if any(f"`{choice}`" not in sentences[0] for choice in choices):
        sentences.append(f"One of {', '.join(f'`{choice}`' for choice in choices)}.")
    if "minimum" in schema and "maximum" in schema:
        sentences.append(f"From {schema['minimum']} to {schema['maximum']}.")
    text = " ".join(" ".join(sentences).split())
    if not text:
        return ""
    text = re.sub("`([^`]+)`", r"``\1``", text)
    text = re.sub(r"\b[Nn]ull\b", "None", text)
    wrapped = textwrap.fill(
        f"{name}: {text}",
        LINE_LENGTH,
        initial_indent=" " * 8,
        subsequent_indent=" " * 12,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return f"{wrapped}\n"


def _type(schema: Json) -> str:
    """Return the annotation for a JSON schema: lists for columns, tuples for short arrays."""
    if "$ref" in schema:
        return NAMES[schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        return " | ".join(map(_type, schema["anyOf"]))
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return " | ".join(_kind_type(kind, schema) for kind in kinds)


def _kind_type(kind: str, schema: Json) -> str:
    if kind == "array":
        item = _type(schema["items"])
        is_column = schema.get("maxItems", 0) >= MIN_COLUMN_ITEMS
        return f"list[{item}]" if is_column else f"tuple[{item}, ...]"
    if kind == "object":
        return f"dict[str, {_type(schema['additionalProperties'])}]"
    if kind == "string" and schema.get("format") == "date-time":
        return "dt.datetime"
    return TYPES[kind]


if __name__ == "__main__":
    PATH.write_text(records_module(create_app()))
