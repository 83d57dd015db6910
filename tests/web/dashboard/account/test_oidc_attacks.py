"""A lying or unavailable identity provider signs in no one."""

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

from app.identity.members.errors import IdentityProviderBusyError
from app.identity.members.identity_provider import IdentityProvider
from tests.support.identity_providers import CLIENT_ID, CLIENT_SECRET, Liar
from tests.support.members import EMAIL, make_member, text_of
from tests.web.dashboard.account.test_oidc import provider_settings, start


class TestLyingProvider:
    @pytest.fixture
    def liar(self) -> Iterator[Liar]:
        with Liar().serve() as liar:
            yield liar

    @pytest.fixture
    def settings(self, liar) -> dict[str, object]:
        return provider_settings(liar.issuer)

    def come_back(self, liar, client, **extra):
        query = parse_qs(urlsplit(start(client)).query)
        liar.nonce = query["nonce"][0]
        response = {"state": query["state"][0], "code": "c", **extra}
        return client.get("/account/oidc/return", query_string=response)

    def test_a_valid_token_signs_in(self, app, liar, client) -> None:
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
        """The access token and its hash are from OpenID Connect Core, appendix A.3."""
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
    def test_a_token_with_wrong_claims_does_not_sign_in(self, app, liar, client, claims) -> None:
        make_member(app)
        liar.claims = claims
        assert self.come_back(liar, client).status_code == 403
        assert client.get("/account").status_code == 302

    def test_a_token_signed_by_another_key_does_not_sign_in(self, app, liar, client) -> None:
        make_member(app)
        liar.announced = RSAKey.generate_key(2048, {"kid": "1"})
        assert self.come_back(liar, client).status_code == 403

    def test_an_unsigned_token_does_not_sign_in(self, app, liar, client) -> None:
        make_member(app)
        liar.token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0."
        assert self.come_back(liar, client).status_code == 403

    def test_a_token_signed_with_a_public_value_does_not_sign_in(self, app, liar, client) -> None:
        make_member(app)
        query = parse_qs(urlsplit(start(client)).query)
        liar.nonce = query["nonce"][0]
        public = OctKey.import_key(liar.key.as_dict(private=False)["n"])
        liar.token = jwt.encode({"alg": "HS256"}, liar.good_claims(), public)
        response = {"state": query["state"][0], "code": "c"}
        assert client.get("/account/oidc/return", query_string=response).status_code == 403

    def test_a_response_with_another_issuer_does_not_sign_in(self, app, liar, client) -> None:
        make_member(app)
        assert self.come_back(liar, client, iss="https://evil.example").status_code == 403

    def test_the_address_may_stand_in_the_user_information(self, app, liar, client) -> None:
        make_member(app)
        liar.claims = {"email": None, "email_verified": None}
        liar.user_info = {"sub": "1", "email": EMAIL, "email_verified": True}
        assert self.come_back(liar, client).status_code == 200

    def test_user_information_of_another_subject_does_not_sign_in(self, app, liar, client) -> None:
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
    def test_a_description_of_another_provider_is_rejected(self, liar, client, description) -> None:
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

    def test_a_token_of_an_unpublished_key_does_not_sign_in(self, app, liar, client) -> None:
        make_member(app)
        liar.header = {"alg": "RS256", "kid": "2"}
        assert self.come_back(liar, client).status_code == 403

    def test_a_provider_that_rejects_is_reported(self, liar, client) -> None:
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
        def reject(*_arguments: object) -> str:
            raise IdentityProviderBusyError

        monkeypatch.setattr(IdentityProvider, "start_url", reject)
        response = client.get("/account/oidc/start")
        assert response.status_code == 503
        assert "sign in again in a minute" in text_of(response)


@pytest.mark.parametrize("path", ["/account/oidc/start", "/account/oidc/return"])
def test_without_a_provider_its_routes_are_404(client, path) -> None:
    assert client.get(path).status_code == 404
    assert "/account/oidc/start" not in client.get("/account/sign-in").text
