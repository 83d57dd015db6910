"""The settings of a client: the URL of the service, and the key."""

import ipaddress
import os
import re
import warnings
from dataclasses import dataclass, field
from numbers import Real

import httpx

from forecast_client.errors import SettingsError

URL_VARIABLE, KEY_VARIABLE = "FORECAST_URL", "FORECAST_KEY"
DEFAULT_TIMEOUT_SECONDS = 60.0  # twice the service's time limit of a forecast
MAX_TIMEOUT_SECONDS = 86_400.0
VISIBLE_ASCII = re.compile("[!-~]+")


class InsecureUrlWarning(UserWarning):
    """The key is sent unencrypted: the URL is http, to another machine."""


@dataclass(frozen=True)
class Settings:
    """The URL of the service, the key, and the timeout of one attempt."""

    url: str
    key: str = field(repr=False)
    timeout_seconds: float

    @classmethod
    def read(cls, url: str | None, key: str | None, timeout: float) -> "Settings":
        """Return validated settings; None is read from the environment.

        Raises:
            SettingsError: One is missing or invalid.
        """
        url = url or os.environ.get(URL_VARIABLE)
        key = key or os.environ.get(KEY_VARIABLE)
        if not url:
            raise SettingsError(f"the address is missing: pass it, or set {URL_VARIABLE}", "url")
        if not key:
            raise SettingsError(f"the API key is missing: pass it, or set {KEY_VARIABLE}", "key")
        if not isinstance(timeout, Real) or not 0 < timeout <= MAX_TIMEOUT_SECONDS:
            issue = f"{timeout!r}: pass seconds above 0, at most {MAX_TIMEOUT_SECONDS:.0f}"
            raise SettingsError(issue, "timeout")
        return cls(_checked_url(url.strip()), _checked_key(key.strip()), timeout)


def _checked_url(text: str) -> str:
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL:
        raise SettingsError("not a URL: pass one such as https://forecast.example", "url") from None
    if url.userinfo:
        raise SettingsError(
            "it has a user name or password: leave them out, the key is another argument", "url"
        )
    if url.scheme not in ("http", "https") or not url.host:
        raise SettingsError("incomplete: pass one such as https://forecast.example", "url")
    if url.query or url.fragment:
        raise SettingsError("it has a query or a fragment: leave out what follows ? or #", "url")
    if url.scheme == "http" and not _is_loopback(url.host):
        message = f"the API key goes unencrypted to {url.host}: pass a URL with https://"
        # The caller of the client's constructor.
        warnings.warn(message, InsecureUrlWarning, stacklevel=4)
    return str(url).rstrip("/")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _checked_key(key: str) -> str:
    if VISIBLE_ASCII.fullmatch(key) is None:
        raise SettingsError(
            "it has a space or another character that keys never have: pass only the key, which is "
            "ak_ and 64 hexadecimal characters",
            "key",
        )
    return key
