"""Compare responses with the OpenAPI document that the service serves."""

import functools
import re
from typing import Any

import orjson
from flask import Flask
from jsonschema_rs import Draft202012Validator
from werkzeug.test import TestResponse

from app.api.dialects import DIALECTS
from app.api.endpoints.dialect import find_dialect
from app.api.endpoints.endpoint import endpoints_of
from app.api.openapi.document import build_document

Document = dict[str, Any]
_made: dict[tuple[str, ...], "Contract"] = {}


def resolve(node: Any, document: Document) -> Any:
    """Return ``node``, or the target of its reference."""
    if "$ref" not in node:
        return node
    referred: Any = document
    for step in node["$ref"].removeprefix("#/").split("/"):
        referred = referred[step]
    return referred


class Contract:
    """A document with the validators of its schemas, which are built once."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._validators: dict[str, Draft202012Validator] = {}

    def assert_valid(self, value: Any, schema: dict[str, Any]) -> None:
        """Validate ``value`` by ``schema``."""
        key = orjson.dumps(schema).decode()
        if key not in self._validators:
            whole = schema | {"components": self.document["components"]}
            self._validators[key] = Draft202012Validator(whole, validate_formats=True)
        self._validators[key].validate(value)

    def assert_kept(self, method: str, path: str, response: TestResponse) -> None:
        """Check that the document lists the status, the headers and the body of a response."""
        if method == "HEAD":
            return
        operation = self.operations(path).get(method.lower())
        if operation is None:
            if response.status_code >= 400:
                dialect = find_dialect(path, DIALECTS)
                name = f"{dialect.name if dialect else ''}Error"
                self.assert_valid(response.get_json(), {"$ref": f"#/components/schemas/{name}"})
            return
        listed = resolve(operation["responses"][str(response.status_code)], self.document)
        for name, reference in listed["headers"].items():
            header = resolve(reference, self.document)
            assert name in response.headers or not header.get("required")
            if name in response.headers:
                self.assert_valid(
                    _value(response.headers[name], header["schema"]), header["schema"]
                )
        if "content" in listed:
            schema = listed["content"][response.mimetype].get("schema")
            if schema is not None:  # bytes have none
                self.assert_valid(
                    response.get_json() if response.is_json else response.text, schema
                )
        else:
            assert (response.data, response.content_type) == (b"", None)

    def operations(self, path: str) -> dict[str, Any]:
        """Return the operations of a path by method; paths without variables win, as in OpenAPI."""
        path, paths = path.partition("?")[0], self.document["paths"]
        fitting = (template for template in paths if _pattern(template).fullmatch(path))
        return paths.get(path) or paths.get(next(fitting, None), {})


@functools.cache
def _pattern(template: str) -> re.Pattern[str]:
    fixed_parts = re.split("{[^}]+}", template)
    return re.compile("[^/]+".join(map(re.escape, fixed_parts)))


def _value(text: str, schema: dict[str, Any]) -> str | int:
    return int(text) if schema["type"] == "integer" else text


def contract_of(app: Flask) -> Contract:
    """Return the contract that ``app`` serves; settings do not change its responses."""
    served = tuple(endpoints_of(app))
    if served not in _made:
        _made[served] = Contract(orjson.loads(orjson.dumps(build_document(app))))
    return _made[served]
