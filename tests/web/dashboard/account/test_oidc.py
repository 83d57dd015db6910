"""Sign-ins with an identity provider: a real one on loopback, and one that lies."""

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy.orm import Session

from app.core.database import db, utcnow
from app.identity.accounts.audit import audit_trail
from app.identity.members.models import SignInFlow
from tests.support.identity_providers import (
    CLIENT_ID,
    CLIENT_SECRET,
    provider_process,
    sign_in_at_provider,
)
from tests.support.keys import make_account
from tests.support.members import EMAIL, make_member, text_of

USERS = [
    {"sub": "ada", "email": "Ada@Example.com", "email_verified": True},
    {"sub": "unverified", "email": EMAIL, "email_verified": False},
    {"sub": "unsaid", "email": EMAIL},
    {"sub": "worded", "email": EMAIL, "email_verified": "true"},
    {"sub": "stranger", "email": "eve@example.com", "email_verified": True},
]


def provider_settings(issuer: str) -> dict[str, object]:
    return {"oidc_issuer": issuer, "oidc_client_id": CLIENT_ID, "oidc_client_secret": CLIENT_SECRET}


def start(client, **query) -> str:
    """Return the URL that the browser is redirected to for the sign-in."""
    response = client.get("/account/oidc/start", query_string=query)
    assert response.status_code == 302, response.text
    return response.location


def come_back(client, url):
    """Return the response to the provider's redirect to ``url``."""
    return client.get(f"{url.path}?{url.query.decode()}")


class TestRealProvider:
    @pytest.fixture(scope="class")
    @classmethod
    def issuer(cls) -> Iterator[str]:
        with provider_process(USERS) as issuer:
            yield issuer

    @pytest.fixture
    def settings(self, issuer) -> dict[str, object]:
        return provider_settings(issuer)

    def test_a_verified_address_of_a_member_signs_in(self, app, client) -> None:
        make_member(app, password=None)
        page = client.get("/account/sign-in").text
        assert "/account/oidc/start" in page
        response = come_back(client, sign_in_at_provider(start(client), "ada"))
        assert response.status_code == 200
        assert 'http-equiv="refresh" content="0; url=/account"' in response.text
        assert EMAIL in text_of(client.get("/account"))
        with app.app_context(), Session(db.engine) as session:
            (event,) = audit_trail(session)
        assert (event.action, event.detail) == ("signed in", "with the identity provider")

    def test_the_request_has_pkce_state_and_nonce(self, issuer, client) -> None:
        url = urlsplit(start(client))
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        assert f"{url.scheme}://{url.netloc}" == issuer
        assert query["response_type"] == "code"
        assert query["code_challenge_method"] == "S256"
        assert {len(query[name]) for name in ("state", "nonce", "code_challenge")} == {43}
        assert query["redirect_uri"] == "http://localhost/account/oidc/return"
        assert CLIENT_SECRET not in url.query

    def test_the_cookie_of_the_way_there_is_lax_and_the_sessions_strict(self, app, client) -> None:
        make_member(app)
        way = client.get("/account/oidc/start")
        assert "SameSite=Lax" in way.headers["Set-Cookie"]
        response = come_back(client, sign_in_at_provider(way.location, "ada"))
        cookies = response.headers.getlist("Set-Cookie")
        assert any(c.startswith("forecast-session=") and "SameSite=Strict" in c for c in cookies)
        assert any(c.startswith("forecast-sign-in=;") for c in cookies)

    @pytest.mark.parametrize("subject", ["unverified", "unsaid", "worded", "stranger", "nobody"])
    def test_an_email_without_a_member_does_not_sign_in(self, app, client, subject) -> None:
        make_member(app)
        response = come_back(client, sign_in_at_provider(start(client), subject))
        assert response.status_code == 403
        assert client.get("/account").status_code == 302

    def test_a_replayed_response_does_not_sign_in(self, app, client) -> None:
        make_member(app)
        url = sign_in_at_provider(way := start(client), "ada")
        assert come_back(client, url).status_code == 200
        client.post("/account/sign-out")
        state = parse_qs(urlsplit(way).query)["state"][0]
        client.set_cookie("forecast-sign-in", state, domain="localhost")
        assert come_back(client, url).status_code == 403

    def test_a_response_in_another_browser_does_not_sign_in(self, app, client) -> None:
        make_member(app)
        url = sign_in_at_provider(start(client), "ada")
        other = app.test_client()
        assert come_back(other, url).status_code == 403
        start(other)
        assert come_back(other, url).status_code == 403
        assert other.get("/account").status_code == 302

    def test_a_code_with_another_sign_ins_state_does_not_sign_in(self, app, client) -> None:
        make_member(app)
        code = sign_in_at_provider(start(app.test_client()), "ada").params["code"]
        state = parse_qs(urlsplit(start(client)).query)["state"][0]
        query = {"code": code, "state": state}
        assert client.get("/account/oidc/return", query_string=query).status_code == 403

    @pytest.mark.parametrize("query", [{}, {"state": ""}, {"state": "x", "code": "y"}])
    def test_a_response_without_a_sign_in_does_not_sign_in(self, client, query) -> None:
        start(client)
        assert client.get("/account/oidc/return", query_string=query).status_code == 403

    def test_a_sign_in_ends_after_ten_minutes(self, app, client) -> None:
        make_member(app)
        url = sign_in_at_provider(start(client), "ada")
        with app.app_context(), Session(db.engine) as session, session.begin():
            session.query(SignInFlow).one().expires_at = utcnow()
        assert come_back(client, url).status_code == 403

    def test_a_member_of_several_accounts_chooses_one(self, app, client) -> None:
        make_account(app, "acme", None)
        make_member(app)
        make_member(app, account="acme")
        page = come_back(client, sign_in_at_provider(start(client), "ada"))
        assert "Which account?" in text_of(page)
        assert client.get("/account").status_code == 302
        url = sign_in_at_provider(start(client, account="acme"), "ada")
        assert come_back(client, url).status_code == 200
        assert "Account acme" in text_of(client.get("/account"))

    def test_a_rejection_at_the_provider_is_reported(self, client) -> None:
        state = parse_qs(urlsplit(start(client)).query)["state"][0]
        query = {"state": state, "error": "access_denied", "error_description": "<b>no</b>"}
        response = client.get("/account/oidc/return", query_string=query)
        assert response.status_code == 403
        assert "<b>" not in response.text
