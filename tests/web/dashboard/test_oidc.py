"""Signing in by an identity provider: a real one on loopback, and one that lies."""

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey
from sqlalchemy.orm import Session

from app.core.database import db, utcnow
from app.identity.accounts.audit import audit_trail
from app.identity.members.errors import IdentityProviderBusyError
from app.identity.members.identity_provider import IdentityProvider
from app.identity.members.models import SignInFlow
from tests.support.identity_providers import (
    CLIENT_ID,
    CLIENT_SECRET,
    Liar,
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
    """Return where the browser is sent to sign in."""
    response = client.get("/account/oidc/start", query_string=query)
    assert response.status_code == 302, response.text
    return response.location


def come_back(client, url):
    """Return what the service says to the browser that the provider sends to ``url``."""
    return client.get(f"{url.path}?{url.query.decode()}")


class TestRealProvider:
    @pytest.fixture(scope="class")
    def issuer(self) -> Iterator[str]:
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
    def test_an_email_without_a_member_signs_nobody_in(self, app, client, subject) -> None:
        make_member(app)
        response = come_back(client, sign_in_at_provider(start(client), subject))
        assert response.status_code == 403
        assert client.get("/account").status_code == 302

    def test_a_replayed_response_does_not(self, app, client) -> None:
        make_member(app)
        url = sign_in_at_provider(way := start(client), "ada")
        assert come_back(client, url).status_code == 200
        client.post("/account/sign-out")
        state = parse_qs(urlsplit(way).query)["state"][0]
        client.set_cookie("forecast-sign-in", state, domain="localhost")
        assert come_back(client, url).status_code == 403

    def test_the_response_to_another_browser_does_not(self, app, client) -> None:
        make_member(app)
        url = sign_in_at_provider(start(client), "ada")
        other = app.test_client()
        assert come_back(other, url).status_code == 403
        start(other)
        assert come_back(other, url).status_code == 403
        assert other.get("/account").status_code == 302

    def test_a_code_with_the_state_of_another_sign_in_does_not(self, app, client) -> None:
        make_member(app)
        code = sign_in_at_provider(start(app.test_client()), "ada").params["code"]
        state = parse_qs(urlsplit(start(client)).query)["state"][0]
        query = {"code": code, "state": state}
        assert client.get("/account/oidc/return", query_string=query).status_code == 403

    @pytest.mark.parametrize("query", [{}, {"state": ""}, {"state": "x", "code": "y"}])
    def test_a_response_to_nothing_does_not(self, client, query) -> None:
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

    def test_a_refusal_at_the_provider_is_reported(self, client) -> None:
        state = parse_qs(urlsplit(start(client)).query)["state"][0]
        query = {"state": state, "error": "access_denied", "error_description": "<b>no</b>"}
        response = client.get("/account/oidc/return", query_string=query)
        assert response.status_code == 403
        assert "<b>" not in response.text


class TestLyingProvider:
    @pytest.fixture
    def liar(self) -> Iterator[Liar]:
        with Liar().serving() as liar:
            yield liar

    @pytest.fixture
    def settings(self, liar) -> dict[str, object]:
        return provider_settings(liar.issuer)

    def come_back(self, liar, client, **extra):
        query = parse_qs(urlsplit(start(client)).query)
        liar.nonce = query["nonce"][0]
        response = {"state": query["state"][0], "code": "c", **extra}
        return client.get("/account/oidc/return", query_string=response)

    def test_a_good_token_signs_in(self, app, liar, client) -> None:
        make_member(app)
        assert self.come_back(liar, client, iss=liar.issuer).status_code == 200

    @pytest.mark.parametrize(
        "claims",
        [
            {"aud": [CLIENT_ID]},
            {"aud": [CLIENT_ID, "another service"], "azp": CLIENT_ID},
            {"at_hash": "77QmUPtjPfzWtF2AnpK9RQ"},
        ],
        ids=str,
    )
    def test_a_token_with_more_claims_signs_in(self, app, liar, client, claims) -> None:
        """The access token and its hash are those of OpenID Connect Core, appendix A.3."""
        make_member(app)
        liar.access_token = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"
        liar.claims = claims
        assert self.come_back(liar, client).status_code == 200

    @pytest.mark.parametrize(
        "claims",
        [
            {"aud": "another service"},
            {"aud": ["another service"]},
            {"aud": [CLIENT_ID, "another service"]},
            {"aud": None},
            {"azp": "another service"},
            {"iss": "https://evil.example"},
            {"iss": None},
            {"exp": 1},
            {"exp": None},
            {"iat": None},
            {"nbf": 2**33},
            {"nonce": "of another sign-in"},
            {"nonce": None},
            {"sub": None},
            {"at_hash": "of another token"},
            {"email_verified": False},
            {"email_verified": "true"},
            {"email_verified": 1},
            {"email": ["ada@example.com"]},
            {"email": "ada@example.com\x00"},
            {"email": "x' OR 1=1 --"},
        ],
        ids=str,
    )
    def test_a_token_of_other_claims_does_not(self, app, liar, client, claims) -> None:
        make_member(app)
        liar.claims = claims
        assert self.come_back(liar, client).status_code == 403
        assert client.get("/account").status_code == 302

    def test_a_token_of_another_key_does_not(self, app, liar, client) -> None:
        make_member(app)
        liar.announced = RSAKey.generate_key(2048, {"kid": "1"})
        assert self.come_back(liar, client).status_code == 403

    def test_an_unsigned_token_does_not(self, app, liar, client) -> None:
        make_member(app)
        liar.token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0."
        assert self.come_back(liar, client).status_code == 403

    def test_a_token_signed_by_what_everybody_knows_does_not(self, app, liar, client) -> None:
        make_member(app)
        query = parse_qs(urlsplit(start(client)).query)
        liar.nonce = query["nonce"][0]
        public = OctKey.import_key(liar.key.as_dict(private=False)["n"])
        liar.token = jwt.encode({"alg": "HS256"}, liar.good_claims(), public)
        response = {"state": query["state"][0], "code": "c"}
        assert client.get("/account/oidc/return", query_string=response).status_code == 403

    def test_a_response_in_another_providers_name_does_not(self, app, liar, client) -> None:
        make_member(app)
        assert self.come_back(liar, client, iss="https://evil.example").status_code == 403

    def test_the_address_may_stand_in_the_user_information(self, app, liar, client) -> None:
        make_member(app)
        liar.claims = {"email": None, "email_verified": None}
        liar.user_info = {"sub": "1", "email": EMAIL, "email_verified": True}
        assert self.come_back(liar, client).status_code == 200

    def test_an_email_in_the_user_information_of_somebody_else_signs_nobody_in(
        self, app, liar, client
    ) -> None:
        make_member(app)
        liar.claims = {"email": None}
        liar.user_info = {"sub": "2", "email": EMAIL, "email_verified": True}
        assert self.come_back(liar, client).status_code == 403

    @pytest.mark.parametrize(
        "description",
        [
            {"issuer": "https://evil.example"},
            {"authorization_endpoint": None},
            {"token_endpoint": "file:///etc/passwd"},
            {"jwks_uri": "http://["},
        ],
    )
    def test_a_description_of_another_provider_is_refused(self, liar, client, description) -> None:
        liar.description = description
        assert client.get("/account/oidc/start").status_code == 403

    def test_a_description_with_wrong_types_does_not_fail_a_sign_in(
        self, app, liar, client
    ) -> None:
        make_member(app)
        liar.description = {"token_endpoint_auth_methods_supported": 5}
        assert self.come_back(liar, client).status_code == 200

    def test_new_keys_are_fetched_when_a_token_has_another(self, app, liar, client) -> None:
        make_member(app)
        assert self.come_back(liar, client).status_code == 200
        liar.key = liar.announced = RSAKey.generate_key(2048, {"kid": "2"})
        liar.header = {"alg": "RS256", "kid": "2"}
        assert self.come_back(liar, app.test_client()).status_code == 200

    def test_a_token_of_a_key_that_is_nowhere_does_not(self, app, liar, client) -> None:
        make_member(app)
        liar.header = {"alg": "RS256", "kid": "2"}
        assert self.come_back(liar, client).status_code == 403

    def test_a_provider_that_refuses_is_reported(self, liar, client) -> None:
        liar.status = 400
        response = self.come_back(liar, client)
        assert response.status_code == 403
        assert CLIENT_SECRET not in response.text


class TestAwayProvider:
    @pytest.fixture
    def settings(self) -> dict[str, object]:
        return provider_settings("http://127.0.0.1:9")

    def test_the_password_still_signs_in(self, app, client) -> None:
        make_member(app)
        response = client.get("/account/oidc/start")
        assert response.status_code == 403
        assert "cannot be reached" in text_of(response)
        form = {"email": EMAIL, "password": "a password of some length"}
        assert client.post("/account/sign-in", data=form).status_code == 303

    def test_a_sign_in_without_a_turn_is_to_be_tried_again(self, client, monkeypatch) -> None:
        def refuse(*_arguments: object) -> str:
            raise IdentityProviderBusyError

        monkeypatch.setattr(IdentityProvider, "start_url", refuse)
        response = client.get("/account/oidc/start")
        assert response.status_code == 503
        assert "sign in again in a minute" in text_of(response)


@pytest.mark.parametrize("path", ["/account/oidc/start", "/account/oidc/return"])
def test_without_a_provider_there_is_none(client, path) -> None:
    assert client.get(path).status_code == 404
    assert "/account/oidc/start" not in client.get("/account/sign-in").text
