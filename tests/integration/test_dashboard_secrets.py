"""A user does everything in the dashboard, and no secret can be read anywhere afterwards."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from app.web.dashboard.access import csrf_token
from app.web.dashboard.cookies import SESSION
from tests.support.databases import POSTGRESQL, dump_values
from tests.support.identity_providers import (
    CLIENT_ID,
    CLIENT_SECRET,
    provider_process,
    sign_in_at_provider,
)
from tests.support.series import daily_body
from tests.support.server import run_server

EMAIL = "ada@example.com"
PASSWORDS = ("correct horse battery", "staple battery horse", "hunter2 hunter2 hunter2")


@pytest.fixture(scope="module")
def issuer():
    with provider_process([{"sub": "ada", "email": EMAIL, "email_verified": True}]) as issuer:
        yield issuer


@pytest.fixture(scope="module", params=["sqlite", POSTGRESQL])
def server(request, issuer, tmp_path_factory):
    """A real server that logs all it can, with an identity provider."""
    url = request.getfixturevalue(f"{request.param}_databases").migrated()
    oidc = {"OIDC_ISSUER": issuer, "OIDC_CLIENT_ID": CLIENT_ID, "OIDC_CLIENT_SECRET": CLIENT_SECRET}
    folder = tmp_path_factory.mktemp("watched")
    limits = {"METRICS_ALLOWED": "127.0.0.1", "ANONYMOUS_PER_MINUTE": "100000"}
    with run_server(folder, url, LOG_LEVEL="DEBUG", **limits, **oidc) as server:
        yield server


@dataclass
class Watched:
    """A browser that records all responses, and the secrets that must be nowhere else."""

    client: httpx.Client
    pages: list[str] = field(default_factory=list)
    secrets: dict[str, str] = field(default_factory=dict)
    forms: dict[str, str] = field(default_factory=dict)

    def get(self, path: str, **options) -> httpx.Response:
        response = self.client.get(path, **options)
        self.pages.append(response.text)
        return response

    def post(self, path: str, *, shows: str | None = None, **form) -> httpx.Response:
        """Send a form; the pattern ``shows`` matches the secret that its response shows once."""
        response = self.client.post(path, data={"csrf_token": self.csrf_token} | form)
        if shows is None:
            self.pages.append(response.text)
        else:
            match = re.search(shows, response.text)
            assert match, response.text
            self.secrets[f"{path} {len(self.secrets)}"] = match[0].removeprefix("token=")
        self.keep_session()
        return response

    @property
    def csrf_token(self) -> str:
        return csrf_token(self.client.cookies.get(SESSION, ""))

    def keep_session(self) -> None:
        """Record the session of the browser as a secret."""
        if token := self.client.cookies.get(SESSION):
            self.secrets[f"session {token[:4]}"] = token
            self.forms[f"form of {token[:4]}"] = csrf_token(token)


def use_dashboard(server, browser: Watched) -> None:
    """Use all of the dashboard, with valid and invalid input."""
    link = server.flask("members", "invite", "default", EMAIL)
    token = re.search(r"token=([\w-]{43})", link)[1]
    browser.secrets["invitation"] = token
    for number, password in enumerate(PASSWORDS):
        browser.secrets[f"password {number}"] = password
    right, new, wrong = PASSWORDS
    browser.client.get("/account/invitation", params={"token": token})  # it is in the form
    browser.post("/account/invitation", token=token, password=right)
    browser.post("/account/sign-in", email=EMAIL, password=wrong)
    slip = {"email": wrong, "password": right}
    browser.client.post("/account/sign-in", data=slip)  # the form repeats the address
    browser.post("/account/sign-in", email=EMAIL, password=right, next="/account/keys")
    browser.post("/account/password", password=right, new_password=new)
    invited = {"email": "vic@example.com", "role": "viewer"}
    browser.post("/account/members/invite", shows=r"token=[\w-]{43}", **invited)
    granted = ["read", "write", "admin"]
    key = r"ak_[0-9a-f]{64}"
    browser.post("/account/keys/new", shows=key, permissions=granted, label="a", expires_in="90d")
    browser.post("/account/keys/1/rotate", shows=key, grace="24h")
    first, second = [value for value in browser.secrets.values() if value.startswith("ak_")]
    made = server.request("/keys", {"permissions": ["read"]}, first)
    browser.secrets["made over HTTP"] = made.json()["key"]
    monitor = {"data_frequency": "Hours"}
    assert server.request("/monitors/load", monitor, second, method="PUT").status == 201
    assert server.request("/forecast", daily_body(), second).status == 200


def come_by_the_provider(browser: Watched) -> None:
    """Sign in with the provider, and replay its response."""
    way = browser.client.get("/account/oidc/start").headers["Location"]
    back = sign_in_at_provider(way, "ada")
    browser.secrets |= {"code": back.params["code"], "state": back.params["state"]}
    path = f"{back.path}?{back.query.decode()}"
    for status in (200, 403):
        assert browser.get(path).status_code == status
        browser.keep_session()


def provoke_errors(server, browser: Watched) -> None:
    """Send secrets in wrong fields; keys, which a log can recognize, also in paths."""
    for secret in list(browser.secrets.values()):
        if secret.startswith("ak_"):
            for path in ("/account/{}", "/account/monitors/{}", "/account/keys/{}", "/keys/{}"):
                browser.get(path.format(secret))
        browser.get("/account/invitation", params={"token": f"{secret}x"}, headers={"Cookie": ""})
        browser.get("/account/audit", params={"state": secret, "done": secret, "before": secret})
        browser.client.post("/account/sign-in", content=secret)
        headers = ("Authorization", "X_Request_Id", "User_Agent", "Origin", "Referer")
        server.request("/account", **dict.fromkeys(headers, f"Bearer {secret}"))


def finish(browser: Watched) -> None:
    """Open every page, revoke the key, and sign out."""
    for path in ("", "/keys?state=all", "/keys/1", "/keys/2", "/audit", "/audit.csv", "/members"):
        assert browser.get(f"/account{path}").status_code == 200
    for path in ("/monitors", "/monitors/load", "/monitors/load/chart", "/password"):
        assert browser.get(f"/account{path}").status_code == 200
    assert browser.post("/account/keys/2/revoke").status_code == 303
    assert browser.post("/account/sign-out").status_code == 303


def database_of(url: str) -> str:
    """Return what a thief of the database could read: the rows, and the bytes of SQLite's files."""
    place = Path(url.removeprefix("sqlite:///"))
    files = place.parent.glob(f"{place.name}*") if url.startswith("sqlite") else []
    return dump_values(url) + "".join(file.read_bytes().decode("latin-1") for file in files)


def test_nothing_that_lets_somebody_in_is_read_anywhere(server) -> None:
    with httpx.Client(base_url=server.url, headers={"Origin": server.url}) as client:
        browser = Watched(client)
        use_dashboard(server, browser)
        come_by_the_provider(browser)
        provoke_errors(server, browser)
        finish(browser)
    metrics = server.request("/metrics").body.decode()
    assert "forecast_http_requests_total" in metrics
    assert len(browser.secrets) >= 10
    places = {
        "a page": ("\n".join(browser.pages), browser.secrets),
        "the log": (server.logged, browser.secrets | browser.forms),
        "a metric": (metrics, browser.secrets | browser.forms),
        "the database": (
            database_of(server.environ["DATABASE_URL"]),
            browser.secrets | browser.forms,
        ),
    }
    for place, (text, secrets) in places.items():
        for name, secret in (secrets | {"secret of the service": CLIENT_SECRET}).items():
            at = text.find(secret)
            assert at < 0, (place, name, text[max(0, at - 200) : at + 80])
