"""All environment variables of the service: each is a field of ``Settings``.

Only `app.core.environment` reads the environment. `make settings` writes the table in
`docs/running/settings.md`. With an invalid value the service does not start and reports the reason
in one line. Code that uses Flask gets the settings from ``app.api.service``; other code
gets them, or single values, as arguments.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from app.core import setting_parsers as parsers
from app.core.http.addresses import Network
from app.core.memory_units import MEBIBYTE
from app.core.setting_parsers import integer_parser
from app.timeseries.seconds import DAY_SECONDS

MAX_CALL_SECONDS = 70  # the largest time limit of the endpoints: a table's
_STOP_MARGIN_SECONDS = 15


@dataclass(frozen=True)
class Setting:
    """One environment variable: its name, default as a string, parser and meaning."""

    name: str
    default: str
    parse: Callable[[str], Any]
    help: str


def _setting(
    default: str, parse: Callable[[str], Any], help: str, *, is_secret: bool = False
) -> Any:
    """Declare a field of ``Settings``, read from the variable of its name in capitals."""
    return field(metadata={"setting": (default, parse, help)}, repr=not is_secret)


@dataclass(frozen=True)
class Settings:
    """The validated settings of one application."""

    database_url: str = _setting(
        "sqlite:///forecast.db",
        parsers.parse_database_url,
        "Database of all that is stored, such as accounts, keys, monitors with their points, "
        "webhooks, usage and (by default) limit counters: an SQLAlchemy URL of SQLite or "
        "PostgreSQL. A relative SQLite path is under `instance/`.",
    )
    ratelimit_storage_uri: str = _setting(
        "",
        parsers.parse_counter_url,
        "Store of the limit counters. Empty: `REDIS_URL` if that is set, else the database in "
        "`DATABASE_URL`. `redis://…` is Redis or Valkey; `memory://` works for a single process "
        "only.",
    )
    redis_url: str = _setting(
        "",
        parsers.parse_counter_url,
        "The name that platforms use for their Redis; used if `RATELIMIT_STORAGE_URI` is empty.",
    )
    max_points: int = _setting(
        "50000", integer_parser(10, 1_000_000), "Longest series accepted; longer ones get 422."
    )
    max_body_bytes: int = _setting(
        str(4 * MEBIBYTE),
        integer_parser(1024, 1024 * MEBIBYTE),
        "Largest request body in bytes; larger ones get 413.",
    )
    anonymous_per_minute: int = _setting(
        "60",
        integer_parser(1, 1_000_000),
        "Requests per minute from one address without a valid key; beyond that 429.",
    )
    public_docs: bool = _setting(
        "1",
        parsers.parse_flag,
        "0: no playground at `/`, no `/docs`, no `/docs/errors`, no `/openapi.json`; they "
        "return 404.",
    )
    account_dashboard: bool = _setting(
        "1", parsers.parse_flag, "0: no dashboard; `/account` and everything under it return 404."
    )
    oidc_issuer: str = _setting(
        "",
        parsers.parse_issuer,
        "Identity provider through which members can sign in with their verified address: its "
        "issuer, such as https://login.example.com. Empty: sign-in with a password only.",
    )
    oidc_client_id: str = _setting(
        "",
        str,
        "Client id of this service at the identity provider, with the redirect URI "
        "`/account/oidc/return`.",
    )
    oidc_client_secret: str = _setting(
        "", str, "Client secret for `OIDC_CLIENT_ID`.", is_secret=True
    )
    pages_per_minute: int = _setting(
        "1000",
        integer_parser(1, 1_000_000),
        "Requests per minute from one address for pages and their assets, about 80 for a first "
        "visit; beyond that 429. Also the blocks of 64 KiB per minute that an account may have "
        "read by `POST /read`.",
    )
    require_https: bool = _setting(
        "0",
        parsers.parse_flag,
        "1: reject plain HTTP, detected by X-Forwarded-Proto, with 403. For platforms whose "
        "router terminates TLS.",
    )
    trusted_proxies: int = _setting(
        "0",
        integer_parser(0, 10),
        "Number of proxies in front that set X-Forwarded-For and X-Forwarded-Proto (only nginx: "
        "1). With `REQUIRE_HTTPS` at least 1 is assumed.",
    )
    forecast_timeout_seconds: int = _setting(
        "30",
        integer_parser(1, 600),
        "Time limit of one forecast in seconds, including the wait for an engine process; after "
        "that 503 if it had to wait, else 500.",
    )
    forecast_queue: int = _setting(
        "256",
        integer_parser(1, 512),
        "Jobs that may wait for a free engine process, however short they are; beyond that 503 "
        "with Retry-After.",
    )
    forecast_wait_seconds: int = _setting(
        "5",
        integer_parser(1, 600),
        "Longest wait for a free engine process in seconds, as estimated from recent jobs: a job "
        "that would wait longer gets 503 with Retry-After immediately.",
    )
    web_concurrency: int = _setting(
        "",
        parsers.parse_integer_or_cores,
        "Number of web workers, and of engine processes (at least 2 of these with "
        "`PUBLIC_DOCS=1`). Empty: the number of cores, or what the control group of a container "
        "allows.",
    )
    process_memory_mb: int = _setting(
        "600",
        integer_parser(300, 1_000_000),
        "Maximum memory in MiB of an engine process, 230 of them at its start. A job that "
        "needs more gets 422, and the process is replaced.",
    )
    bind: str = _setting(
        "",
        parsers.parse_address,
        "Where gunicorn listens: an address and port, or `unix:` and a path. Empty: "
        "`127.0.0.1:8000`, or all addresses on `PORT` if that is set.",
    )
    port: str = _setting(
        "", parsers.parse_port, "Set by platforms that route to it; used if `BIND` is empty."
    )
    metrics_allowed: tuple[Network, ...] = _setting(
        "127.0.0.0/8,::1/128",
        parsers.parse_networks,
        "Addresses and networks (CIDR, separated by commas) that may read `/metrics`; others "
        "get 403. Behind a proxy the client's address counts, if `TRUSTED_PROXIES` is set.",
    )
    monitor_points_kept: int = _setting(
        "10000",
        integer_parser(1_000, 1_000_000),
        "Newest points kept per monitor; each takes 80 bytes in SQLite, 135 in PostgreSQL.",
    )
    monitor_events_kept: int = _setting(
        "1000", integer_parser(10, 100_000), "Newest events kept per monitor."
    )
    monitors_per_account: int = _setting(
        "1000",
        integer_parser(0, 1_000_000),
        "Monitors allowed per account; beyond that 400. Each takes some 5 kB besides its points.",
    )
    monitor_metrics: bool = _setting(
        "1",
        parsers.parse_flag,
        "0: `/metrics` has no line per monitor, so it does not name any account's monitors.",
    )
    webhooks_per_account: int = _setting(
        "100", integer_parser(0, 1_000_000), "Webhooks allowed per account; beyond that 400."
    )
    webhook_allowed_networks: tuple[Network, ...] = _setting(
        "",
        parsers.parse_optional_networks,
        "Private addresses and networks (CIDR, separated by commas) that webhooks may be sent "
        "to. Empty: public addresses only.",
    )
    source_allowed_networks: tuple[Network, ...] = _setting(
        "",
        parsers.parse_optional_networks,
        "Private addresses and networks (CIDR, separated by commas) where sources and their "
        "Alertmanagers may be, also over plain HTTP. Empty: public addresses only, over HTTPS.",
    )
    sources_per_account: int = _setting(
        "10",
        integer_parser(0, 10_000),
        "Sources allowed per account; beyond that 400. 0: no sources.",
    )
    queries_per_source: int = _setting(
        "50", integer_parser(1, 10_000), "Queries allowed per source; beyond that 400."
    )
    series_per_query: int = _setting(
        "500",
        integer_parser(1, 10_000),
        "Largest `max_series` of a query. Each series is a monitor.",
    )
    source_least_step: int = _setting(
        "15", integer_parser(1, DAY_SECONDS), "Smallest `step` of a query, in seconds."
    )
    secrets_key: tuple[str, ...] = _setting(
        "",
        parsers.parse_secrets_keys,
        "Keys that encrypt the credentials of sources in the database, separated by commas: the "
        "first encrypts, all decrypt. Empty: no credentials are accepted.",
        is_secret=True,
    )
    public_url: str = _setting(
        "",
        parsers.parse_public_url,
        "Where people reach the service, such as https://forecast.example.com: for links in "
        "alerts and invitations. Empty: no links in alerts.",
    )
    worker_polls: int = _setting(
        "2",
        integer_parser(1, 32),
        "Polls of sources that one worker computes at the same time; those that wait for a server "
        "do not count.",
    )
    usage_addresses: bool = _setting(
        "1",
        parsers.parse_flag,
        "0: callers' addresses are not stored: not in usage, sessions or the audit trail.",
    )
    log_level: str = _setting("INFO", parsers.parse_log_level, "Lowest severity that is logged.")

    @property
    def counter_storage_uri(self) -> str:
        """The URI of the limit counters' store, after defaults are applied."""
        return self.ratelimit_storage_uri or self.redis_url or self.database_url

    @property
    def proxies(self) -> int:
        """The number of trusted proxies; detecting HTTPS needs at least one."""
        return max(self.trusted_proxies, int(self.require_https))

    @property
    def oidc(self) -> tuple[str, str, str]:
        """Issuer, client id and client secret of the identity provider; empty if there is none."""
        return (self.oidc_issuer, self.oidc_client_id, self.oidc_client_secret)

    @property
    def engine_processes(self) -> int:
        """The number of engine processes: callers without a key never get the last one."""
        return max(self.web_concurrency, 2) if self.public_docs else self.web_concurrency

    @property
    def stop_seconds(self) -> int:
        """The time in which requests under way must end when the service stops or restarts."""
        return max(self.forecast_timeout_seconds, MAX_CALL_SECONDS) + _STOP_MARGIN_SECONDS

    @property
    def listen_address(self) -> str:
        """The address where gunicorn listens, after defaults are applied."""
        return self.bind or (f"0.0.0.0:{self.port}" if self.port else "127.0.0.1:8000")


# The variables by the fields of ``Settings``.
SETTINGS = {
    field.name: Setting(field.name.upper(), *field.metadata["setting"])
    for field in fields(Settings)
}
