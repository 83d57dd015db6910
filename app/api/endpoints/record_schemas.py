"""Make the schemas of requests and responses from the described fields of dataclasses.

Fields that are not described are not in a schema.
"""

import dataclasses
import datetime as dt
import functools
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Union, get_args, get_origin, get_type_hints

from marshmallow import Schema, fields, validate

from app.api.requests.fields import (
    EnumField,
    StrictBoolean,
    StrictChoice,
    StrictInteger,
    StrictNumber,
    StrictString,
)
from app.api.responses.json import Json
from app.api.series.columns import TIMESTAMP_SCHEMA
from app.core.database import iso_string
from app.core.record_fields import TIMESTAMP_FORMAT

RecordClass = type[Any]
MarshmallowFields = dict[str, fields.Field[Any]]
Override = fields.Field[Any] | type[Schema] | Json
_SCALARS: dict[type, type[fields.Field[Any]]] = {
    bool: fields.Boolean,
    int: fields.Integer,
    float: fields.Float,
    str: fields.String,
}
_STRICT_SCALARS: dict[type, type[fields.Field[Any]]] = {
    int: StrictInteger,
    float: StrictNumber,
    bool: StrictBoolean,
    str: StrictString,
}
_INTERNAL_KEYWORDS = {"issue", "is_inlined", "label", "hint"}


class UtcDateTimeField(fields.String):
    """A time of the service's clock in a response."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return iso_string(value) if isinstance(value, dt.datetime) else value


def utc_datetime_field(description: str) -> UtcDateTimeField:
    """Return the field of a response for a time; ``description`` is without a full stop."""
    metadata = {"description": f"{description}. In UTC.", "format": "date-time"}
    return UtcDateTimeField(required=True, metadata=metadata)


def response_schema(record: RecordClass, name: str = "", /, **overrides: Override) -> type[Schema]:
    """Return the schema of responses with a ``record``.

    An override of a field is another field, the schema of a nested one, or more keywords. Overrides
    by names that the record lacks are fields after its own.
    """
    extra = {key: field for key, field in overrides.items() if isinstance(field, fields.Field)}
    prefix = name or record.__name__.removesuffix("Record")
    return Schema.from_dict(
        dict(_response_fields(record, overrides)) | extra, name=f"{prefix}Schema"
    )


@functools.cache
def nested_schema(record: RecordClass) -> type[Schema]:
    """Return the schema of a ``record`` inside others, always the same class."""
    return response_schema(record)


def list_schema(schema: type[Schema], plural: str, description: str) -> type[Schema]:
    metadata = {"description": description}
    array = fields.List(fields.Nested(schema), required=True, metadata=metadata)
    return Schema.from_dict({plural: array}, name=f"{plural.capitalize()}Schema")


def request_fields(
    record: RecordClass, /, *names: str, **makers: Callable[..., fields.Field[Any]]
) -> MarshmallowFields:
    """Return the fields of requests that set the fields ``names`` of a record, by default all.

    A field has the default of the record; without one it is required. ``makers`` are the classes of
    fields, by name, that replace the derived ones.
    """
    requested = {}
    for field, hint in _described_fields(record):
        if names and field.name not in names:
            continue
        kind, is_optional = _split_optional(hint)
        options: dict[str, Any] = {
            "metadata": _schema_keywords(field.metadata),
            "allow_none": is_optional,
        }
        if field.default is not dataclasses.MISSING:
            options["load_default"] = field.default
        elif field.default_factory is not dataclasses.MISSING:
            options["load_default"] = field.default_factory
        else:
            options["required"] = True
        if field.name in makers:
            requested[field.name] = makers[field.name](**options)
        elif issubclass(kind, Enum) or "enum" in field.metadata:
            problem = field.metadata.get("issue", f"unknown {field.name}")
            requested[field.name] = _choice_field(kind, problem, options)
        else:
            requested[field.name] = _STRICT_SCALARS[kind](
                validate=_range_validator(field.metadata), **options
            )
    return requested


def _choice_field(kind: type[Any], problem: str, options: Json) -> fields.Field[Any]:
    if issubclass(kind, Enum):
        return EnumField(kind, problem, **options)
    return StrictChoice(options["metadata"]["enum"], problem, **options)


def _range_validator(metadata: Mapping[str, Any]) -> validate.Range | None:
    """Return the check of both bounds, or of one that has an ``issue``."""
    low, high, issue = (metadata.get(name) for name in ("minimum", "maximum", "issue"))
    if issue is None and None not in (low, high):
        issue = f"Must be between {low:,} and {high:,}"
    return validate.Range(low, high, error=issue) if issue else None


def _response_fields(
    record: RecordClass, overrides: Mapping[str, Override], prefix: str = ""
) -> Iterator[tuple[str, fields.Field[Any]]]:
    for field, hint in _described_fields(record):
        if field.metadata.get("is_inlined"):
            yield from _response_fields(hint, overrides, f"{field.name}.")
            continue
        kind, is_optional = _split_optional(hint)
        keywords = _schema_keywords(field.metadata)
        override = overrides.get(field.name)
        if isinstance(override, dict):
            keywords |= override
        elif isinstance(override, type):
            kind = override
        options: Json = {"required": True, "allow_none": is_optional}
        if prefix:
            options["attribute"] = prefix + field.name
        yield field.name, _response_field(kind, keywords, **options)


def _described_fields(record: RecordClass) -> Iterator[tuple[dataclasses.Field[Any], Any]]:
    hints = get_type_hints(record)
    for field in dataclasses.fields(record):
        if "description" in field.metadata:
            yield field, hints[field.name]


def _response_field(kind: Any, keywords: Json, **options: Any) -> fields.Field[Any]:
    if kind is dt.datetime:
        in_utc = {"description": f"{keywords['description']} In UTC.", "format": "date-time"}
        return UtcDateTimeField(metadata=keywords | in_utc, **options)
    if get_origin(kind) is dict:
        return fields.Dict(fields.String(), fields.String(), metadata=keywords, **options)
    if get_origin(kind) in (list, Sequence):
        return fields.List(_response_field(get_args(kind)[0], {}), metadata=keywords, **options)
    if dataclasses.is_dataclass(kind) or issubclass(kind, Schema):
        schema = kind if issubclass(kind, Schema) else nested_schema(kind)
        return fields.Nested(schema, metadata=keywords, **options)
    if issubclass(kind, Enum):
        values = [*kind, None] if options.get("allow_none") else [*kind]
        return fields.String(metadata={"enum": values} | keywords, **options)
    return _SCALARS[kind](metadata=keywords, **options)


def _schema_keywords(metadata: Mapping[str, Any]) -> Json:
    keywords = {name: value for name, value in metadata.items() if name not in _INTERNAL_KEYWORDS}
    if keywords.get("format") == TIMESTAMP_FORMAT:
        del keywords["format"]
        keywords = TIMESTAMP_SCHEMA | keywords
    if not keywords["description"]:
        del keywords["description"]
    return keywords


def _split_optional(hint: Any) -> tuple[Any, bool]:
    """Return the type in ``hint``, and whether it may be None instead."""
    if get_origin(hint) in (types.UnionType, Union):
        kind = next(option for option in get_args(hint) if option is not type(None))
        return kind, type(None) in get_args(hint)
    return hint, False
