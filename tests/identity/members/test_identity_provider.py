"""A provider that hangs or fails blocks few threads; sign-ins are tested in `test_oidc`."""

import contextlib
import gzip
import json
import socket
import threading
import tracemalloc
from base64 import urlsafe_b64encode
from collections.abc import Callable

import pytest

from app.core.http.client import BlockingHttpClient, HttpRequest, HttpResponse
from app.core.http.errors import HttpError
from app.identity.members import identity_provider as module
from app.identity.members.errors import IdentityProviderBusyError, IdentityProviderError
from app.identity.members.flows import Flow
from app.identity.members.identity_provider import MAX_CONCURRENT_EXCHANGES, IdentityProvider

FLOW = Flow("nonce", "verifier", None)
ISSUER = "https://id.example.com"
# It verifies nothing: it is not a product of primes, which would take long to generate.
MODULUS = urlsafe_b64encode(b"\xff" * 256).rstrip(b"=").decode()
KEYS = {"keys": [{"kty": "RSA", "kid": "1", "e": "AQAB", "n": MODULUS}]}
DESCRIPTION = {
    "issuer": ISSUER,
    "authorization_endpoint": f"{ISSUER}/authorize",
    "token_endpoint": f"{ISSUER}/token",
    "jwks_uri": f"{ISSUER}/keys",
}


class Network:
    """A network that records requests; ``hanging`` addresses fail once they are ``released``."""

    def __init__(self, *hanging: str) -> None:
        self.asked: list[str] = []
        self.hanging = hanging
        self.released = threading.Event()
        self.waiting = threading.Semaphore(0)

    def fetch(self, request: HttpRequest) -> HttpResponse:
        path = request.target.path
        self.asked.append(path)
        if path.endswith(self.hanging):
            self.waiting.release()
            assert self.released.wait(30)
            raise HttpError
        content = json.dumps(KEYS if path.endswith("/keys") else DESCRIPTION).encode()
        return HttpResponse(200, [], content)


@pytest.fixture
def provider(monkeypatch) -> IdentityProvider:
    monkeypatch.setattr(module, "MAX_PROVIDER_WAIT_SECONDS", 0.05)
    return IdentityProvider(ISSUER, "forecast", "secret")


def start_blocked(network: Network, count: int, call) -> list[threading.Thread]:
    """Start ``count`` threads that wait for the provider."""

    def fail() -> None:
        with pytest.raises(IdentityProviderError, match="cannot be reached"):
            call()

    threads = [threading.Thread(target=fail) for _ in range(count)]
    for thread in threads:
        thread.start()
        assert network.waiting.acquire(timeout=30)
    return threads


def end(network: Network, threads: list[threading.Thread]) -> None:
    network.released.set()
    for thread in threads:
        thread.join(30)


def test_one_thread_waits_for_a_description_and_its_failure_is_remembered(
    provider, monkeypatch
) -> None:
    network = Network(module.DISCOVERY_PATH)
    monkeypatch.setattr(BlockingHttpClient, "fetch", network.fetch)

    def start() -> str:
        return provider.start_url("https://here/", "state", FLOW)

    threads = start_blocked(network, 1, start)
    with pytest.raises(IdentityProviderBusyError):
        start()
    end(network, threads)
    for _ in range(3):
        with pytest.raises(IdentityProviderError, match="cannot be reached"):
            start()
    assert len(network.asked) == 1
    network.hanging = ("never",)
    monkeypatch.setattr(module.time, "monotonic", lambda: 2.0**40)
    assert start().startswith(f"{ISSUER}/authorize?")


def begin_with_keys(provider: IdentityProvider, monkeypatch, keys: object) -> str:
    """Begin a sign-in at a provider that publishes these keys."""
    monkeypatch.setitem(globals(), "KEYS", keys)
    monkeypatch.setattr(BlockingHttpClient, "fetch", Network("never").fetch)
    return provider.start_url("https://here/", "state", FLOW)


def test_the_private_part_of_a_published_key_is_not_imported(provider, monkeypatch) -> None:
    (public,) = KEYS["keys"]
    keys = {"keys": [{**public, "d": "x" * 1_000}]}  # importing it takes hours if it is long
    assert begin_with_keys(provider, monkeypatch, keys).startswith(f"{ISSUER}/authorize?")


@pytest.mark.parametrize(
    "keys",
    [
        {"keys": [{"kty": "RSA", "n": "x" * 10_000, "e": "AQAB"}]},
        {"keys": [{"kty": "RSA", "n": "x" * 400, "e": "x" * 10_000}]},
        {"keys": [{"kty": "RSA"}] * (module.MAX_KEYS + 1)},
        {"keys": ["RSA"]},
        {"keys": None},
    ],
    ids=["long modulus", "long exponent", "many keys", "no objects", "no list"],
)
def test_keys_beyond_the_bounds_are_rejected(provider, monkeypatch, keys: object) -> None:
    with pytest.raises(IdentityProviderError, match="keys cannot be read"):
        begin_with_keys(provider, monkeypatch, keys)


def test_few_threads_wait_for_tokens_and_begin_sign_ins_meanwhile(provider, monkeypatch) -> None:
    network = Network("/token")
    monkeypatch.setattr(BlockingHttpClient, "fetch", network.fetch)

    def redeem() -> str:
        return provider.verified_email("code", "https://here/", FLOW, None)

    threads = start_blocked(network, MAX_CONCURRENT_EXCHANGES, redeem)
    with pytest.raises(IdentityProviderBusyError):
        redeem()
    assert provider.start_url("https://here/", "state", FLOW)
    end(network, threads)
    assert network.asked.count("/token") == MAX_CONCURRENT_EXCHANGES


@pytest.mark.parametrize(
    ("headers", "make_body", "message"),
    [
        ("", lambda: b"[" + b"{}," * 20_000_000 + b"{}]", "cannot be reached"),
        ("", lambda: b"[" + b"{}," * 80_000 + b"{}]", "not a small JSON object"),
        (
            "Content-Encoding: gzip\r\n",
            lambda: gzip.compress(b"[" + b"{}," * 20_000_000 + b"{}]"),
            "not a small JSON object",
        ),
    ],
    ids=["60 MB", "240 kB, parsed 20 MB", "60 MB in 58 kB"],
)
def test_a_provider_that_sends_a_bomb_costs_no_more_than_a_response_may(
    headers: str, make_body: Callable[[], bytes], message: str
) -> None:
    body = make_body()

    def serve() -> None:
        with contextlib.suppress(OSError), listener.accept()[0] as connection:
            connection.recv(65_536)
            head = f"HTTP/1.1 200 OK\r\n{headers}Content-Length: {len(body)}\r\n\r\n"
            connection.sendall(head.encode())
            connection.sendall(body)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        issuer = f"http://127.0.0.1:{listener.getsockname()[1]}"
        tracemalloc.start()
        with pytest.raises(IdentityProviderError, match=message):
            IdentityProvider(issuer, "forecast", "secret").start_url("https://here/", "s", FLOW)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        thread.join(30)
    assert peak < 5 * module.MAX_RESPONSE_BYTES


@pytest.mark.parametrize("endpoint", ["http://id.example.com/token", "https://[", None])
def test_an_endpoint_without_tls_or_of_another_form_is_rejected(
    provider, monkeypatch, endpoint: str | None
) -> None:
    network = Network("never")
    monkeypatch.setattr(BlockingHttpClient, "fetch", network.fetch)
    monkeypatch.setitem(DESCRIPTION, "token_endpoint", endpoint)
    with pytest.raises(IdentityProviderError, match="the provider's metadata"):
        provider.start_url("https://here/", "state", FLOW)
