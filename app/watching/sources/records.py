"""The public types and errors of sources, without heavy imports."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from app.anomalies.results import Direction
from app.core.http.errors import HttpError
from app.timeseries.calendar.frequency import Frequency
from app.watching.monitors.records import MonitorSettings
from app.watching.sources.models import QueryState

Labels = dict[str, str]

_UNITS = ((Frequency.HOURS, 3_600), (Frequency.MINUTES, 60), (Frequency.SECONDS, 1))


@dataclass(frozen=True)
class Authorization:
    """The credentials of a source: ``type`` is ``bearer`` (a token) or ``basic`` (a password).

    ``user`` is empty for a token.
    """

    type: str
    secret: str
    user: str = ""


class KeepAuthorization:
    """Sent instead of an authorization: the one that is stored is kept."""


KEEP_AUTHORIZATION = KeepAuthorization()


@dataclass(frozen=True)
class SourceOrder:
    """The settings of a source."""

    url: str
    authorization: Authorization | KeepAuthorization | None
    tenant: str | None
    alertmanagers: Sequence[str]


@dataclass(frozen=True)
class QueryOrder:
    """The settings of a query: see `app.watching.sources.models.SourceQuery`.

    ``webhook`` is the name of the webhook that gets its alerts.
    """

    query: str
    step: int
    history: int
    delay: int
    max_series: int
    false_alarm_rate: float
    direction: Direction
    alert_severity: float
    alert_min_deviation: float
    muted_until: dt.datetime | None
    webhook: str | None

    @property
    def monitor(self) -> MonitorSettings:
        """The settings of each of its monitors."""
        frequency, seconds = next(unit for unit in _UNITS if self.step % unit[1] == 0)
        return MonitorSettings(
            frequency,
            self.step // seconds,
            self.false_alarm_rate,
            self.direction,
            self.alert_severity,
            self.alert_min_deviation,
            self.muted_until,
        )


@dataclass(frozen=True)
class SourceRecord:
    """A source at one moment: ``authorization`` is its type; ``queries`` are states by name."""

    name: str
    url: str
    authorization: str | None
    tenant: str | None
    alertmanagers: Sequence[str]
    created_at: dt.datetime
    queries: dict[str, QueryState]


@dataclass(frozen=True)
class QueryRecord:
    """A query at one moment.

    ``series`` are those of the newest response, ``monitors`` those that are watched. ``read_to`` is
    the newest step that was read.
    """

    source: str
    name: str
    settings: QueryOrder
    state: QueryState
    series: int
    monitors: int
    read_to: dt.datetime | None
    polled_at: dt.datetime | None
    failing_since: dt.datetime | None
    problem: str | None
    notices: Sequence[str]
    created_at: dt.datetime


class NoSuchSourceError(Exception):
    """The account has no source called ``name``."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no source {name!r}")
        self.name = name


class NoSuchQueryError(Exception):
    """The source has no query called ``name``."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no query {name!r}")
        self.name = name


class QueryElsewhereError(Exception):
    """Another source of the account, ``source``, has a query of this name."""

    def __init__(self, source: str) -> None:
        super().__init__(f"the source {source!r} has a query of this name")
        self.source = source


class QueryFixedError(Exception):
    """A query that has monitors cannot change ``field``."""

    def __init__(self, field: str) -> None:
        super().__init__(f"{field} cannot change")
        self.field = field


class TooManySourcesError(Exception):
    """The account already has ``limit`` sources."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"an account has at most {limit} sources")
        self.limit = limit


class TooManyQueriesError(Exception):
    """The source already has ``limit`` queries."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"a source has at most {limit} queries")
        self.limit = limit


class AuthorizationNeededError(Exception):
    """The source moves to another server, which must not get the credentials for the old one."""


class NoSecretsKeyError(Exception):
    """There is no key to encrypt credentials with."""


class UnreadableCredentialsError(Exception):
    """The credentials were encrypted with a key that is no longer known."""

    def __init__(self) -> None:
        super().__init__(
            "the stored credentials cannot be decrypted: send authorization again, or ask the "
            "operator for the former SECRETS_KEY"
        )


class SourceError(HttpError):
    """A server responds, but not as Prometheus does."""
