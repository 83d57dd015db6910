"""Monitors for tests, used over HTTP."""

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
LEARNED = 320  # points after which a five-minute monitor judges: just over a day

_numbers = itertools.count()


def timestamp(index: int, suffix: str = "Z") -> str:
    """Return the timestamp of an index on the five-minute grid."""
    return (START + index * STEP).isoformat() + suffix


def points(values: Sequence[Any], first: int = 0, suffix: str = "Z") -> dict[str, Any]:
    """Return a body of points from the index ``first`` on."""
    indices = range(first, first + len(values))
    return {"timestamps": [timestamp(p, suffix) for p in indices], "values": list(values)}


def noise_at_100(number: int, seed: int = 1) -> list[float]:
    """Return values around 100 without a season, with a noise of about 1."""
    return with_a_season(number, period=10**9, seed=seed)


@dataclass(frozen=True)
class Monitor:
    """A monitor of the caller ``api``."""

    api: Api
    name: str

    @classmethod
    def create(cls, api: Api, **settings: Any) -> "Monitor":
        """Create a monitor with a new name."""
        monitor = cls(api, f"test-{next(_numbers)}")
        response = monitor.put(**settings)
        assert response.status_code == 201, response.get_data(as_text=True)
        return monitor

    @classmethod
    def create_with_webhook(cls, api: Api, **settings: Any) -> "Monitor":
        """Create a monitor that sends its alerts to the webhook ``ops``."""
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
        """Append ``values`` from the index ``first`` on; return the body of the response."""
        response = self.post(points(values, first))
        assert response.status_code == 200, response.get_data(as_text=True)
        return response.get_json()

    def get(self, rest: str = "") -> dict[str, Any]:
        """Return the body of GET of the monitor, or of a path below it."""
        response = self.api.request("GET", self.path + rest)
        assert response.status_code == 200, response.get_data(as_text=True)
        return response.get_json()
