"""Identity providers on loopback: a real one in its own process, and one that lies."""

import contextlib
import functools
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import httpx
from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey
from werkzeug.serving import make_server
from werkzeug.wrappers import Request, Response

from tests.support.services import accepts_connections, free_port, run_process, wait_until
from tests.support.threads import serve_in_thread

CLIENT_ID, CLIENT_SECRET = "forecast", "a secret of the service"


@contextlib.contextmanager
def provider_process(users: list[dict[str, Any]]) -> Iterator[str]:
    """Run `oidc-provider-mock` and return its issuer. ``users`` are claims, ``sub`` among them."""
    port = free_port()
    issuer = f"http://127.0.0.1:{port}"
    claims = [word for user in users for word in ("--user-claims", json.dumps(user))]
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port)]
    with run_process([*command, *claims], stderr=subprocess.DEVNULL):
        wait_until(lambda: accepts_connections(port), "the provider")
        yield issuer


def sign_in_at_provider(url: str, subject: str) -> httpx.URL:
    """Sign in as a browser does; return the URL that the provider redirects to."""
    response = httpx.post(url, data={"sub": subject})
    assert response.status_code == 302, response.text
    return httpx.URL(response.headers["Location"])


@functools.cache
def _key() -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": "1"})


class Liar:
    """A provider whose tokens a test chooses."""

    def __init__(self) -> None:
        self.key = _key()
        self.announced = self.key
        self.header: dict[str, Any] = {"alg": "RS256", "kid": "1"}
        self.claims: dict[str, Any] = {}
        self.user_info: dict[str, Any] = {}
        self.description: dict[str, Any] = {}
        self.token: str | None = None
        self.nonce = ""
        self.access_token = "a"
        self.status = 200
        self._server = make_server("127.0.0.1", 0, self._respond, threaded=True)
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"

    @contextlib.contextmanager
    def serve(self) -> Iterator["Liar"]:
        with serve_in_thread(self._server):
            yield self

    def good_claims(self) -> dict[str, Any]:
        """Return the claims of a valid token."""
        now = int(time.time())
        return {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "sub": "1",
            "iat": now,
            "exp": now + 60,
            "nonce": self.nonce,
            "email": "ada@example.com",
            "email_verified": True,
        }

    def _respond(self, environ: dict[str, Any], start_response: Any) -> Any:
        path = Request(environ).path
        contents: dict[str, Any] = {
            "/.well-known/openid-configuration": {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/keys",
                "userinfo_endpoint": f"{self.issuer}/user",
            }
            | self.description,
            "/keys": KeySet([self.announced]).as_dict(),
            "/user": self.user_info,
        }
        content = contents.get(path)
        if path == "/token":
            claims = {k: v for k, v in (self.good_claims() | self.claims).items() if v is not None}
            token = self.token or jwt.encode(self.header, claims, self.key)
            content = {"access_token": self.access_token, "token_type": "Bearer", "id_token": token}
        status = self.status if path == "/token" else 200
        response = Response(json.dumps(content), status, mimetype="application/json")
        return response(environ, start_response)
