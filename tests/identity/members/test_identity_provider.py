"""A provider that hangs or fails keeps few threads waiting; signing in is in `test_oidc`."""

import contextlib
import gzip
import json
import threading
import tracemalloc
from collections.abc import Iterator

import httpx
import pytest

from app.identity.members import identity_provider as module
from app.identity.members.errors import IdentityProviderBusyError, IdentityProviderError
from app.identity.members.flows import Flow
from app.identity.members.identity_provider import MAX_CONCURRENT_EXCHANGES, IdentityProvider

FLOW = Flow("nonce", "verifier", None)
ISSUER = "https://id.example.com"
KEYS = {"keys": [{"kty": "oct", "k": "c2VjcmV0"}]}
DESCRIPTION = {
    "issuer": ISSUER,
    "authorization_endpoint": f"{ISSUER}/authorize",
    "token_endpoint": f"{ISSUER}/token",
    "jwks_uri": f"{ISSUER}/keys",
}


class Network:
    """What the provider is asked; ``hanging`` addresses fail once ``released``."""

    def __init__(self, *hanging: str) -> None:
        self.asked: list[str] = []
        self.hanging = hanging
        self.released = threading.Event()
        self.waiting = threading.Semaphore(0)

    @contextlib.contextmanager
    def stream(self, _method: str, url: str, **_options: object) -> Iterator[httpx.Response]:
        self.asked.append(url)
        if url.endswith(self.hanging):
            self.waiting.release()
            assert self.released.wait(30)
            raise httpx.ReadTimeout("")
        content = json.dumps(KEYS if url.endswith("/keys") else DESCRIPTION).encode()
        yield httpx.Response(200, stream=httpx.ByteStream(content))


@pytest.fixture
def provider(monkeypatch) -> IdentityProvider:
    monkeypatch.setattr(module, "WAIT_SECONDS", 0.05)
    return IdentityProvider(ISSUER, "forecast", "secret")


def hold(network: Network, count: int, call) -> list[threading.Thread]:
    """Let ``count`` threads wait for the provider."""

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
    network = Network(module.DISCOVERY)
    monkeypatch.setattr(httpx, "stream", network.stream)

    def start() -> str:
        return provider.start_url("https://here/", "state", FLOW)

    threads = hold(network, 1, start)
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


def test_few_threads_wait_for_tokens_and_begin_sign_ins_meanwhile(provider, monkeypatch) -> None:
    network = Network("/token")
    monkeypatch.setattr(httpx, "stream", network.stream)

    def redeem() -> str:
        return provider.verified_email("code", "https://here/", FLOW, None)

    threads = hold(network, MAX_CONCURRENT_EXCHANGES, redeem)
    with pytest.raises(IdentityProviderBusyError):
        redeem()
    assert provider.start_url("https://here/", "state", FLOW)
    end(network, threads)
    assert network.asked.count(f"{ISSUER}/token") == MAX_CONCURRENT_EXCHANGES


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({}, b"[" + b"{}," * 20_000_000 + b"{}]"),
        ({}, b"[" + b"{}," * 80_000 + b"{}]"),
        ({"Content-Encoding": "gzip"}, gzip.compress(b"[" + b"{}," * 20_000_000 + b"{}]")),
    ],
    ids=["60 MB", "240 kB, parsed 20 MB", "60 MB in 58 kB"],
)
def test_a_provider_that_sends_a_bomb_costs_no_more_than_a_response_may(
    provider, monkeypatch, headers: dict[str, str], body: bytes
) -> None:
    @contextlib.contextmanager
    def bomb(_method: str, _url: str, **_options: object) -> Iterator[httpx.Response]:
        parts = (body[at : at + 65_536] for at in range(0, len(body), 65_536))
        yield httpx.Response(200, headers=headers, stream=Parts(parts))

    monkeypatch.setattr(httpx, "stream", bomb)
    tracemalloc.start()
    with pytest.raises(IdentityProviderError, match="cannot be reached"):
        provider.start_url("https://here/", "state", FLOW)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * module.MAX_RESPONSE_BYTES


class Parts(httpx.SyncByteStream):
    """A body that comes in parts."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        self._parts = parts

    def __iter__(self) -> Iterator[bytes]:
        yield from self._parts
