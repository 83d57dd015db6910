"""Corrections to generated bodies for rules that a schema cannot express."""

from typing import Any

from app.api.dialects.azure_anomaly_detector.grid import FREQUENCIES
from app.api.dialects.azure_anomaly_detector.routes import PATH_PREFIX
from tests.support.series import regular_body

__all__ = ["PATH_PREFIX", "make_valid"]


def make_valid(body: dict[str, Any]) -> None:
    """Put the points on a grid, and what depends on their number within its bounds."""
    points = body["series"]
    frequency = FREQUENCIES.get(body.get("granularity"))
    times = regular_body(frequency or "Daily", points=len(points))["series"][0]["timestamps"]
    for point, time in zip(points, times, strict=True):
        point["timestamp"] = time
    if frequency is None:
        body["granularity"] = "none"
    body.pop("customInterval", None)
    for name in ("period", "stableTrendWindow"):
        if name in body:
            body[name] = min(body[name], (len(points) - 1) // 2)
    if body.get("imputeMode") == "fixed":
        body.setdefault("imputeFixedValue", 0)
