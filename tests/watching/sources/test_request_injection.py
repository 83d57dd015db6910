"""Input of customers never breaks out of its line of a request."""

import contextlib
import ipaddress
import socket
import threading
from collections.abc import Iterator
from types import SimpleNamespace

import orjson
import pytest
from cryptography.fernet import Fernet
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st
from marshmallow import ValidationError

from app.api.service import current_settings
from app.api.sources.fields import SecretField, ServerUrlField, TenantField
from app.core.http.addresses import check_url
from app.core.http.client import BlockingHttpClient, HttpRequest
from app.core.http.errors import HttpError
from app.watching.sources.alerts import RESERVED_LABELS, exported_labels
from app.watching.sources.client import PrometheusClient
from app.watching.sources.credentials_cipher import encrypt
from app.watching.sources.source_records import SOURCE_URLS, Authorization

LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"),)
SECONDS = 10.0
BREAKS = ["\r\n", "\n", "\r", "\0", "%0d%0a", "%0A", "\x85", "\u2028", "\x0b", " ", "\\", "#", ""]
ENTERED = st.builds("{}{}X-Evil: 1{}".format, st.text(), st.sampled_from(BREAKS), st.text())
HEAD = [
    "Host", "Accept", "Accept-Encoding", "User-Agent", "Content-Type",
    "X-Scope-OrgID", "Authorization", "Content-Length",
]  # fmt: skip


class Wire:
    """A server that keeps the bytes of the newest request, and responds 500."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        self.sent = b""

    def serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                with connection:
                    received = b""
                    while b"\r\n\r\n" not in received and (part := connection.recv(65_536)):
                        received += part
                    self.sent = received
                    connection.sendall(b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n")

    def head(self) -> list[str]:
        """Return the names of the headers of the newest request."""
        lines = self.sent.partition(b"\r\n\r\n")[0].split(b"\r\n")[1:]
        assert not any(b"\n" in line or b"\r" in line for line in lines)
        return [line.partition(b":")[0].decode() for line in lines]


@pytest.fixture
def settings() -> dict[str, object]:
    return {"source_allowed_networks": LOOPBACK, "secrets_key": [Fernet.generate_key().decode()]}


@pytest.fixture
def wire(app: Flask) -> Iterator[Wire]:
    with socket.create_server(("127.0.0.1", 0)) as listener, app.app_context():
        served = Wire(listener)
        thread = threading.Thread(target=served.serve, daemon=True)
        thread.start()
        yield served
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(SECONDS)


def loaded_value(field: object, value: str, instead: str) -> str:
    """Return the value that a field loads; ``instead`` if it rejects it."""
    try:
        return str(field.deserialize(value))  # type: ignore[attr-defined]
    except ValidationError:
        return instead


def count_series(url: str, secret: str, tenant: str) -> None:
    settings = current_settings()
    credentials = encrypt(Authorization("bearer", secret), settings.secrets_key)
    source = SimpleNamespace(url=url, credentials=credentials, tenant=tenant)
    with (
        contextlib.suppress(HttpError),
        contextlib.closing(PrometheusClient(settings, source)) as client,
    ):
        client.count_series("up", 0)


def test_url_credential_and_tenant_stay_in_their_lines(wire: Wire) -> None:
    @given(path=ENTERED, secret=ENTERED, tenant=ENTERED)
    def check(path: str, secret: str, tenant: str) -> None:
        url = loaded_value(ServerUrlField(), f"{wire.url}/{path}", wire.url)
        count_series(
            url, loaded_value(SecretField(), secret, "s"), loaded_value(TenantField(), tenant, "t")
        )
        assert sorted(wire.head()) == sorted(HEAD)
        assert wire.sent.split(b"\r\n")[0].count(b" ") == 2

    check()


@pytest.mark.parametrize("text", ["s\r\nX-Evil: 1", "s\nX-Evil: 1", "s\rX-Evil: 1", "s\0"])
def test_unchecked_characters_from_the_store_are_not_sent(wire: Wire, text: str) -> None:
    for secret, tenant in ((text, "t"), ("s", text)):
        count_series(wire.url, secret, tenant)
    count_series(f"{wire.url}/{text}", "s", "t")
    count_series(f"{wire.url}/%0d%0aX-Evil: 1", "s", "t")
    assert wire.sent == b""


def test_labels_stay_in_their_string(wire: Wire) -> None:
    @given(name=ENTERED, value=ENTERED)
    def check(name: str, value: str) -> None:
        body = orjson.dumps([{"labels": exported_labels({name: value}, RESERVED_LABELS)}])
        target = check_url(f"{wire.url}/api/v2/alerts", LOOPBACK, SOURCE_URLS)
        with BlockingHttpClient(SOURCE_URLS, LOOPBACK) as client:
            client.fetch(HttpRequest("POST", target, [], body, SECONDS, 1_000))
        assert not set(body) & {10, 13}
        assert "X-Evil" not in wire.head()

    check()
