"""Holding a JSON value to a schema of the OpenAPI document, as far as that document goes."""

from typing import Any

TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
}


def assert_matches(value: Any, schema: dict[str, Any], document: dict[str, Any]) -> None:
    """``value`` has the types and all the required fields of ``schema``, and no others."""
    schema = resolve(schema, document)
    if "type" in schema:
        assert isinstance(value, TYPES[schema["type"]]), (value, schema)
    if "enum" in schema:
        assert value in schema["enum"]
    if isinstance(value, dict) and "properties" in schema:
        assert set(schema.get("required", ())) <= set(value) <= set(schema["properties"])
        for name, item in value.items():
            assert_matches(item, schema["properties"][name], document)
    if isinstance(value, list):
        for item in value:
            assert_matches(item, schema["items"], document)


def resolve(schema: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    """``schema``, or what it refers to."""
    if "$ref" not in schema:
        return schema
    referred: Any = document
    for step in schema["$ref"].removeprefix("#/").split("/"):
        referred = referred[step]
    return referred
