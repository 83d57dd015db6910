"""Check URLs and addresses before the service connects to them.

Webhooks and sources are requests from inside the operator's network to addresses that customers
chose. So only URLs that all parsers read alike are accepted, and every address that a host resolves
to must be public or in an allowed network.
"""

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.core.http.errors import UrlError

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_HTTP_PORT, _HTTPS_PORT = 80, 443
MAX_URL_LENGTH = 2000
_MAX_HOST_LENGTH = 253  # the limit of DNS names
_URL = re.compile(r"https?://([^/?#]*)([/?][A-Za-z0-9._~!$&'()*+,;=:@/?%-]*)?", re.IGNORECASE)
_AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?", re.IGNORECASE)
_CONTROL = re.compile(r"%(?:[01][0-9a-f]|7f)", re.IGNORECASE)
_MALFORMED_ENCODING = re.compile(r"%(?![0-9a-f]{2})", re.IGNORECASE)
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
# If the last label is a number, parsers read the name as an IPv4 address.
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


def _networks(*blocks: str) -> list[Network]:
    return [*map(ipaddress.ip_network, blocks)]


_LOOPBACK = (ipaddress.ip_address("127.0.0.1"), ipaddress.ip_address("::1"))
_LOOPBACK_NETWORK = ipaddress.IPv4Network("127.0.0.0/8")
# Networks in which operators have servers: errors say how to allow them.
_PRIVATE = _networks(
    *("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7")
)
# IANA's special-purpose registries, so that all versions of Python reject the same addresses.
_SPECIAL_IPV4 = _networks(
    "0.0.0.0/8",  # this network
    "10.0.0.0/8",  # private
    "100.64.0.0/10",  # shared by carriers; metadata of Alibaba Cloud
    "127.0.0.0/8",  # loopback
    "168.63.129.16/32",  # public, but metadata in Microsoft's cloud
    "169.254.0.0/16",  # link-local; metadata of most clouds
    "172.16.0.0/12",  # private
    "192.0.0.0/24",  # protocol assignments; metadata of Oracle's cloud
    "192.0.2.0/24",  # documentation
    "192.31.196.0/24",  # anycast of AS112: the nearest server may be the operator's
    "192.52.193.0/24",  # anycast of AMT relays, likewise
    "192.88.99.0/24",  # anycast of 6to4 relays, retired
    "192.168.0.0/16",  # private
    "192.175.48.0/24",  # anycast of AS112
    "198.18.0.0/15",  # benchmarks
    "198.51.100.0/24",  # documentation
    "203.0.113.0/24",  # documentation
    "224.0.0.0/4",  # multicast
    "240.0.0.0/4",  # reserved, and broadcast
)
# Outside it are loopback, private, link-local, multicast and metadata addresses, and all others
# that are not assigned.
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_SPECIAL_IPV6 = _networks(
    "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID, anycast
    "2001:db8::/32",  # documentation
    "2620:4f:8000::/48",  # anycast of AS112
    "3fff::/20",  # documentation
)
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_PUBLIC_URL_REMEDY = "send a URL that can be reached from outside"
_PRIVATE_CERTIFICATE_HINT = (
    ", also in networks that the operator allows; for a private certificate the operator sets "
    "SSL_CERT_FILE"
)


@dataclass(frozen=True)
class UrlPolicy:
    """The URLs that are allowed for one purpose.

    Attributes:
        setting: The setting with the networks that are allowed besides public addresses.
        remedy: What to send instead of a user in the URL.
        can_be_http: Whether the networks of ``setting`` can also be reached over plain HTTP.
        is_base: Whether paths are appended, so that the URL cannot have a query.
    """

    setting: str
    remedy: str
    can_be_http: bool = False
    is_base: bool = False

    @property
    def resolution_problem(self) -> str:
        """Why a host is rejected: the same message for unknown and for internal names."""
        return (
            "the host does not resolve, or not only to public addresses and those that "
            f"{self.setting} allows"
        )


@dataclass(frozen=True)
class Target:
    """A parsed URL: ``host`` in lower case, without brackets; ``path`` with the query."""

    host: str
    port: int
    path: str
    is_plain: bool = False

    @property
    def scheme(self) -> str:
        return "http" if self.is_plain else "https"

    @property
    def has_default_port(self) -> bool:
        return self.port == (_HTTP_PORT if self.is_plain else _HTTPS_PORT)

    def is_allowed_at(self, address: IpAddress, allowed: Sequence[Network]) -> bool:
        """Return whether a connection to ``address`` is allowed; without TLS only if listed."""
        if self.is_plain:
            address = getattr(address, "ipv4_mapped", None) or address
            return any(address in network for network in allowed)
        return is_allowed_address(address, allowed)


def check_url(url: str, allowed: Sequence[Network], policy: UrlPolicy) -> Target:
    """Parse and check ``url``, without resolving the host.

    Raise UrlError if it is malformed, or its host is an address that is not allowed.
    """
    target = _parse_url(url, policy)
    literal = _ip_literal(target.host)
    if literal is not None and not target.is_allowed_at(literal, allowed):
        raise UrlError(f"the host {_rejection_text(target, policy, literal)}")
    is_localhost = target.host == "localhost" or target.host.endswith(".localhost")
    if is_localhost and not any(target.is_allowed_at(address, allowed) for address in _LOOPBACK):
        raise UrlError(f"localhost {_rejection_text(target, policy, _LOOPBACK[0])}")
    if target.is_plain and not allowed:
        raise UrlError(
            f"http:// is only for networks in {policy.setting}, which is empty: send an https:// "
            "URL, or ask the operator to allow the network of the host by it"
        )
    if policy.is_base and "?" in target.path:
        raise UrlError("send no query (?…): only the server, and the path before /api")
    return target


def _rejection_text(target: Target, policy: UrlPolicy, address: IpAddress) -> str:
    address = getattr(address, "ipv4_mapped", None) or address
    problem, remedy = "is not a public address", _PUBLIC_URL_REMEDY
    if is_allowed_address(address, []):
        problem, remedy = "may only be reached over https://", "send such a URL"
    elif not any(address in network for network in _PRIVATE):
        return f"{problem}, and {policy.setting} does not allow it; {remedy}"
    network = _LOOPBACK_NETWORK if address in _LOOPBACK_NETWORK else address
    return (
        f"{problem}; {remedy}, or the operator can allow it by {policy.setting}={network} in the "
        "environment of the service, such as before `make run`"
    )


def host_of(url: str) -> str:
    """Return the host in ``url``, the only part that may be logged; empty if there is none."""
    authority = _authority(url)
    return authority[1].lower() if authority else ""


def host_and_port(url: str) -> str:
    """Return ``host:port`` of ``url``; empty if it has no host."""
    authority = _authority(url)
    default_port = _HTTP_PORT if _is_plain(url) else _HTTPS_PORT
    return f"{authority[1].lower()}:{authority[2] or default_port}" if authority else ""


def _authority(url: str) -> re.Match[str] | None:
    match = _URL.match(url)
    return _AUTHORITY.fullmatch(match[1]) if match else None


def is_allowed_address(address: IpAddress, allowed: Sequence[Network]) -> bool:
    """Return whether ``address`` is public or in an allowed network.

    An IPv6 address that embeds an IPv4 address is treated like that address.
    """
    if isinstance(address, ipaddress.IPv6Address):
        if address.scope_id is not None:
            return False
        address = address.ipv4_mapped or address
    if any(address in network for network in allowed):
        return True
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in network for network in _SPECIAL_IPV4)
    if address in _NAT64:
        return is_allowed_address(ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF), allowed)
    if address.sixtofour is not None:
        return is_allowed_address(address.sixtofour, allowed)
    return address in _GLOBAL_UNICAST and not any(address in network for network in _SPECIAL_IPV6)


def _parse_url(url: str, policy: UrlPolicy) -> Target:
    """Parse ``url``; accept only what every parser reads alike."""
    if len(url) > MAX_URL_LENGTH:
        raise UrlError(f"send a URL of at most {MAX_URL_LENGTH} characters")
    is_plain = policy.can_be_http and _is_plain(url)
    if not is_plain and not url.lower().startswith("https://"):
        schemes = "https:// or http://" if policy.can_be_http else "https://"
        hint = _PRIVATE_CERTIFICATE_HINT if _is_plain(url) else ""
        raise UrlError(f"send a URL that starts with {schemes}{hint}")
    if not url.isascii():
        raise UrlError("send ASCII only: the host as xn--… (punycode), other characters as %XX")
    parts = _URL.fullmatch(url)
    if parts is None:
        raise UrlError("send no fragment (#…), and encode characters that URLs do not allow as %XX")
    authority = parts[1]
    path = parts[2] or "/"
    if _CONTROL.search(path):
        raise UrlError("send no encoded control characters (%00 to %1F, and %7F)")
    if _MALFORMED_ENCODING.search(path):
        raise UrlError("send two hexadecimal digits after each %, and % itself as %25")
    if "@" in authority:
        raise UrlError(f"send no user or password; {policy.remedy}")
    match = _AUTHORITY.fullmatch(authority)
    if match is None:
        raise UrlError("send https://, a host, optionally : and a port, and a path")
    port = int(match[2] or (_HTTP_PORT if is_plain else _HTTPS_PORT))
    if not 1 <= port <= 65_535:
        raise UrlError("send a port from 1 to 65535")
    host = match[1].lower()
    if not host.startswith("["):
        _check_name(host)
    return Target(host.strip("[]"), port, path if path.startswith("/") else f"/{path}", is_plain)


def _is_plain(url: str) -> bool:
    return url.lower().startswith("http://")


def _check_name(host: str) -> None:
    labels = host.split(".")
    if len(host) > _MAX_HOST_LENGTH or not all(_LABEL.fullmatch(label) for label in labels):
        raise UrlError("send a valid DNS name, such as hooks.example.com")
    if _NUMBER.fullmatch(labels[-1]) and _ip_literal(host) is None:
        raise UrlError("send an IPv4 address as four decimal numbers, such as 192.0.2.7")


def _ip_literal(host: str) -> IpAddress | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        if ":" in host:
            raise UrlError(
                "the host in brackets is not an IPv6 address; send one such as [2001:db8::7]"
            ) from None
        return None
