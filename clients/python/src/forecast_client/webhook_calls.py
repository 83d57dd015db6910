"""The requests about webhooks, and what reads their responses; no I/O."""

import httpx

from forecast_client.calls import Call, content_of, given, nothing, path
from forecast_client.webhook_results import Webhook


def _read(response: httpx.Response) -> Webhook:
    return Webhook.from_body(response.json())


def _read_all(response: httpx.Response) -> list[Webhook]:
    return [Webhook.from_body(each) for each in response.json()["webhooks"]]


def list_webhooks() -> Call[list[Webhook]]:
    """Return the call that lists the webhooks of the account."""
    return Call("GET", "/webhooks", _read_all)


def get(name: str) -> Call[Webhook]:
    """Return the call that shows a webhook."""
    return Call("GET", path("webhook", name), _read)


def put(name: str, url: str, form: str | None) -> Call[Webhook]:
    """Return the call that creates or changes a webhook: only its response has a new secret."""
    content = content_of(given(url=url, format=form))
    return Call("PUT", path("webhook", name), _read, content, is_repeatable=False)


def delete(name: str) -> Call[None]:
    """Return the call that deletes a webhook."""
    return Call("DELETE", path("webhook", name), nothing)


def rotate(name: str) -> Call[str]:
    """Return the call that creates a new secret, which is shown once."""
    return _posted(name, "rotate", "secret")


def test(name: str) -> Call[str]:
    """Return the call that sends a test message: sent twice, it would send two."""
    return _posted(name, "test", "id")


def _posted(name: str, what: str, member: str) -> Call[str]:
    def read(response: httpx.Response) -> str:
        return str(response.json()[member])

    return Call("POST", path("webhook", name, what), read, is_repeatable=False)
