"""Holding responses to the examples that developers are shown; ``make examples`` records them."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.api.examples import ERROR_EXAMPLES, RESPONSES, ErrorExample

RECORDING = os.environ.get("RECORD_EXAMPLES") == "1"
TELLING_HEADERS = ("Allow", "Retry-After", "WWW-Authenticate")


def of_name(name: str) -> ErrorExample:
    return next(example for example in ERROR_EXAMPLES if example.name == name)


def assert_error_shown(name: str, status: int, headers: Mapping[str, str], body: Any) -> None:
    """A response is the one recorded for the error ``name``."""
    shown: dict[str, Any] = {"status": status}
    if telling := {name: headers[name] for name in TELLING_HEADERS if name in headers}:
        shown["headers"] = telling
    shown["body"] = body
    recorded = json.loads(Path(str(RESPONSES)).read_text())
    if RECORDING:
        recorded["errors"][name] = shown
        _write(recorded)
    assert recorded["errors"].get(name) == shown


def assert_response_shown(name: str, body: Any) -> None:
    """A 200 body is the one recorded under ``name``."""
    recorded = json.loads(Path(str(RESPONSES)).read_text())
    if RECORDING:
        recorded[name] = body
        _write(recorded)
    assert recorded.get(name) == body


def _write(recorded: dict[str, Any]) -> None:
    """One line an example, in the order of the requests."""
    order = {example.name: place for place, example in enumerate(ERROR_EXAMPLES)}
    errors = {name: recorded["errors"][name] for name in order if name in recorded["errors"]}
    lines = [f"    {_json(name)}: {_json(shown)}" for name, shown in errors.items()]
    parts = [f"  {_json(name)}: {_json(shown)}," for name, shown in recorded.items()]
    text = "\n".join(["{", *(part for part in parts if not part.startswith('  "errors"'))])
    Path(str(RESPONSES)).write_text(
        text + '\n  "errors": {\n' + ",\n".join(lines) + "\n  }\n}\n", encoding="utf-8"
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
