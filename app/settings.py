"""Every environment variable the service reads, in one typed table.

``load_settings`` is the only reader of the environment; the README's table of settings is held to
``SETTINGS`` by a test. A value that cannot be understood stops the start with one clear line.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from dotenv import load_dotenv

from app import setting_readers as readers
from app.setting_readers import Network

MEBIBYTE = 1024 * 1024


class SettingError(ValueError):
    """A setting has a value that cannot be used; the message names it and what it may be."""


@dataclass(frozen=True)
class Setting:
    """One environment variable: its name, default as a string, how it is read, what it means."""

    name: str
    default: str
    read: Callable[[str], Any]
    meaning: str


SETTINGS: dict[str, Setting] = {
    "database_url": Setting(
        "DATABASE_URL",
        "sqlite:///forecast.db",
        readers.database_url,
        "Where keys, usage and (by default) limit counters live: an SQLAlchemy URL of SQLite or "
        "PostgreSQL. A relative SQLite path is under `instance/`.",
    ),
    "ratelimit_storage_uri": Setting(
        "RATELIMIT_STORAGE_URI",
        "",
        readers.counter_url,
        "Where limit counters live. Empty: `REDIS_URL` if that is set, else the database of "
        "`DATABASE_URL`. `redis://…` is Redis or Valkey; `memory://` is for one process alone.",
    ),
    "redis_url": Setting(
        "REDIS_URL",
        "",
        readers.counter_url,
        "What platforms call their Redis; counts when `RATELIMIT_STORAGE_URI` is empty.",
    ),
    "max_points": Setting(
        "MAX_POINTS",
        "50000",
        readers.whole(10, 1_000_000),
        "Longest series answered; above it 422.",
    ),
    "max_body_bytes": Setting(
        "MAX_BODY_BYTES",
        str(4 * MEBIBYTE),
        readers.whole(1024, 1024 * MEBIBYTE),
        "Largest request body in bytes; above it 413.",
    ),
    "anonymous_per_minute": Setting(
        "ANONYMOUS_PER_MINUTE",
        "60",
        readers.whole(1, 1_000_000),
        "Requests a minute that one address may send without a valid key; above it 429.",
    ),
    "public_docs": Setting(
        "PUBLIC_DOCS",
        "1",
        readers.flag,
        "0: no playground at `/`, no `/watch`, no `/docs`, no `/docs/errors`, no `/openapi.json`; "
        "they answer 404.",
    ),
    "account_dashboard": Setting(
        "ACCOUNT_DASHBOARD",
        "1",
        readers.flag,
        "0: no dashboard; `/account` and all under it answer 404.",
    ),
    "oidc_issuer": Setting(
        "OIDC_ISSUER",
        "",
        readers.issuer,
        "The identity provider that members may sign in by, with their verified address: its "
        "issuer, such as https://login.example.com. Empty: by password alone.",
    ),
    "oidc_client_id": Setting(
        "OIDC_CLIENT_ID",
        "",
        str,
        "What the identity provider calls this service; it sends members back to "
        "`/account/oidc/return`.",
    ),
    "oidc_client_secret": Setting(
        "OIDC_CLIENT_SECRET", "", str, "The secret that belongs to `OIDC_CLIENT_ID`."
    ),
    "pages_per_minute": Setting(
        "PAGES_PER_MINUTE",
        "300",
        readers.whole(1, 1_000_000),
        "Requests a minute that one address may send for pages and what they load, about 25 for "
        "a first visit; above it 429.",
    ),
    "require_https": Setting(
        "REQUIRE_HTTPS",
        "0",
        readers.flag,
        "1: answer plain HTTP with 403, told by X-Forwarded-Proto. For platforms whose router "
        "terminates TLS.",
    ),
    "trusted_proxies": Setting(
        "TRUSTED_PROXIES",
        "0",
        readers.whole(0, 10),
        "How many proxies in front set X-Forwarded-For and X-Forwarded-Proto (nginx alone: 1). "
        "With `REQUIRE_HTTPS` at least 1 is assumed.",
    ),
    "forecast_timeout_seconds": Setting(
        "FORECAST_TIMEOUT_SECONDS",
        "30",
        readers.whole(1, 600),
        "Hard limit of one forecast, waiting included; past it the answer is 500.",
    ),
    "forecast_queue": Setting(
        "FORECAST_QUEUE",
        "16",
        readers.whole(1, 256),
        "Forecasts that may wait for a free engine process; above it 503 with Retry-After.",
    ),
    "web_concurrency": Setting(
        "WEB_CONCURRENCY",
        "",
        readers.whole_or_cores,
        "Web workers, and as many engine processes. Empty: the number of cores.",
    ),
    "process_memory_mb": Setting(
        "PROCESS_MEMORY_MB",
        "400",
        readers.whole(1, 1_000_000),
        "MiB of memory above which an engine process is replaced by a fresh one, between two jobs.",
    ),
    "bind": Setting(
        "BIND",
        "",
        readers.address,
        "Where gunicorn listens: an address and port, or `unix:` and a path. Empty: "
        "`127.0.0.1:8000`, or all addresses at `PORT` if that is set.",
    ),
    "port": Setting(
        "PORT",
        "",
        readers.port,
        "Set by platforms, which route to it; counts when `BIND` is empty.",
    ),
    "metrics_allowed": Setting(
        "METRICS_ALLOWED",
        "127.0.0.0/8,::1/128",
        readers.networks,
        "Addresses and networks (CIDR, separated by commas) that `/metrics` answers; others get "
        "403. Behind a proxy it is the client's address that counts, if `TRUSTED_PROXIES` is set.",
    ),
    "monitor_points_kept": Setting(
        "MONITOR_POINTS_KEPT",
        "10000",
        readers.whole(1_000, 1_000_000),
        "Points that a monitor keeps, the newest; each takes about 100 bytes.",
    ),
    "monitor_events_kept": Setting(
        "MONITOR_EVENTS_KEPT",
        "1000",
        readers.whole(10, 100_000),
        "Events that a monitor keeps, the newest.",
    ),
    "monitors_per_account": Setting(
        "MONITORS_PER_ACCOUNT",
        "1000",
        readers.whole(0, 1_000_000),
        "Monitors that an account may have; above it 400. Each takes 100 kB beside its points.",
    ),
    "monitor_metrics": Setting(
        "MONITOR_METRICS",
        "1",
        readers.flag,
        "0: no line a monitor in `/metrics`, which then names no account's monitors.",
    ),
    "webhook_allowed_networks": Setting(
        "WEBHOOK_ALLOWED_NETWORKS",
        "",
        readers.networks_or_none,
        "Private addresses and networks (CIDR, separated by commas) that webhooks may be sent to. "
        "Empty: public addresses alone.",
    ),
    "usage_addresses": Setting(
        "USAGE_ADDRESSES",
        "1",
        readers.flag,
        "0: no caller's address is stored: not in usage, not in sessions, not in the audit trail.",
    ),
    "log_level": Setting("LOG_LEVEL", "INFO", readers.log_level, "Least severe log line written."),
}

OIDC = ("oidc_issuer", "oidc_client_id", "oidc_client_secret")


@dataclass(frozen=True)
class Settings:
    """The settings of one application, read and checked."""

    database_url: str
    ratelimit_storage_uri: str
    redis_url: str
    max_points: int
    max_body_bytes: int
    anonymous_per_minute: int
    public_docs: bool
    account_dashboard: bool
    oidc_issuer: str
    oidc_client_id: str
    oidc_client_secret: str = field(repr=False)
    pages_per_minute: int
    require_https: bool
    trusted_proxies: int
    forecast_timeout_seconds: int
    forecast_queue: int
    web_concurrency: int
    process_memory_mb: int
    bind: str
    port: str
    metrics_allowed: tuple[Network, ...]
    monitor_points_kept: int
    monitor_events_kept: int
    monitors_per_account: int
    monitor_metrics: bool
    webhook_allowed_networks: tuple[Network, ...]
    usage_addresses: bool
    log_level: str

    @property
    def counter_storage_uri(self) -> str:
        """The URI that limit counters go to, after the defaults have been applied."""
        return self.ratelimit_storage_uri or self.redis_url or self.database_url

    @property
    def proxies(self) -> int:
        """Proxies whose headers are believed; HTTPS cannot be told without one."""
        return max(self.trusted_proxies, int(self.require_https))

    @property
    def oidc(self) -> tuple[str, str, str]:
        """Issuer, client id and client secret of the identity provider; empty without one."""
        return (self.oidc_issuer, self.oidc_client_id, self.oidc_client_secret)

    @property
    def listen_address(self) -> str:
        """Where gunicorn listens, after the defaults have been applied."""
        return self.bind or (f"0.0.0.0:{self.port}" if self.port else "127.0.0.1:8000")


def load_settings(environ: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
    """Read all settings.

    Args:
        environ: The environment, in which an empty value counts as absent. By default the
            process's own, with what a file ``.env`` in the working directory adds to it.
        overrides: Values by field name that win over the environment, for tests.

    Raises:
        SettingError: A value cannot be used; the message names the variable and what it may be.
    """
    if environ is None:
        if not os.environ.get("FLASK_SKIP_DOTENV"):
            load_dotenv(".env")
        environ = os.environ
    values: dict[str, Any] = {}
    for one in fields(Settings):
        setting = SETTINGS[one.name]
        if one.name in overrides:
            values[one.name] = overrides[one.name]
            continue
        try:
            values[one.name] = setting.read(environ.get(setting.name) or setting.default)
        except ValueError as error:
            raise SettingError(f"{setting.name}: {error}") from None
    settings = Settings(**values)
    given = [name for name in OIDC if values[name]]
    if 0 < len(given) < len(OIDC):
        names = ", ".join(SETTINGS[name].name for name in OIDC)
        raise SettingError(f"{SETTINGS[given[0]].name}: of {names} send all three, or none")
    return settings
