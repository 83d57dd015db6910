"""Holding answers to the OpenAPI document that the service serves."""

from typing import Any

import orjson
from flask import Flask
from jsonschema import Draft202012Validator
from werkzeug.test import TestResponse

from app.api.dialects import dialect_of
from app.api.openapi.document import build_document

Document = dict[str, Any]
FORMATS = Draft202012Validator.FORMAT_CHECKER
_made: list["Contract"] = []


def resolve(node: Any, document: Document) -> Any:
    """``node``, or what it refers to."""
    if "$ref" not in node:
        return node
    referred: Any = document
    for step in node["$ref"].removeprefix("#/").split("/"):
        referred = referred[step]
    return referred


class Contract:
    """A document, and the validators of its schemas, each of which is made once."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._validators: dict[str, Draft202012Validator] = {}

    def assert_valid(self, value: Any, schema: dict[str, Any]) -> None:
        """``value`` is as ``schema`` says."""
        key = orjson.dumps(schema).decode()
        if key not in self._validators:
            whole = schema | {"components": self.document["components"]}
            self._validators[key] = Draft202012Validator(whole, format_checker=FORMATS)
        self._validators[key].validate(value)

    def assert_kept(self, method: str, path: str, answer: TestResponse) -> None:
        """``answer`` has a status, headers and a body that the document lists for its request."""
        if method == "HEAD":
            return
        operation = self.document["paths"].get(path.partition("?")[0], {}).get(method.lower())
        if operation is None:
            if answer.status_code >= 400:
                name = "DialectError" if dialect_of(path) else "Error"
                self.assert_valid(answer.get_json(), {"$ref": f"#/components/schemas/{name}"})
            return
        listed = resolve(operation["responses"][str(answer.status_code)], self.document)
        for name, reference in listed["headers"].items():
            header = resolve(reference, self.document)
            assert name in answer.headers or not header.get("required")
            if name in answer.headers:
                self.assert_valid(_value(answer.headers[name], header["schema"]), header["schema"])
        self.assert_valid(answer.get_json(), listed["content"][answer.mimetype]["schema"])


def _value(text: str, schema: dict[str, Any]) -> str | int:
    return int(text) if schema["type"] == "integer" else text


def contract_of(app: Flask) -> Contract:
    """The contract that ``app`` serves; what it says of answers no setting changes."""
    if not _made:
        _made.append(Contract(orjson.loads(orjson.dumps(build_document(app)))))
    return _made[0]
