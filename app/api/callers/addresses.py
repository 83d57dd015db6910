"""The addresses of callers, as limits count them and as they are stored."""

import functools
import ipaddress

from flask import request

from app.api.service import current_settings

UNKNOWN_ADDRESS = "unknown"


def caller_network() -> str:
    """Return the caller's address; for IPv6 its /64 network, which belongs to one customer."""
    return network_of(request.remote_addr or "")


@functools.lru_cache(maxsize=10_000)
def network_of(text: str) -> str:
    """Return the address in ``text`` as limits count it, ``UNKNOWN_ADDRESS`` if there is none."""
    address = _parse_address(text)
    if address is None:
        return UNKNOWN_ADDRESS
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def caller_address() -> str | None:
    """Return the caller's address as it is stored; None if addresses are not stored."""
    if not current_settings().usage_addresses:
        return None
    address = _parse_address(request.remote_addr or "")
    # The scope of an IPv6 address (fe80::1%eth0) may be long, and says nothing on other machines.
    return None if address is None else str(address).partition("%")[0]


def _parse_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Parse an address; return None for anything else.

    Some proxies append a port to the address that they forward: ``192.0.2.1:443``, ``[::1]:443``.
    """
    bare = text[1:].partition("]")[0] if text.startswith("[") else text
    try:
        return ipaddress.ip_address(bare.partition(":")[0] if bare.count(":") == 1 else bare)
    except ValueError:
        return None
