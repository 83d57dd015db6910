"""No webhook goes to an address inside the network, however it is written or resolved."""

import ipaddress

import pytest

from app.core.http.addresses import Target, check_url, host_and_port, host_of, is_allowed_address
from app.core.http.errors import UrlError
from app.delivery.webhook_records import WEBHOOK_URLS
from app.watching.sources.source_records import SOURCE_URLS

LOOPBACK = [ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1/128")]

INSIDE = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.254",
    "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.0.2.1",
    "192.88.99.1", "2002:c058:6301::1", "198.18.0.1", "198.19.255.255", "198.51.100.1",
    "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
    "::", "::1", "fc00::1", "fd12:3456::1", "fe80::1", "fe80::1%1", "fec0::1", "ff02::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe", "::127.0.0.1", "::7f00:1",
    "64:ff9b::127.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::1", "2002:7f00:1::", "2002:a00:1::1",
    "2001:0:7f00:1::1", "2001:0:808:808::1", "2001:db8::1", "3fff::1", "100::1", "5f00::1",
    "4000::1",
    # Where machines of clouds read who they are, and whatever else is in their networks.
    "168.63.129.16", "192.0.0.192", "192.0.0.8", "192.0.0.9", "192.0.0.50", "100.100.100.200",
    "169.254.170.2", "fd00:ec2::254", "fd20:ce::254", "::ffff:168.63.129.16",
    "64:ff9b::192.0.0.192", "2002:a83f:8110::1",
    # Anycast: the nearest server may be one of the operator's network.
    "192.31.196.1", "192.52.193.1", "192.175.48.1", "2001:1::1", "2001:1::2", "2001:1::3",
    "2001:3::1", "2001:4:112::1", "2620:4f:8000::1",
    "2001:2::1", "2001:10::1", "2001:20::1", "2001:30::1", "2001:1ff:ffff::1", "100:0:0:1::1",
]  # fmt: skip
OUTSIDE = [
    "1.1.1.1", "8.8.8.8", "100.128.0.1", "172.32.0.1", "193.0.6.139", "223.255.255.254",
    "168.63.129.15", "192.0.1.1", "192.31.195.255", "198.17.255.255", "198.20.0.1",
    "2606:4700::1111", "2a00:1450:4001::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
    "2001:200::1", "2001:4860:4860::8888", "2620:4f:7fff::1", "2002:808:808::1",
]  # fmt: skip


@pytest.fixture(params=[True, False], ids=["Python says global", "Python says private"])
def python_lists(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's own lists, which differ from version to version, say the same of every address."""
    for kind in (ipaddress.IPv4Address, ipaddress.IPv6Address):
        monkeypatch.setattr(kind, "is_global", request.param)
        for name in ("is_private", "is_reserved", "is_multicast", "is_loopback", "is_link_local"):
            monkeypatch.setattr(kind, name, not request.param)


@pytest.mark.parametrize("address", INSIDE)
def test_internal_addresses_are_rejected_literally_and_by_name(address: str) -> None:
    assert not is_allowed_address(ipaddress.ip_address(address), [])


@pytest.mark.usefixtures("python_lists")
def test_private_addresses_do_not_depend_on_the_lists_of_this_python() -> None:
    addresses = [*map(ipaddress.ip_address, INSIDE + OUTSIDE)]
    allowed = [str(address) for address in addresses if is_allowed_address(address, [])]
    assert allowed == [*map(str, addresses[len(INSIDE) :])]


@pytest.mark.parametrize("address", OUTSIDE)
def test_an_address_of_the_internet_may_receive(address: str) -> None:
    assert is_allowed_address(ipaddress.ip_address(address), [])


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("10.1.2.3", "10.1.0.0/16"),
        ("::ffff:10.1.2.3", "10.1.0.0/16"),
        ("64:ff9b::10.1.2.3", "10.1.0.0/16"),
        ("fd00::7", "fd00::/8"),
    ],
)
def test_a_network_that_the_setting_names_may_receive(address: str, network: str) -> None:
    allowed = [ipaddress.ip_network(network)]
    assert is_allowed_address(ipaddress.ip_address(address), allowed)
    assert not is_allowed_address(ipaddress.ip_address("10.2.0.1"), allowed)


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://hooks.example.com", Target("hooks.example.com", 443, "/")),
        ("HTTPS://Hooks.Example.COM/a%20b", Target("hooks.example.com", 443, "/a%20b")),
        ("https://hooks.example.com:8443/x?y=1&z", Target("hooks.example.com", 8443, "/x?y=1&z")),
        ("https://hooks.example.com?y", Target("hooks.example.com", 443, "/?y")),
        ("https://xn--bcher-kva.example/", Target("xn--bcher-kva.example", 443, "/")),
        ("https://8.8.8.8/", Target("8.8.8.8", 443, "/")),
        ("https://[2606:4700::1111]:444/", Target("2606:4700::1111", 444, "/")),
        ("https://intranet/", Target("intranet", 443, "/")),  # what it resolves to is judged
    ],
)
def test_a_url_is_read_in_its_parts(url: str, target: Target) -> None:
    assert check_url(url, [], WEBHOOK_URLS) == target
    assert host_of(url) in (target.host, f"[{target.host}]")


@pytest.mark.parametrize(
    ("url", "issue"),
    [
        ("", "starts with https://"),
        ("hooks.example.com", "starts with https://"),
        ("http://hooks.example.com/", "starts with https://, also in networks .* SSL_CERT_FILE$"),
        ("ftp://hooks.example.com/", "starts with https://"),
        ("file:///etc/passwd", "starts with https://"),
        (" https://hooks.example.com/", "starts with https://"),
        ("https:hooks.example.com", "starts with https://"),
        ("https://", "a host"),
        ("https:///path", "a host"),
        ("https://me:word@hooks.example.com/", "no user or password"),
        ("https://me@hooks.example.com/", "no user or password"),
        ("https://hooks.example.com@127.0.0.1/", "no user or password"),
        ("https://hooks.example.com#@127.0.0.1/", "no fragment"),
        ("https://hooks.example.com/#part", "no fragment"),
        ("https://hooks.example.com\\@127.0.0.1/", "no user or password"),
        ("https://hooks.example.com\\.example.org/", "a host"),
        ("https://hooks.example.com/a b", "as %XX"),
        ("https://hooks.example.com/\r\nHost: x", "as %XX"),
        ("https://hooks.example.com/\n", "as %XX"),
        ("https://hooks.example.com\t/", "a host"),
        ("https://hooks.example.com:0/", "a port"),
        ("https://hooks.example.com:65536/", "a port"),
        ("https://hooks.example.com:/", "a port"),
        ("https://hooks.example.com:443:443/", "a port"),
        ("https://hooks.example.com:-1/", "a port"),
        ("https://hooks..example.com/", "a valid DNS name"),
        ("https://hooks.example.com./", "a valid DNS name"),
        ("https://localhost./", "a valid DNS name"),
        ("https://127.0.0.1./", "a valid DNS name"),
        ("https://.example.com/", "a valid DNS name"),
        ("https://-x.example.com/", "a valid DNS name"),
        (f"https://{'x' * 64}.example.com/", "a valid DNS name"),
        (f"https://{'x.' * 127}com/", "a valid DNS name"),
        ("https://hooks.example.com/" + "x" * 1975, "at most 2000"),
        ("https://bücher.example/", "ASCII"),
        ("https://①②⑦.⓪.⓪.①/", "ASCII"),
        ("https://ⓛocalhost/", "ASCII"),
        ("https://127。0。0。1/", "ASCII"),
        ("https://hooks.example.com/ü", "ASCII"),
        ("https://%6cocalhost/", "a host"),
        ("https://2130706433/", "four decimal numbers"),
        ("https://0x7f000001/", "four decimal numbers"),
        ("https://0x7f.1/", "four decimal numbers"),
        ("https://127.1/", "four decimal numbers"),
        ("https://127.0.1/", "four decimal numbers"),
        ("https://0177.0.0.1/", "four decimal numbers"),
        ("https://017700000001/", "four decimal numbers"),
        ("https://127.0.0.0x1/", "four decimal numbers"),
        ("https://127.0.0.256/", "four decimal numbers"),
        ("https://1.2.3.4.5/", "four decimal numbers"),
        ("https://0x/", "four decimal numbers"),
        ("https://[::1/", "a host"),
        ("https://[fe80::1%25eth0]/", "a host"),
        ("https://[1::2::3]/", "is not an IPv6 address"),
        ("https://::1/", "a host"),
        ("https://localhost/", "reached from outside"),
        ("https://LOCALHOST:8443/", "reached from outside"),
        ("https://a.b.localhost/", "reached from outside"),
        ("https://127.0.0.1/", "reached from outside"),
        ("https://169.254.169.254/latest/meta-data", "reached from outside"),
        ("https://192.0.0.192/opc/v2/instance/", "reached from outside"),
        ("https://168.63.129.16/machine", "reached from outside"),
        ("https://[::1]/", "reached from outside"),
        ("https://[::ffff:127.0.0.1]/", "reached from outside"),
        ("https://[64:ff9b::7f00:1]/", "reached from outside"),
    ],
)
def test_a_url_of_another_form_or_to_the_inside_is_rejected_with_what_to_send(
    url: str, issue: str
) -> None:
    with pytest.raises(UrlError, match=issue):
        check_url(url, [], WEBHOOK_URLS)


@pytest.mark.parametrize(
    ("url", "allows"),
    [
        ("https://127.0.0.1/", "WEBHOOK_ALLOWED_NETWORKS=127.0.0.0/8"),
        ("https://localhost/", "WEBHOOK_ALLOWED_NETWORKS=127.0.0.0/8"),
        ("https://[::1]/", "WEBHOOK_ALLOWED_NETWORKS=::1"),
        ("https://10.1.2.3/", "WEBHOOK_ALLOWED_NETWORKS=10.1.2.3"),
    ],
)
def test_a_rejection_of_a_private_address_says_how_the_operator_allows_it(url: str, allows: str):
    with pytest.raises(UrlError) as rejected:
        check_url(url, [], WEBHOOK_URLS)
    assert f"the operator can allow it by {allows} in the environment" in str(rejected.value)


def test_no_error_says_how_to_allow_the_metadata_of_a_cloud() -> None:
    with pytest.raises(UrlError) as rejected:
        check_url("https://169.254.169.254/", [], WEBHOOK_URLS)
    assert "the operator can" not in str(rejected.value)


def test_the_error_of_a_source_over_http_says_what_helps_at_its_address() -> None:
    for url, helps in (
        ("http://127.0.0.1:9090", "allow it by SOURCE_ALLOWED_NETWORKS=127.0.0.0/8"),
        ("http://localhost:9090", "allow it by SOURCE_ALLOWED_NETWORKS=127.0.0.0/8"),
        ("https://127.0.0.1:9090", "allow it by SOURCE_ALLOWED_NETWORKS=127.0.0.0/8"),
        ("http://8.8.8.8", "may only be reached over https://"),
        ("http://prometheus.internal", "SOURCE_ALLOWED_NETWORKS, which is empty: send an https"),
    ):
        with pytest.raises(UrlError, match=helps):
            check_url(url, [], SOURCE_URLS)


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost", "a.localhost"])
def test_loopback_is_accepted_where_it_is_allowed(host: str) -> None:
    assert check_url(f"https://{host}:8443/", LOOPBACK, WEBHOOK_URLS).port == 8443


@pytest.mark.parametrize(
    ("url", "receiver"),
    [
        ("https://Hooks.Example.com/a", "hooks.example.com:443"),
        ("https://hooks.example.com:443", "hooks.example.com:443"),
        ("https://hooks.example.com:8443/b?c", "hooks.example.com:8443"),
        ("https://[2606:4700::1111]:444/", "[2606:4700::1111]:444"),
        ("", ""),
    ],
)
def test_a_receiver_is_a_host_and_a_port(url: str, receiver: str) -> None:
    assert host_and_port(url) == receiver
