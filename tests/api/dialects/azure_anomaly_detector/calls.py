"""Calling Azure's Anomaly Detector as its clients do."""

from werkzeug.test import TestResponse

from tests.support.api import Api

PREFIX = "/anomalydetector/"


def azure(
    caller: Api, detect: str, body: object, version: str = "v1.1", **headers: str | None
) -> TestResponse:
    """POST to a path of it; ``body`` is sent as JSON, bytes as they are."""
    return caller.send("POST", f"{PREFIX}{version}/timeseries/{detect}/detect", body, **headers)
