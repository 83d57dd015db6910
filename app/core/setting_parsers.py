"""Parsers for the values of environment variables.

A parser raises ValueError for an invalid value; the message says what to set instead.
"""

import base64
import ipaddress
import re
from collections.abc import Callable
from urllib.parse import urlsplit

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from app.core.http.addresses import Network
from app.core.machine import available_concurrency

_MAX_PORT = 65_535
_MAX_DIGITS = 20  # more than any bound has; int() rejects very long strings with another message
SECRETS_KEY_BYTES = 32  # a key of Fernet
_COUNTER_SCHEMES = (
    "redis://", "rediss://", "redis+unix://", "valkey://", "valkeys://", "valkey+unix://",
    "postgresql+psycopg://", "sqlite://", "memory://",
)  # fmt: skip


def parse_flag(value: str) -> bool:
    words = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
    try:
        return words[value.lower()]
    except KeyError:
        raise ValueError("set 1 or 0") from None


def integer_parser(low: int, high: int) -> Callable[[str], int]:
    def parse(value: str) -> int:
        digits = value.strip()
        is_number = digits.isascii() and digits.isdigit() and len(digits) <= _MAX_DIGITS
        number = int(digits) if is_number else -1
        if not low <= number <= high:
            raise ValueError(f"set a whole number from {low} to {high}")
        return number

    return parse


def parse_integer_or_cores(value: str) -> int:
    """Parse a number of processes; empty: as many as cores and memory allow."""
    return integer_parser(1, 256)(value) if value else available_concurrency().processes


def parse_address(value: str) -> str:
    """Parse an address to listen on; may be empty."""
    host, _, port = value.rpartition(":")
    is_socket = value.startswith("unix:") and value != "unix:"
    is_port = port.isascii() and port.isdigit() and len(port) <= 5 and 0 < int(port) <= _MAX_PORT
    is_host = bool(host) and not value.startswith("unix:") and not set(host) & set("/ ")
    if value and not is_socket and not (is_host and is_port):
        raise ValueError("set an address and port, such as 127.0.0.1:8000, or unix:/path")
    return value


def parse_port(value: str) -> str:
    """Parse a port; may be empty."""
    return str(integer_parser(1, _MAX_PORT)(value)) if value else ""


def parse_networks(value: str) -> tuple[Network, ...]:
    """Parse addresses and networks, separated by commas."""
    try:
        return tuple(ipaddress.ip_network(part.strip()) for part in value.split(","))
    except ValueError as error:
        raise ValueError(
            f"{error}; set addresses or networks, such as 10.0.0.7,10.1.0.0/16"
        ) from None


def parse_optional_networks(value: str) -> tuple[Network, ...]:
    """Parse addresses and networks, separated by commas; may be empty."""
    return parse_networks(value) if value else ()


def parse_secrets_keys(value: str) -> tuple[str, ...]:
    """Parse Fernet keys, separated by commas; may be empty."""
    keys = tuple(part.strip() for part in value.split(",")) if value else ()
    for key in keys:
        try:
            is_key = len(base64.urlsafe_b64decode(key.encode())) == SECRETS_KEY_BYTES
        except ValueError:
            is_key = False
        if not is_key:
            raise ValueError("set keys as `openssl rand -base64 32 | tr +/ -_` makes them")
    return keys


def parse_issuer(value: str) -> str:
    """Parse the issuer of an identity provider; may be empty. Only localhost may use http."""
    is_local = re.match(r"http://(127\.0\.0\.1|localhost|\[::1\])(:[0-9]+)?(/|$)", value)
    if value and not is_local and not re.fullmatch(r"https://[^\s?#]+", value):
        raise ValueError("set the provider's https:// address, such as https://login.example.com")
    return value


def parse_public_url(value: str) -> str:
    """Parse the URL of the service for links; may be empty."""
    if value and not re.fullmatch(r"https?://[^\s?#]+", value):
        raise ValueError("set an address such as https://forecast.example.com")
    return value.rstrip("/")


def parse_log_level(value: str) -> str:
    """Parse the name of a log level, in any case."""
    levels = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
    if value.upper() not in levels:
        raise ValueError(f"set one of {', '.join(levels)}")
    return value.upper()


def normalize_database_url(value: str) -> str:
    """Return an SQLAlchemy URL, with the driver: platforms provide ``postgres://``."""
    for scheme in ("postgres://", "postgresql://"):
        if value.startswith(scheme):
            return "postgresql+psycopg://" + value.removeprefix(scheme)
    return value


def parse_database_url(value: str) -> str:
    """Parse the URL of the database: SQLite or PostgreSQL."""
    url = normalize_database_url(value)
    if not url.startswith(("sqlite://", "postgresql+psycopg://")):
        raise ValueError("set a URL of SQLite (sqlite:///…) or PostgreSQL (postgresql://…)")
    return _parse_url(url)


def parse_counter_url(value: str) -> str:
    """Parse the URL of the store for limit counters; may be empty."""
    url = normalize_database_url(value)
    if url and not url.startswith(_COUNTER_SCHEMES):
        raise ValueError("set a URL with redis://, postgresql://, sqlite:// or memory://")
    return _parse_url(url)


def _parse_url(url: str) -> str:
    try:
        _ = urlsplit(url).port  # the property raises
        if url.startswith(("sqlite:", "postgresql+psycopg:")):
            make_url(url)
    except (ArgumentError, ValueError):
        raise ValueError("not a valid URL; set one with user:password@host:port/name") from None
    return url
