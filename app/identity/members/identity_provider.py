"""Sign-in with an identity provider: OpenID Connect, the authorization code flow with PKCE.

https://openid.net/specs/openid-connect-core-1_0.html (3.1), RFC 7636, RFC 9207. joserfc verifies
signatures and validates claims.
"""

import base64
import contextlib
import hashlib
import ipaddress
import logging
import threading
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet

from app.core.bounded_json import parse_json
from app.core.http.addresses import UrlPolicy, check_url
from app.core.http.client import BlockingHttpClient, HttpRequest, basic_authorization
from app.core.http.errors import HttpError, UrlError
from app.core.memory_units import MEBIBYTE
from app.identity.members.errors import IdentityProviderBusyError, IdentityProviderError
from app.identity.members.flows import Flow

logger = logging.getLogger(__name__)

DISCOVERY_PATH = "/.well-known/openid-configuration"
_SCOPE = "openid email"
_TIMEOUT_SECONDS = 5.0
_METADATA_CACHE_SECONDS = 600.0  # providers publish a key longer than this before they use it
MAX_PROVIDER_WAIT_SECONDS = 1.0  # for other sign-ins: a waiting thread serves no calls
MAX_CONCURRENT_EXCHANGES = 2  # sign-ins per process that may wait for the provider at the same time
# How long a failure to read the metadata is cached, as anybody can begin a sign-in.
_FAILURE_CACHE_SECONDS = 10.0
# Only public-key algorithms: with a shared secret, or none, tokens could be forged.
_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"]
MAX_RESPONSE_BYTES = 256 * 1024  # the keys of large providers take 20 kB
_MAX_PARSED_BYTES = 8 * MEBIBYTE
MAX_KEYS = 100
_MAX_KEY_NUMBER_LENGTH = 4_096  # characters of a key's number in base64
# The members that verify a signature. Importing the private part of a key can take hours.
_PUBLIC_MEMBERS = {"kty", "kid", "use", "alg", "n", "e", "crv", "x", "y"}
_LEEWAY_SECONDS = 30  # the clocks of two machines differ
_PROVIDER_URLS = UrlPolicy(
    "OIDC_ISSUER", "set OIDC_CLIENT_ID and OIDC_CLIENT_SECRET", can_be_http=True
)
# The operator chooses the provider, which may be in a private network.
_ALL_NETWORKS = (ipaddress.IPv4Network("0.0.0.0/0"), ipaddress.IPv6Network("::/0"))


class IdentityProvider:
    """The provider in the settings ``OIDC_…``; the first request is sent at the first sign-in."""

    def __init__(self, issuer: str, client_id: str, client_secret: str) -> None:
        self.issuer = issuer
        self._client_id, self._client_secret = client_id, client_secret
        self._cached_until = 0.0
        self._cached: tuple[dict[str, Any], KeySet] | None = None
        self._failed_until = 0.0
        self._failure = ""
        self._refresh_semaphore = threading.BoundedSemaphore(1)
        self._exchange_semaphore = threading.BoundedSemaphore(MAX_CONCURRENT_EXCHANGES)

    def start_url(self, redirect_uri: str, state: str, flow: Flow) -> str:
        """Return the address where a browser signs in; it returns to ``redirect_uri``.

        Raise IdentityProviderError if the provider is unreachable or its response is invalid,
        IdentityProviderBusyError if another thread took `MAX_PROVIDER_WAIT_SECONDS` or longer.
        """
        document, _keys = self._metadata()
        parameters = {
            "response_type": "code",
            "client_id": self._client_id,
            "redirect_uri": redirect_uri,
            "scope": _SCOPE,
            "state": state,
            "nonce": flow.nonce,
            "code_challenge": _base64url(hashlib.sha256(flow.code_verifier.encode()).digest()),
            "code_challenge_method": "S256",
        }
        url = str(document["authorization_endpoint"])
        return f"{url}{'&' if '?' in url else '?'}{urlencode(parameters)}"

    def verified_email(self, code: str, redirect_uri: str, flow: Flow, issuer: str | None) -> str:
        """Return the email address that the provider has verified.

        Args:
            code: The authorization code from the browser.
            redirect_uri: The same as for `start_url`.
            flow: The parameters of the sign-in.
            issuer: The parameter ``iss`` from the browser (RFC 9207), if there is one.

        Raise IdentityProviderError if the code, the token or the address is not valid,
        IdentityProviderBusyError if other sign-ins took `MAX_PROVIDER_WAIT_SECONDS` or longer.
        """
        if issuer is not None and issuer != self.issuer:
            raise IdentityProviderError("the response is from another identity provider")
        with _semaphore_slot(self._exchange_semaphore):
            document, _keys = self._metadata()
            tokens = self._redeem(document, code, redirect_uri, flow)
            claims = self._claims(tokens, flow.nonce)
            if "email" not in claims and "userinfo_endpoint" in document:
                self._check_address(document["userinfo_endpoint"])
                claims = self._user_info(document["userinfo_endpoint"], tokens, claims["sub"])
        if claims.get("email_verified") is not True or not isinstance(claims.get("email"), str):
            raise IdentityProviderError("the provider has not verified your email address")
        return str(claims["email"])

    def _redeem(
        self, document: dict[str, Any], code: str, redirect_uri: str, flow: Flow
    ) -> dict[str, Any]:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": flow.code_verifier,
        }
        methods = document.get("token_endpoint_auth_methods_supported")
        url = document["token_endpoint"]
        if isinstance(methods, list) and "client_secret_basic" not in methods:
            form |= {"client_id": self._client_id, "client_secret": self._client_secret}
            return self._request(url, form=form)
        # RFC 6749, 2.3.1: both are form-encoded first.
        pair = quote(self._client_id, safe=""), quote(self._client_secret, safe="")
        return self._request(url, basic_authorization(*pair), form)

    def _claims(self, tokens: dict[str, Any], nonce: str) -> dict[str, Any]:
        try:
            token = self._decode(str(tokens.get("id_token")))
            is_for_others = token.claims.get("aud") not in (self._client_id, [self._client_id])
            jwt.JWTClaimsRegistry(
                leeway=_LEEWAY_SECONDS,
                iss={"essential": True, "value": self.issuer},
                sub={"essential": True},
                aud={"essential": True, "value": self._client_id},
                azp={"essential": is_for_others, "value": self._client_id},
                exp={"essential": True},
                iat={"essential": True},
                nonce={"essential": True, "value": nonce},
                at_hash={"value": _half_hash(str(tokens.get("access_token")), token.header["alg"])},
            ).validate(token.claims)
        except (JoseError, ValueError, TypeError) as error:
            raise IdentityProviderError(
                f"the provider's token is not valid ({type(error).__name__})"
            ) from None
        return token.claims

    def _decode(self, token: str) -> jwt.Token:
        try:
            return jwt.decode(token, self._metadata()[1], algorithms=_ALGORITHMS)
        except InvalidKeyIdError:  # the provider may have changed its keys
            return jwt.decode(token, self._metadata(should_refresh=True)[1], algorithms=_ALGORITHMS)

    def _user_info(self, url: str, tokens: dict[str, Any], subject: str) -> dict[str, Any]:
        """Return the userinfo endpoint's claims: some providers send the address only there."""
        claims = self._request(url, f"Bearer {tokens.get('access_token')}")
        if claims.get("sub") != subject:
            raise IdentityProviderError("the provider's response is about another user")
        return claims

    def _metadata(self, *, should_refresh: bool = False) -> tuple[dict[str, Any], KeySet]:
        """Return the provider's metadata and keys; only one thread at a time requests them."""
        cached = None if should_refresh else self._cached_metadata()
        if cached is not None:
            return cached
        with _semaphore_slot(self._refresh_semaphore):
            cached = None if should_refresh else self._cached_metadata()
            if cached is not None:
                return cached
            if time.monotonic() < self._failed_until:
                raise IdentityProviderError(self._failure)
            try:
                self._cached = self._fetch_metadata()
            except IdentityProviderError as error:
                self._failure = str(error)
                self._failed_until = time.monotonic() + _FAILURE_CACHE_SECONDS
                raise
            self._cached_until = time.monotonic() + _METADATA_CACHE_SECONDS
            return self._cached

    def _cached_metadata(self) -> tuple[dict[str, Any], KeySet] | None:
        return self._cached if time.monotonic() < self._cached_until else None

    def _fetch_metadata(self) -> tuple[dict[str, Any], KeySet]:
        document = self._request(self.issuer.rstrip("/") + DISCOVERY_PATH)
        if document.get("issuer") != self.issuer:
            raise IdentityProviderError("OIDC_ISSUER is not the issuer that the provider reports")
        for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
            self._check_address(document.get(name))
        keys: Any = self._request(document["jwks_uri"])
        try:
            return document, KeySet.import_key_set(_public_keys(keys))
        except (JoseError, KeyError, ValueError, TypeError, AttributeError):
            raise IdentityProviderError("the provider's keys cannot be read") from None

    def _check_address(self, url: Any) -> None:
        try:
            target = check_url(str(url), _ALL_NETWORKS, _PROVIDER_URLS)
        except UrlError:
            raise IdentityProviderError("the provider's metadata has an invalid address") from None
        if target.is_plain and self.issuer.startswith("https:"):
            raise IdentityProviderError("the provider's metadata contains an address without TLS")

    def _request(
        self, url: str, authorization: str | None = None, form: dict[str, str] | None = None
    ) -> dict[str, Any]:
        """Return the JSON object at ``url``, by POST if there is a form."""
        # A response that is compressed nevertheless is not decompressed.
        headers = [("Accept", "application/json"), ("Accept-Encoding", "identity")]
        if authorization is not None:
            headers.append(("Authorization", authorization))
        body = None
        if form is not None:
            headers.append(("Content-Type", "application/x-www-form-urlencoded"))
            body = urlencode(form).encode()
        try:
            target = check_url(url, _ALL_NETWORKS, _PROVIDER_URLS)
            method = "GET" if body is None else "POST"
            request = HttpRequest(
                method, target, headers, body, _TIMEOUT_SECONDS, MAX_RESPONSE_BYTES
            )
            with BlockingHttpClient(_PROVIDER_URLS, _ALL_NETWORKS) as client:
                response = client.fetch(request)
        except HttpError as error:
            logger.warning("the identity provider cannot be reached: %s", error)
            raise IdentityProviderError("the identity provider cannot be reached") from None
        if response.status != 200:
            raise IdentityProviderError(
                f"the identity provider rejected the request with status {response.status}"
            )
        try:
            content = parse_json(response.body, _MAX_PARSED_BYTES)
        except ValueError:  # too large, or no JSON
            content = None
        if not isinstance(content, dict):
            raise IdentityProviderError(
                "the identity provider's response is not a small JSON object"
            )
        return content


def _public_keys(document: dict[str, Any]) -> Any:
    """Return a key set with its public members only; raise ValueError if it is too large."""
    keys = [
        {name: value for name, value in key.items() if name in _PUBLIC_MEMBERS}
        for key in document["keys"]
    ]
    longest = max((len(str(value)) for key in keys for value in key.values()), default=0)
    if len(keys) > MAX_KEYS or longest > _MAX_KEY_NUMBER_LENGTH:
        raise ValueError("too many keys, or too large ones")
    return {"keys": keys}


def _half_hash(access_token: str, algorithm: str) -> str:
    """Return ``at_hash`` (OpenID Connect Core, 3.1.3.6) for a token signed by RS256, ES384, …"""
    digest = hashlib.new(f"sha{algorithm[2:]}", access_token.encode()).digest()
    return _base64url(digest[: len(digest) // 2])


def _base64url(digest: bytes) -> str:
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


@contextlib.contextmanager
def _semaphore_slot(semaphore: threading.BoundedSemaphore) -> Iterator[None]:
    if not semaphore.acquire(timeout=MAX_PROVIDER_WAIT_SECONDS):
        raise IdentityProviderBusyError
    try:
        yield
    finally:
        semaphore.release()
