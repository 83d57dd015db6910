"""Compare responses with the documented examples, which ``make examples`` records."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
from werkzeug.test import TestResponse

from app.api.examples.recorded import EXAMPLES, MODEL, ErrorExample, Examples
from tests.support.api import Api, error_of

RECORDING = os.environ.get("RECORD_EXAMPLES") == "1"
EXPLAINING_HEADERS = ("Allow", "Retry-After", "WWW-Authenticate")


def example_named(name: str) -> ErrorExample:
    return next(example for example in EXAMPLES.errors if example.name == name)


def send(caller: Api, example: ErrorExample, body: bytes | None = None) -> TestResponse:
    """Send the request of ``example``, or ``body`` in place of its JSON."""
    headers = {"Content-Type": "application/json", "X-Model-Id": MODEL, **example.headers}
    if body is None:
        body = orjson.dumps(example.request) if example.body is None else example.body.encode()
    sent = {name.replace("-", "_"): value for name, value in headers.items()}
    return caller.request(example.method, example.path, body, **sent)


def assert_shown(response: TestResponse, example: ErrorExample) -> None:
    """Check that the service's response is the one recorded for ``example``."""
    error_of(response, response.status_code)
    assert_error_shown(example, response.status_code, response.headers, response.get_json())


def assert_error_shown(
    example: ErrorExample, status: int, headers: Mapping[str, str], body: Any
) -> None:
    """Check that a response is the one recorded for ``example``."""
    example_body: dict[str, Any] = {"status": status}
    if clear := {name: headers[name] for name in EXPLAINING_HEADERS if name in headers}:
        example_body["headers"] = clear
    example_body["body"] = body
    recorded = _recorded_responses(example.source)
    if RECORDING:
        recorded["errors"][example.name] = example_body
        _write(example.source, recorded)
    assert recorded["errors"].get(example.name) == example_body


def assert_response_shown(name: str, body: Any, examples: Examples = EXAMPLES) -> None:
    """Check that a 200 body is the one recorded under ``name``."""
    recorded = _recorded_responses(examples)
    if RECORDING:
        recorded[name] = body
        _write(examples, recorded)
    assert recorded.get(name) == body


def _recorded_responses(examples: Examples) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(Path(str(examples.file)).read_text())
    return body


def _write(examples: Examples, recorded: dict[str, Any]) -> None:
    """Write the examples, a line for each, in the order of the requests."""
    order = [example.name for example in examples.errors]
    errors = {name: recorded["errors"][name] for name in order if name in recorded["errors"]}
    lines = [f"    {_json(name)}: {_json(example_body)}" for name, example_body in errors.items()]
    parts = [f"  {_json(name)}: {_json(example_body)}," for name, example_body in recorded.items()]
    text = "\n".join(["{", *(part for part in parts if not part.startswith('  "errors"'))])
    Path(str(examples.file)).write_text(
        text + '\n  "errors": {\n' + ",\n".join(lines) + "\n  }\n}\n", encoding="utf-8"
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
