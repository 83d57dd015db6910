"""Fields of responses: always present unless ``required=False``; other arguments describe them.

``options`` are marshmallow's, or keywords of JSON Schema for the document.
"""

from typing import Any

from marshmallow import Schema, fields

from app.api.series.columns import TIMESTAMP_SCHEMA
from app.identity.accounts.permissions import Permission

_MARSHMALLOW_OPTIONS = ("required", "allow_none", "attribute", "validate")


class ArrayField(fields.List[Any]):
    """An array, sent as the engine returns it."""

    def __init__(self, item: fields.Field[Any], description: str, **options: Any) -> None:
        super().__init__(item, **_field_options(description, options))

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return value


def string_field(description: str = "", **options: Any) -> fields.String:
    return fields.String(**_field_options(description, options))


def number_field(description: str = "", **options: Any) -> fields.Float:
    return fields.Float(**_field_options(description, options))


def integer_field(description: str = "", **options: Any) -> fields.Integer:
    return fields.Integer(**_field_options(description, options))


def boolean_field(description: str = "", **options: Any) -> fields.Boolean:
    return fields.Boolean(**_field_options(description, options))


def timestamp_field(description: str, **options: Any) -> fields.String:
    return string_field(**TIMESTAMP_SCHEMA | options | {"description": description})


def nested_field(schema: type[Schema], description: str = "", **options: Any) -> fields.Nested:
    return fields.Nested(schema, **_field_options(description, options))


def list_field(
    item: fields.Field[Any] | type[Schema], description: str = "", **options: Any
) -> fields.List[Any]:
    inner = item if isinstance(item, fields.Field) else fields.Nested(item)
    return fields.List(inner, **_field_options(description, options))


def permissions_field(description: str, **options: Any) -> fields.List[Any]:
    item = fields.Enum(Permission, by_value=True, metadata={"type": "string"})
    return list_field(item, description, **options)


def numbers_field(description: str, **options: Any) -> ArrayField:
    return ArrayField(fields.Float(), description, **options)


def timestamps_field(description: str, **options: Any) -> ArrayField:
    return ArrayField(fields.String(metadata=TIMESTAMP_SCHEMA), description, **options)


def _field_options(description: str, options: dict[str, Any]) -> dict[str, Any]:
    own = {name: options.pop(name) for name in _MARSHMALLOW_OPTIONS if name in options}
    metadata = {"description": description, **options} if description else options
    return {"required": True, "metadata": metadata} | own
