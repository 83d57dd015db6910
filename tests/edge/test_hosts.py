"""Only the names of the service are served, with the port of its address."""

from pathlib import Path

import pytest

from tests.edge.rejections import GET, Send, assert_own_error, in_bytes
from tests.support.edge import Edge, ask_bytes, curl, edge

LONG = f"{'a' * 60}.example.com"
BOTH_PROTOCOLS = pytest.mark.parametrize("protocol", ["--http1.1", "--http2"])
SIGN_IN = ("-d", "email=a@example.com&password=wrong")


def location(site: Edge, host: str, *words: str) -> str:
    """Return where a form is sent on to that left out the slash of the dashboard's address."""
    response = curl(f"{site.https}/account", "--request", "POST", "-H", f"Host: {host}", *words)
    assert response.status == 308
    return response.headers["location"]


def port_of(site: Edge) -> str:
    return site.https.rpartition(":")[2]


@BOTH_PROTOCOLS
@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "LOCALHOST"])
def test_a_link_has_the_name_and_the_port_of_the_address_that_was_asked(
    site: Edge, protocol: str, name: str
) -> None:
    port = port_of(site)
    sent = location(site, f"{name}:{port}", protocol)
    assert sent == f"https://{name.lower()}:{port}/account/"


@pytest.mark.parametrize("port", ["", ":443", ":1", ":x", ":1@evil.test"])
def test_no_link_has_a_port_that_is_not_the_service_s(site: Edge, port: str) -> None:
    assert location(site, f"localhost{port}") == "https://localhost/account/"


def test_a_port_that_is_mapped_to_ours_is_the_one_of_links(
    tmp_path: Path, gunicorn_socket: str
) -> None:
    with edge(tmp_path / "nginx", gunicorn_socket, public_port="8443") as mapped:
        assert location(mapped, "localhost:8443") == "https://localhost:8443/account/"
        assert location(mapped, f"localhost:{port_of(mapped)}") == "https://localhost/account/"


@BOTH_PROTOCOLS
def test_a_same_site_form_is_accepted_from_browsers_that_send_only_an_origin(
    site: Edge, protocol: str
) -> None:
    def sign_in_from(origin: str) -> str:
        url = f"{site.https}/account/sign-in"
        return curl(url, protocol, "-H", f"Origin: {origin}", *SIGN_IN).body.decode()

    assert "another site" not in sign_in_from(site.https)
    assert "another site" in sign_in_from("https://127.0.0.1")
    assert "another site" in sign_in_from("https://evil.test")


def other_host(path: str, *words: str) -> Send:
    return lambda site: curl(f"{site.https}{path}", "-H", "Host: evil.test", *words)


OTHER_HOSTS: dict[str, Send] = {
    "a page": other_host("/account", "--http1.1"),
    "a page over HTTP/2": other_host("/account", "--http2"),
    "the playground": other_host("/"),
    "/verify": other_host("/verify"),
    "a forecast": other_host("/forecast", "-d", "{}"),
    "a long body": other_host("/forecast", "-H", "Expect:", "-d", "1" * 100_000),
    "a port": lambda site: curl(f"{site.https}/", "-H", f"Host: evil.test:{port_of(site)}"),
    "a name that ends as ours": lambda site: curl(f"{site.https}/", "-H", "Host: a.localhost"),
    "another address": lambda site: curl(f"{site.https}/", "-H", "Host: 10.0.0.1"),
    "the whole address": in_bytes(GET.replace(b"/verify", b"https://evil.test/verify") + b"\r\n"),
    "a name in TLS": lambda site: curl(
        f"https://evil.test:{port_of(site)}/verify", "--resolve", f"*:{port_of(site)}:127.0.0.1"
    ),
    "plain HTTP": lambda site: curl(f"{site.http}/account", "-H", "Host: evil.test"),
    "a long body over plain HTTP": lambda site: curl(
        f"{site.http}/forecast", "-H", "Host: evil.test", "-H", "Expect:", "-d", "1" * 100_000
    ),
}


@pytest.mark.parametrize("send", OTHER_HOSTS.values(), ids=OTHER_HOSTS.keys())
def test_a_request_for_another_host_is_421(site: Edge, send: Send) -> None:
    assert "Host" in assert_own_error(send(site), 421)["issue"]


def test_no_other_host_is_served_during_maintenance_either(site: Edge) -> None:
    site.maintenance_file.touch()
    try:
        assert_own_error(OTHER_HOSTS["a page"](site), 421)
    finally:
        site.maintenance_file.unlink()


def test_a_client_of_http_1_0_that_names_no_host_is_served(site: Edge) -> None:
    assert ask_bytes(site, b"GET /openapi.json HTTP/1.0\r\n\r\n").status == 200


def test_names_may_be_several_and_long_and_have_wildcards(
    tmp_path: Path, gunicorn_socket: str
) -> None:
    names = ["A.test b.test", "*.c.test", ".d.test", "~^e[0-9]+\\.test$", LONG]
    own = ["a.test", "b.test", "x.c.test", "x.y.c.test", "d.test", "x.d.test", "e12.test", LONG]
    others = ["c.test", "aXtest", "xa.test", "a.test.evil.test", "xd.test", "e.test"]
    with edge(tmp_path / "nginx", gunicorn_socket, server_name=names) as site:

        def status(host: str) -> int:
            return curl(f"{site.https}/openapi.json", "-H", f"Host: {host}").status

        assert {host: status(host) for host in own} == dict.fromkeys(own, 200)
        assert {host: status(host) for host in others} == dict.fromkeys(others, 421)
