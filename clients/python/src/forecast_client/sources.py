"""Servers with Prometheus' API, and their queries: ``sources`` of both clients."""

from collections.abc import Sequence
from typing import TypedDict, Unpack

from forecast_client import calls
from forecast_client.calls import UNCHANGED, Call
from forecast_client.records import Query, QueryOptions, Source
from forecast_client.resources import AnyTransport, Method, NamedResource, segment


class BearerAuthorization(TypedDict):
    """A token: ``{"type": "bearer", "token": "…"}``."""

    type: str
    token: str


class BasicAuthorization(TypedDict):
    """A user and a password: ``{"type": "basic", "username": "…", "password": "…"}``."""

    type: str
    username: str
    password: str


class Sources(NamedResource[AnyTransport, Source]):
    """The sources of the account. Each series that a query returns becomes a monitor."""

    noun, record = "source", Source

    @Method
    def put(
        self,
        name: str,
        url: str,
        *,
        authorization: BearerAuthorization | BasicAuthorization | None = UNCHANGED,
        tenant: str | None = None,
        alertmanagers: Sequence[str] = (),
        labels: dict[str, str] | None = None,
    ) -> Call[Source]:
        """Create a source, or replace the settings of the one with this name.

        ``client.sources.put("prod", "https://prometheus.example")``

        Args:
            name: 1 to 40 of a-z, 0-9, hyphens, underscores and dots.
            url: The URL of the server, without ``/api/v1``.
            authorization: A token or a password, stored encrypted; None: none. If omitted, the
                stored one is kept.
            tenant: Sent as ``X-Scope-OrgID``; None: not sent.
            alertmanagers: URLs of Alertmanagers that receive the open alerts.
            labels: Added to each of these alerts.
        """
        body = calls.without_none(url=url, tenant=tenant, labels=labels)
        body |= {"alertmanagers": list(alertmanagers)}
        if authorization is not UNCHANGED:
            body["authorization"] = authorization
        return self._put(name, body)

    @Method
    def get_query(self, source: str, name: str) -> Call[Query]:
        """Return a query of a source: its settings, its state, and problems of its series.

        ``queries`` of ``get`` has the names of all queries of a source.
        """
        return Call("GET", self._query_path(source, name), calls.reader(Query))

    @Method
    def put_query(
        self, source: str, name: str, query: str, **options: Unpack[QueryOptions]
    ) -> Call[Query]:
        """Create a query, or replace the settings of it and of its monitors.

        ``client.sources.put_query("prod", "errors", "sum by (job) (rate(errors_total[5m]))")``

        Args:
            source: The name of its source.
            name: As for a source; unique in the source.
            query: PromQL. It cannot change once there are monitors, nor can ``step``.
            options: See ``QueryOptions``.
        """
        content = calls.json_content({"query": query, **options})
        return Call("PUT", self._query_path(source, name), calls.reader(Query), content)

    @Method
    def delete_query(self, source: str, name: str) -> Call[None]:
        """Delete a query, its monitors, and all that they have learned."""
        return Call("DELETE", self._query_path(source, name), calls.read_nothing)

    def _query_path(self, source: str, name: str) -> str:
        return self._path(source, "queries", segment("query", name))
