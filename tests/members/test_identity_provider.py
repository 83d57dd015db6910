"""A provider that hangs or fails keeps few threads waiting; signing in is in `test_oidc`."""

import threading

import httpx
import pytest

from app.members import identity_provider as module
from app.members.errors import IdentityProviderBusyError, IdentityProviderError
from app.members.flows import Flow
from app.members.identity_provider import EXCHANGES_AT_ONCE, IdentityProvider

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

    def request(self, _method: str, url: str, **_options: object) -> httpx.Response:
        self.asked.append(url)
        if url.endswith(self.hanging):
            self.waiting.release()
            assert self.released.wait(30)
            raise httpx.ReadTimeout("")
        return httpx.Response(200, json=KEYS if url.endswith("/keys") else DESCRIPTION)


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
    monkeypatch.setattr(httpx, "request", network.request)

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
    monkeypatch.setattr(httpx, "request", network.request)

    def redeem() -> str:
        return provider.verified_email("code", "https://here/", FLOW, None)

    threads = hold(network, EXCHANGES_AT_ONCE, redeem)
    with pytest.raises(IdentityProviderBusyError):
        redeem()
    assert provider.start_url("https://here/", "state", FLOW)
    end(network, threads)
    assert network.asked.count(f"{ISSUER}/token") == EXCHANGES_AT_ONCE
