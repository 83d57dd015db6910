"""Monitors of a live service, for tests of their pages in a browser."""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from app.identity.accounts.permissions import Permission
from tests.support.keys import new_key
from tests.support.series import with_a_season
from tests.support.server import Server

HOUR = dt.timedelta(hours=1)
LEARNED_POINTS = 400
HOOK = "https://hooks.example.com/monitors"


@dataclass(frozen=True)
class LiveMonitors:
    """An account with monitors of hourly points up to this hour."""

    server: Server
    key: str
    now: dt.datetime

    @classmethod
    def new(cls, server: Server) -> "LiveMonitors":
        key = new_key(
            server.environ["DATABASE_URL"], permissions=[Permission.READ, Permission.WRITE]
        )
        now = dt.datetime.now(dt.UTC).replace(minute=0, second=0, microsecond=0)
        return cls(server, key, now)

    def put(self, name: str, **settings: Any) -> None:
        body = {"data_frequency": "Hours", **settings}
        response = self.server.request(f"/monitors/{name}", body, self.key, method="PUT")
        assert response.status in (200, 201), response.body

    def put_webhook(self) -> None:
        """Create the webhook ``ops``."""
        response = self.server.request("/webhooks/ops", {"url": HOOK}, self.key, method="PUT")
        assert response.status in (200, 201), response.body

    def append(self, name: str, values: Sequence[float], hours: Iterable[int]) -> dict[str, Any]:
        """Append values; ``hours`` are their ages, 0 for the newest."""
        times = [(self.now - hour * HOUR).strftime("%Y-%m-%dT%H:%M:%SZ") for hour in hours]
        body = {"timestamps": times, "values": list(values)}
        response = self.server.request(f"/monitors/{name}/points", body, self.key)
        assert response.status == 200, response.body
        return response.json()

    def get(self, path: str) -> dict[str, Any]:
        response = self.server.request(f"/monitors{path}", key=self.key)
        assert response.status == 200, response.body
        return response.json()

    def fill(self) -> None:
        """Create a monitor in each state: anomalous, learning, normal, overdue, without points."""
        values = with_a_season(LEARNED_POINTS, period=24)
        hours = range(LEARNED_POINTS - 1, -1, -1)
        self.put("orders", direction="up")
        self.append("orders", values, hours)
        self.put_webhook()
        self.put("checkout-errors", webhook="ops")
        kept = [i for i in range(LEARNED_POINTS) if i not in (300, 301, 302, 350)]
        spoilt = [value + 40 * (i >= LEARNED_POINTS - 2) for i, value in enumerate(values)]
        self.append("checkout-errors", [spoilt[i] for i in kept], [hours[i] for i in kept])
        self.append("checkout-errors", [spoilt[350]], [hours[350]])
        self.put("nightly-export")
        self.append("nightly-export", values, [hour + 9 for hour in hours])
        self.put("search-latency")
        self.append("search-latency", values[:5], hours[-5:])
        self.put("signups", data_frequency="Minutes", step=5)
