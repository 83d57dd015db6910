"""The public types and errors of sources, without heavy imports."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from app.core.http.addresses import MAX_URL_LENGTH, UrlPolicy
from app.core.http.errors import HttpError
from app.core.record_fields import NAME_METADATA, described_field
from app.core.unchanged import UNCHANGED, Unchanged
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.seconds import DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS
from app.watching.models.sources import (
    MAX_QUERY_LENGTH,
    MAX_SOURCE_NAME_LENGTH,
    MAX_TENANT_LENGTH,
    QueryState,
)
from app.watching.monitors.settings.monitor_settings import AlertSettings, MonitorSettings

Labels = dict[str, str]

SOURCE_URLS = UrlPolicy(
    "SOURCE_ALLOWED_NETWORKS", "send them as authorization", can_be_http=True, is_base=True
)

_DEFAULT_STEP_SECONDS, _DEFAULT_DELAY_SECONDS = 300, 45
_DEFAULT_HISTORY_STEPS, _MAX_HISTORY_STEPS = 4_032, 10_000
_MAX_DELAY_SECONDS = HOUR_SECONDS
DEFAULT_MAX_SERIES = 100
MAX_ALERTMANAGERS = 5
MAX_ALERT_LABELS = 10

SHORT_NAME = NAME_METADATA | {"maxLength": MAX_SOURCE_NAME_LENGTH}
_TENANT: dict[str, Any] = {
    "label": "Tenant (optional)",
    "hint": "Sent as X-Scope-OrgID, for Mimir and Cortex.",
    "description": "Sent as `X-Scope-OrgID`, which Mimir, Cortex and gateways read; null: not "
    "sent.",
    "minLength": 1,
    "maxLength": MAX_TENANT_LENGTH,
    "pattern": "^ *[!-~][ -~]*$",
}
_ALERTMANAGERS: dict[str, Any] = {
    "label": "Alertmanagers (optional)",
    "hint": "One address a line, all of a cluster: alerts that are open are sent to each.",
    "description": "Alertmanagers that receive the open alerts; each of a cluster.",
    "maxItems": MAX_ALERTMANAGERS,
}
_LABELS: dict[str, Any] = {
    "label": "Labels of alerts (optional)",
    "hint": "One a line, such as team=shop: for the routes of Alertmanagers.",
    "description": "Labels of each alert that Alertmanagers get, for their routes; those of a "
    "query replace those of its source.",
    "maxProperties": MAX_ALERT_LABELS,
    "examples": [{"team": "shop"}],
}
QUERY_STATE_MEANINGS = (
    "`waiting`: not read yet, for longer only if no worker runs; `filling`: the history is being "
    "read and learned; `live`: the newest poll succeeded; `failing`: it failed, and is repeated; "
    "`refused`: the query returns too many series."
)

_UNITS = (
    (Frequency.HOURS, HOUR_SECONDS),
    (Frequency.MINUTES, MINUTE_SECONDS),
    (Frequency.SECONDS, 1),
)


@dataclass(frozen=True)
class Authorization:
    """The credentials of a source: ``type`` is ``bearer`` (a token) or ``basic`` (a password).

    ``user`` is empty for a token.
    """

    type: str
    secret: str
    user: str = ""


@dataclass(frozen=True)
class SourceSettings:
    """What clients set of a source."""

    url: str = described_field(
        "Address of the server; its API is under this and `/api/v1`. `https://` to public "
        "addresses; `http://` and private addresses only where the operator allows them.",
        maxLength=MAX_URL_LENGTH,
        pattern="^https?://",
        examples=["http://prometheus.internal:9090"],
        label="Address",
        hint="Such as https://prometheus.example.com; a path before /api is allowed. http:// and "
        "internal addresses only where the operator allows them.",
    )
    authorization: Authorization | Unchanged | None = described_field(
        "Credentials, which are stored encrypted and never shown; null: "
        "none. Absent: the stored ones are kept, if scheme, host and port of `url` stay.",
        writeOnly=True,
        default_factory=lambda: UNCHANGED,
    )
    tenant: str | None = described_field(**_TENANT, default=None)
    alertmanagers: Sequence[str] = described_field(**_ALERTMANAGERS, default_factory=list)
    labels: Labels = described_field(**_LABELS, default_factory=dict)


@dataclass(frozen=True)
class PollSettings:
    """What is read of a source, how far back and how often."""

    query: str = described_field(
        "PromQL, which the source parses. Each series that it returns is a "
        "monitor. Cannot change once there are monitors.",
        minLength=1,
        maxLength=MAX_QUERY_LENGTH,
        examples=["sum by (service) (rate(http_requests_total[5m]))"],
        label="PromQL",
        hint="Each series that it returns is watched. Ask for rates, shares and quantiles, by few "
        "labels: sum by (service) (rate(http_requests_total[5m])).",
    )
    step: int = described_field(
        "Seconds between two points: a divisor of a day, by default at least 15. With 300, days "
        "and weeks are learned from the history. Cannot change once there are monitors.",
        minimum=1,
        maximum=DAY_SECONDS,
        default=_DEFAULT_STEP_SECONDS,
        label="Seconds between two points",
        hint="300: days and weeks are learned from two weeks of history, and an alert comes up to "
        "6 minutes after a fault. For a first try 60: 2 minutes after, from 3 days of history.",
    )
    history: int = described_field(
        "Steps that are read and learned when the query is new.",
        minimum=0,
        maximum=_MAX_HISTORY_STEPS,
        default=_DEFAULT_HISTORY_STEPS,
        label="History, in steps",
        hint="Read and learned when the query is new.",
    )
    delay: int = described_field(
        "Seconds after which a step is read. VictoriaMetrics needs at least 30.",
        minimum=0,
        maximum=_MAX_DELAY_SECONDS,
        default=_DEFAULT_DELAY_SECONDS,
        label="Delay, in seconds",
        hint="A step is read this long after it.",
    )
    max_series: int = described_field(
        "Maximum number of series; if the query returns more, no monitor is created. The default "
        "is less if the operator allows less.",
        minimum=1,
        default=DEFAULT_MAX_SERIES,
        label="Maximum series",
        hint="If it returns more, nothing is watched.",
    )


@dataclass(frozen=True)
class QuerySettings(AlertSettings, PollSettings):
    """What clients set of a query, and of each of its monitors."""

    labels: Labels = described_field(**_LABELS, default_factory=dict)

    @property
    def monitor_settings(self) -> MonitorSettings:
        frequency, seconds = next(unit for unit in _UNITS if self.step % unit[1] == 0)
        shared = {field.name: getattr(self, field.name) for field in fields(AlertSettings)}
        return MonitorSettings(frequency, self.step // seconds, **shared | {"webhook": None})


@dataclass(frozen=True, kw_only=True)
class AlertmanagerFailure:
    """An Alertmanager that does not accept alerts."""

    url: str = described_field("Its address, as in `alertmanagers`.")
    problem: str = described_field("Why the newest request failed.")
    failing_since: dt.datetime = described_field("Since when all requests have failed.")


@dataclass(frozen=True, kw_only=True)
class SourceRecord:
    """A source at one moment: ``authorization`` is its type; ``queries`` are states by name."""

    name: str = described_field(**SHORT_NAME)
    url: str = described_field()
    authorization: str | None = described_field(
        "The type of the stored credentials; null: there are none."
    )
    tenant: str | None = described_field(**_TENANT)
    alertmanagers: Sequence[str] = described_field(**_ALERTMANAGERS)
    labels: Labels = described_field(**_LABELS)
    failing_alertmanagers: Sequence[AlertmanagerFailure] = described_field(
        "Those of `alertmanagers` that did not accept the newest request; one is sent every 15 s, "
        "with alerts or without."
    )
    queries: dict[str, QueryState] = described_field("By name.")
    created_at: dt.datetime = described_field("When it was created.")


@dataclass(frozen=True, kw_only=True)
class QueryRecord:
    source: str = described_field(**SHORT_NAME)
    name: str = described_field(**SHORT_NAME)
    settings: QuerySettings = described_field(is_inlined=True)
    state: QueryState = described_field(QUERY_STATE_MEANINGS)
    series: int = described_field("Series in the newest response.", minimum=0)
    monitors: int = described_field("Series that are watched, each as a monitor.", minimum=0)
    read_to: dt.datetime | None = described_field(
        "The newest step that was read; null before the history was."
    )
    polled_at: dt.datetime | None = described_field(
        "When the newest poll ended; null before the first."
    )
    failing_since: dt.datetime | None = described_field(
        "Since when polls fail; null unless `state` is `failing`."
    )
    problem: str | None = described_field(
        "The source's message when it is `failing` or `refused`; else null."
    )
    notices: Sequence[str] = described_field(
        "What looks wrong about the series, and what to ask instead."
    )
    created_at: dt.datetime = described_field("When it was created.")


class NoSuchSourceError(Exception):
    """The account has no source called ``name``."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no source {name!r}")


class NoSuchQueryError(Exception):
    """The source has no query called ``name``."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no query {name!r}")


class QueryFixedError(Exception):
    """A query that has monitors cannot change ``field``."""

    def __init__(self, field: str) -> None:
        super().__init__(f"{field} cannot change")
        self.field = field


class AuthorizationNeededError(Exception):
    """The source moves to another server, which must not get the credentials for the old one."""


class NoSecretsKeyError(Exception):
    """There is no key to encrypt credentials with."""


class UnreadableCredentialsError(Exception):
    """The credentials were encrypted with an unknown key."""

    def __init__(self) -> None:
        super().__init__(
            "the stored credentials cannot be decrypted: send authorization again, or ask the "
            "operator for the previous SECRETS_KEY"
        )


class SourceError(HttpError):
    """A server responds, but not as Prometheus does."""


class QueryRejectedError(SourceError):
    """The server rejects the query, as its parser does."""
