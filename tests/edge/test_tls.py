"""TLS by Mozilla's intermediate profile, HTTP/1.1 and HTTP/2, HSTS, OCSP."""

import subprocess
from pathlib import Path

import pytest

from tests.support.certificates import Authority
from tests.support.edge import UNHEARD, Edge, curl, edge
from tests.support.programs import find_binary
from tests.support.services import wait_until

MODERN = (
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-RSA-CHACHA20-POLY1305",
)
WEAK = ("AES128-SHA", "AES128-GCM-SHA256", "ECDHE-RSA-AES128-SHA", "DHE-RSA-AES128-SHA")
KEYS = {
    "a key": ("-H", "Authorization: Bearer ak_1"),
    "a key that looks like a page's end": ("-H", "Authorization: |"),
    "a key of another API": ("-H", "Ocp-Apim-Subscription-Key: ak_1"),
    "a body": ("-X", "GET", "-d", "key=ak_1"),
    "a form": ("-d", "password=secret"),
}


def handshake(site: Edge, *words: str) -> str:
    """Return openssl's output of a handshake, also of a failed one."""
    address = site.https.removeprefix("https://")
    openssl = find_binary("openssl")
    command = [openssl, "s_client", "-connect", address, "-servername", "localhost", *words]
    done = subprocess.run(command, input=b"", capture_output=True, check=False, timeout=20)
    return (done.stdout + done.stderr).decode(errors="replace")


@pytest.mark.parametrize("version", ["-tls1", "-tls1_1"])
def test_old_tls_is_rejected_by_nginx_even_where_the_client_would_take_it(
    site: Edge, version: str
) -> None:
    output = handshake(site, version, "-cipher", "ALL:@SECLEVEL=0")
    assert "alert protocol version" in output
    assert "BEGIN CERTIFICATE" not in output


@pytest.mark.parametrize(("version", "name"), [("-tls1_2", "TLSv1.2"), ("-tls1_3", "TLSv1.3")])
def test_new_tls_is_spoken_with_forward_secrecy(site: Edge, version: str, name: str) -> None:
    output = handshake(site, version)
    assert f"New, {name}, Cipher is " in output
    assert "X25519" in output


@pytest.mark.parametrize("cipher", MODERN)
def test_every_cipher_of_the_profile_is_spoken(site: Edge, cipher: str) -> None:
    assert f"Cipher is {cipher}" in handshake(site, "-tls1_2", "-cipher", cipher)


@pytest.mark.parametrize("cipher", WEAK)
def test_ciphers_outside_the_profile_are_rejected(site: Edge, cipher: str) -> None:
    output = handshake(site, "-tls1_2", "-cipher", f"{cipher}:@SECLEVEL=0")
    assert "alert handshake failure" in output


def test_no_session_tickets_are_given_that_would_undo_forward_secrecy(site: Edge) -> None:
    assert "TLS session ticket" not in handshake(site, "-tls1_2")


@pytest.mark.parametrize(("word", "protocol"), [("--http1.1", "HTTP/1.1"), ("--http2", "HTTP/2")])
def test_both_versions_of_http_get_the_same_responses(
    site: Edge, key: str, word: str, protocol: str
) -> None:
    response = curl(f"{site.https}/verify", word, "-H", f"Authorization: Bearer {key}")
    assert (response.protocol, response.status) == (protocol, 200)
    assert response.json()["success"] is True
    assert response.headers["strict-transport-security"] == "max-age=63072000"


def test_every_response_has_security_headers_and_only_https_hsts(site: Edge) -> None:
    for url in (f"{site.https}/verify", f"{site.https}/openapi.json", f"{site.http}/verify"):
        response = curl(url)
        assert response.headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in response.headers["content-security-policy"]
        assert response.headers["referrer-policy"]
        assert response.headers["server"] == "nginx"
        assert ("strict-transport-security" in response.headers) == url.startswith("https")


def test_ocsp_responses_are_stapled_where_the_certificate_names_a_responder(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    with authority.responder() as responder:
        certificate, key = authority.issue("site", ocsp=responder)
        options = {
            "certificate": str(certificate),
            "key": str(key),
            "ocsp": True,
            "chain": str(authority.certificate),
        }
        with edge(tmp_path / "nginx", UNHEARD, **options) as site:
            # nginx asks the responder at the first handshake and staples from then on.
            wait_until(lambda: "Cert Status: good" in handshake(site, "-status"), "OCSP", 60)


@pytest.mark.parametrize("path", ["/", "/docs", "/docs/errors", "/account", "/account/sign-in"])
@pytest.mark.parametrize("words", [(), ("--head",)], ids=["GET", "HEAD"])
def test_a_browser_that_opens_a_page_over_plain_http_is_redirected(
    site: Edge, path: str, words: tuple[str, ...]
) -> None:
    response = curl(site.http + path, *words)
    assert response.status == 301
    assert response.headers["location"] == site.https + path


@pytest.mark.parametrize("words", KEYS.values(), ids=KEYS)
def test_a_request_that_may_have_sent_a_key_is_never_redirected(
    site: Edge, words: tuple[str, ...]
) -> None:
    assert curl(f"{site.http}/account", *words).status == 403


@pytest.mark.parametrize("path", ["/?key=ak_1", "/verify", "/docs/x|", "/account/%61k_1"])
def test_endpoints_and_queries_over_plain_http_are_never_redirected(site: Edge, path: str) -> None:
    assert curl(site.http + path).status == 403
