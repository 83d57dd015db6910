"""The requests about webhooks, and what reads their responses; no I/O."""

from urllib.parse import quote

import httpx

from forecast_client.calls import Call, content_of, given, nothing
from forecast_client.errors import DataError
from forecast_client.webhook_results import Webhook


def _path(name: str, *more: str) -> str:
    if not name.strip("."):
        raise DataError(f"{name!r} is not a webhook name: send 1 to 100 of a-z, 0-9, -, _ and .")
    return "/".join(("/webhooks", quote(name, safe=""), *more))


def _read(response: httpx.Response) -> Webhook:
    return Webhook.from_body(response.json())


def _read_all(response: httpx.Response) -> list[Webhook]:
    return [Webhook.from_body(each) for each in response.json()["webhooks"]]


def _read_secret(response: httpx.Response) -> str:
    return str(response.json()["secret"])


def _read_id(response: httpx.Response) -> str:
    return str(response.json()["id"])


def list_webhooks() -> Call[list[Webhook]]:
    """Return the call that lists the webhooks of the account."""
    return Call("GET", "/webhooks", _read_all)


def get(name: str) -> Call[Webhook]:
    """Return the call that shows a webhook."""
    return Call("GET", _path(name), _read)


def put(name: str, url: str, form: str | None) -> Call[Webhook]:
    """Return the call that creates or changes a webhook: only its response has a new secret."""
    content = content_of(given(url=url, format=form))
    return Call("PUT", _path(name), _read, content, is_repeatable=False)


def delete(name: str) -> Call[None]:
    """Return the call that deletes a webhook."""
    return Call("DELETE", _path(name), nothing)


def rotate(name: str) -> Call[str]:
    """Return the call that creates a new secret, which is shown once."""
    return Call("POST", _path(name, "rotate"), _read_secret, is_repeatable=False)


def test(name: str) -> Call[str]:
    """Return the call that sends a test message: sent twice, it would send two."""
    return Call("POST", _path(name, "test"), _read_id, is_repeatable=False)
