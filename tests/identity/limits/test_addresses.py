"""The limit of each address for requests without a valid key."""

import pytest

from tests.support.keys import post, verify

UNKNOWN = "ak_" + "0" * 64
pytestmark = pytest.mark.usefixtures("each_database")
PORTS = [("192.0.2.7:{}", "192.0.2.7"), ("[2001:db8::7]:{}", "2001:db8::8"), ("[::1]{:.0}", "::1")]


@pytest.fixture
def settings():
    return {"anonymous_per_minute": 3}


@pytest.fixture
def visit(client):
    """Send requests without a key from an address and return the statuses."""

    def send(address, times=1, **headers):
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        environ = {"REMOTE_ADDR": address}
        return [
            client.get("/verify", environ_base=environ, headers=sent).status_code
            for _ in range(times)
        ]

    return send


def test_past_the_limit_an_address_gets_429_with_everything_a_429_has(client, visit) -> None:
    assert visit("192.0.2.1", 3) == [401] * 3
    rejected = client.post("/forecast", json={}, environ_base={"REMOTE_ADDR": "192.0.2.1"})
    assert rejected.status_code == 429
    error = rejected.get_json()["error"]
    assert (error["code"], error["details"]["limit"]) == ("RATE_LIMIT_EXCEEDED", 3)
    assert rejected.headers["X-RateLimit-Remaining"] == "0"
    assert 0 < int(rejected.headers["Retry-After"]) <= 60


def test_an_address_has_its_own_count(visit) -> None:
    assert visit("192.0.2.1", 4)[-1] == 429
    assert visit("192.0.2.2") == [401]


def test_all_of_an_ipv6_network_of_64_bits_counts_as_one_address(visit) -> None:
    addresses = [f"2001:db8:1:2:{host:x}::1" for host in range(4)]
    assert [visit(address)[0] for address in addresses] == [401, 401, 401, 429]
    assert visit("2001:db8:1:3::1") == [401]


def test_an_ipv4_address_written_as_ipv6_is_the_same_address(visit) -> None:
    assert visit("::ffff:192.0.2.7", 3) == [401] * 3
    assert visit("192.0.2.7") == [429]
    assert visit("::ffff:192.0.2.8") == [401]


@pytest.mark.parametrize(("with_port", "without"), PORTS)
def test_an_address_with_a_port_is_that_address(visit, with_port, without) -> None:
    assert [visit(with_port.format(port))[0] for port in ("1", "65535", "443")] == [401] * 3
    assert visit(without) == [429]
    assert visit("192.0.2.99:1") == [401]


@pytest.mark.parametrize("address", ["", "unix:", "not-an-address", "[", "[]:1", ":", "1.2.3:4:5"])
def test_requests_without_an_address_are_limited_too(visit, address) -> None:
    assert visit(address, 4) == [401, 401, 401, 429]


def test_a_valid_key_is_served_even_if_its_address_is_over_the_limit(client, key, visit) -> None:
    assert visit("127.0.0.1", 5)[-1] == 429
    assert verify(client, key).status_code == 200
    assert post(client, key).headers["X-RateLimit-Limit"] == "100"


def test_a_valid_key_uses_nothing_of_its_address(client, key, visit) -> None:
    for _ in range(6):
        verify(client, key)
        post(client, key)
    assert visit("127.0.0.1", 3) == [401] * 3


def test_wrong_keys_count_and_are_stopped(client, visit) -> None:
    assert [verify(client, UNKNOWN).status_code for _ in range(4)] == [401, 401, 401, 429]
    assert post(client, UNKNOWN).status_code == 429


def test_unknown_paths_and_wrong_methods_need_no_key_but_count(client) -> None:
    seen = [
        client.get("/nothing").status_code,
        client.get("/forecast").status_code,
        client.post("/openapi.json").status_code,
        client.get("/nothing").status_code,
    ]
    assert seen == [404, 405, 405, 429]


def test_a_forged_address_is_ignored(visit) -> None:
    forged = [visit("192.0.2.1", X_Forwarded_For=f"10.0.0.{host}")[0] for host in range(4)]
    assert forged == [401, 401, 401, 429]


class TestBehindAProxy:
    """With TRUSTED_PROXIES=1 the address is that of the proxy's client."""

    @pytest.fixture
    def settings(self):
        return {"anonymous_per_minute": 3, "trusted_proxies": 1}

    def test_clients_are_counted_separately(self, visit) -> None:
        assert visit("127.0.0.1", 4, X_Forwarded_For="192.0.2.1")[-1] == 429
        assert visit("127.0.0.1", X_Forwarded_For="192.0.2.2") == [401]

    def test_addresses_that_a_client_puts_in_front_are_ignored(self, visit) -> None:
        forged = [
            visit("127.0.0.1", X_Forwarded_For=f"10.0.0.{host}, 192.0.2.1")[0] for host in range(4)
        ]
        assert forged == [401, 401, 401, 429]
