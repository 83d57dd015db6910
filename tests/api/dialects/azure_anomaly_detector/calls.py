"""Calls of Azure's Anomaly Detector as its clients send them."""

from werkzeug.test import TestResponse

from tests.support.api import Api

PREFIX = "/anomalydetector/"


def azure(
    caller: Api, detect: str, body: object, version: str = "v1.1", **headers: str | None
) -> TestResponse:
    """Send POST to one of its paths; ``body`` is sent as JSON, bytes unchanged."""
    return caller.send("POST", f"{PREFIX}{version}/timeseries/{detect}/detect", body, **headers)
