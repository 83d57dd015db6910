"""Monitors for tests: made, fed and read over HTTP."""

import datetime as dt
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from werkzeug.test import TestResponse

from tests.support.api import Api
from tests.support.series import with_a_season

HOOK = "https://example.com/hook"
SETTINGS = {"data_frequency": "Minutes", "step": 5}
STEP = dt.timedelta(minutes=5)
START = dt.datetime(2100, 3, 4)  # so late that no monitor is overdue
LEARNED = 320  # points after which a monitor of five minutes judges: a day and a bit

_numbers = itertools.count()


def timestamp(place: int, suffix: str = "Z") -> str:
    """Of a place on the grid of five minutes."""
    return (START + place * STEP).isoformat() + suffix


def points(values: Sequence[Any], first: int = 0, suffix: str = "Z") -> dict[str, Any]:
    """Return a body of points, the first at the place ``first``."""
    places = range(first, first + len(values))
    return {"timestamps": [timestamp(p, suffix) for p in places], "values": list(values)}


def restless(number: int, seed: int = 1) -> list[float]:
    """Values without a season, around 100, with a noise of about 1."""
    return with_a_season(number, period=10**9, seed=seed)


@dataclass(frozen=True)
class Monitor:
    """A monitor of the caller ``api``."""

    api: Api
    name: str

    @classmethod
    def create(cls, api: Api, **settings: Any) -> "Monitor":
        """Return a new monitor of another name than all before."""
        monitor = cls(api, f"test-{next(_numbers)}")
        response = monitor.put(**settings)
        assert response.status_code == 201, response.get_data(as_text=True)
        return monitor

    @classmethod
    def create_with_webhook(cls, api: Api, **settings: Any) -> "Monitor":
        """Return a new monitor that sends its alerts to the webhook ``ops``."""
        response = api.send("PUT", "/webhooks/ops", {"url": HOOK})
        assert response.status_code in (200, 201), response.get_data(as_text=True)
        return cls.create(api, webhook="ops", **settings)

    @property
    def path(self) -> str:
        return f"/monitors/{self.name}"

    def put(self, **settings: Any) -> TestResponse:
        return self.api.send("PUT", self.path, SETTINGS | settings)

    def post(self, body: object) -> TestResponse:
        return self.api.send("POST", f"{self.path}/points", body)

    def append(self, values: Sequence[Any], first: int = 0) -> dict[str, Any]:
        """Return what appending ``values`` from the place ``first`` on responds with."""
        response = self.post(points(values, first))
        assert response.status_code == 200, response.get_data(as_text=True)
        return response.get_json()

    def get(self, rest: str = "") -> dict[str, Any]:
        """Return what GET of it, or of what is below it, responds with."""
        response = self.api.request("GET", self.path + rest)
        assert response.status_code == 200, response.get_data(as_text=True)
        return response.get_json()
