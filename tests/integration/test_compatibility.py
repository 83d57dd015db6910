"""Requests of earlier releases' clients succeed, and responses still have all of their fields.

`compatibility/requests.json` has requests in the order in which they are sent, each with the
release that took it first; `1.0.0.json` and so on what these releases responded. A new release
adds its own: with ``RECORD_RELEASE=2.1.0`` the test writes that file. What 2.0 removed
is not among them: `webhook_url`, `webhook_secret` and `rotate-secret` of monitors, and `/watch`.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from flask.testing import FlaskClient

from app.identity.accounts.models import MAX_PREFIX_LENGTH
from app.identity.accounts.permissions import Permission
from tests.conftest import MakeKey

FOLDER = Path(__file__).parent / "compatibility"
REQUESTS: list[dict[str, Any]] = json.loads((FOLDER / "requests.json").read_text())
RELEASES = sorted(path.stem for path in FOLDER.glob("*.*.*.json"))
REMOVED = {"webhook_url", "webhook_secret"}
MEANT_EXACTLY = {"code", "field", "state"}
DETECTED = "events"  # a better detector may find fewer
PROMISED_HEADERS = ("X-", "Retry-After", "Location", "WWW-Authenticate")


@pytest.fixture
def settings() -> dict[str, object]:
    return {"SECRETS_KEY": Fernet.generate_key().decode()}


@pytest.mark.parametrize("release", RELEASES)
def test_requests_of_a_release_get_what_they_got_then(
    client: FlaskClient, make_key: MakeKey, release: str
) -> None:
    recorded = {entry["name"]: entry for entry in recordings_of(release)}
    key = make_key(*(permission.value for permission in Permission))
    sent = [request for request in REQUESTS if request["since"] <= release]
    assert recorded.keys() == {request["name"] for request in sent}
    for request in sent:
        response = send(client, key, request)
        before = recorded[request["name"]]
        place = f"{release}, {request['name']}"
        assert response["status"] == before["status"], f"{place}: {response}"
        assert {*before["headers"]} <= {*response["headers"]}, place
        if "response" in before:
            assert_kept(before["response"], response["response"], place)


def test_there_are_enough_requests_and_most_of_them_succeed() -> None:
    assert {"1.0.0", "1.1.0", "1.2.0", "2.0.0"} <= {*RELEASES}
    assert len(REQUESTS) >= 60
    for release in RELEASES:
        assert sum(entry["status"] < 300 for entry in recordings_of(release)) >= 50, release


def test_the_record_of_this_release_has_all_responses_and_no_secret(
    client: FlaskClient, make_key: MakeKey, tmp_path: Path
) -> None:
    release = os.environ.get("RECORD_RELEASE")
    path = FOLDER / f"{release}.json" if release else tmp_path / "this.json"
    key = make_key(*(permission.value for permission in Permission))
    entries = [{"name": request["name"]} | send(client, key, request) for request in REQUESTS]
    lines = ",\n".join(json.dumps(replace_secrets(entry)) for entry in entries)
    path.write_text(f"[\n{lines}\n]\n")
    recorded = json.loads(path.read_text())
    assert [entry["name"] for entry in recorded] == [request["name"] for request in REQUESTS]
    assert sum(entry["status"] < 300 for entry in recorded) >= 50
    # Only the first characters of a key are public.
    assert re.search(rf"ak_\w{{{MAX_PREFIX_LENGTH}}}|whsec_", path.read_text()) is None


def recordings_of(release: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads((FOLDER / f"{release}.json").read_text())
    return entries


def send(client: FlaskClient, key: str, request: dict[str, Any]) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {key}"} | request.get("headers", {})
    response = client.open(
        request["path"],
        method=request["method"],
        headers={name: value.format(key=key) for name, value in headers.items() if value},
        **body_of(request),
    )
    names = {name for name, _ in response.headers if name.startswith(PROMISED_HEADERS)}
    is_shown = response.is_json and request["path"] != "/openapi.json"
    shown = {"response": response.get_json()} if is_shown else {}
    return {"status": response.status_code, "headers": sorted(names)} | shown


def body_of(request: dict[str, Any]) -> dict[str, Any]:
    body = request.get("body")
    if body is None:
        return {}
    return {"data": body} if isinstance(body, str) else {"json": body}


def replace_secrets(value: Any, name: str = "") -> Any:
    """Replace keys and signing secrets with their names: recordings are committed."""
    if isinstance(value, dict):
        return {name: replace_secrets(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [replace_secrets(inner, name) for inner in value]
    return f"the {name}" if isinstance(value, str) and name in {"key", "secret"} else value


def assert_kept(before: Any, now: Any, place: str) -> None:
    """Check a value against an earlier release's: all fields, as many elements, the same types."""
    if before is None:
        return
    if isinstance(before, dict):
        assert isinstance(now, dict), place
        for name, value in before.items():
            if name in REMOVED:
                continue
            assert name in now, f"{place}: no {name}"
            assert_kept(value, now[name], f"{place}.{name}")
            if name in MEANT_EXACTLY:
                assert now[name] == value, f"{place}.{name}"
    elif isinstance(before, list):
        assert isinstance(now, list), place
        if place.endswith(f".{DETECTED}"):
            assert now or not before, place
            before = before[: len(now)]
        assert len(now) >= len(before), place
        for index, value in enumerate(before):
            assert_kept(value, now[index], f"{place}[{index}]")
        if "timestamps" in place.rpartition(".")[2]:
            assert now == before, place
    else:
        number = isinstance(before, (int, float)) and not isinstance(before, bool)
        assert isinstance(now, (int, float) if number else type(before)), f"{place}: {now!r}"
