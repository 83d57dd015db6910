"""Hooks of schemathesis: what no schema can say of a valid request is put right before it is sent.

That is: one regular step, columns of equal length, one frequency, and that X-Model-Selector is not
read beside X-Model-Id. Then each request that is meant to be valid must be answered 200, and each
that is not must be refused.
"""

from typing import Any

import schemathesis
from schemathesis.core import NOT_SET
from schemathesis.core.parameters import ParameterLocation

from app.api.azure_anomaly_detector.dialect import PREFIX
from app.api.azure_anomaly_detector.grid import FREQUENCIES
from app.api.series.columns import MIN_POINTS
from app.forecasting.series import MODEL_IDS
from tests.support.api import QUICK_MODEL
from tests.support.series import regular

SUFFIXES = ("", "Z", "+05:30")


@schemathesis.hook
def before_load_schema(_context: schemathesis.HookContext, document: dict[str, Any]) -> None:
    """Make timestamps without their pattern, which takes as long as all else.

    Those of good series are replaced below; those of others are refused with or without it.
    """
    schemas = document["components"]["schemas"]
    for name in ("TimeSeries", "LongerTimeSeries"):
        del schemas[name]["properties"]["timestamps"]["items"]["pattern"]


@schemathesis.hook
def before_call(
    _context: schemathesis.HookContext, case: schemathesis.Case, _options: dict[str, object]
) -> None:
    """Name the model of ``case`` once, and make a real series of its values."""
    headers = case.headers
    if {"X-Model-Id", "X-Model-Selector"} <= set(headers):
        del headers["X-Model-Selector" if headers["X-Model-Id"] not in MODEL_IDS else "X-Model-Id"]
    if case.body is NOT_SET or case.meta.is_negative_at(ParameterLocation.BODY):
        return
    if case.path.startswith(PREFIX):
        _mend_azure(case.body)
        return
    column = case.body["series"][0]
    points = len(column["values"])
    good = regular(case.body["data_frequency"], points=points)
    # Each form of a timestamp has its turn, the one without an offset too.
    suffix = SUFFIXES[points % len(SUFFIXES)]
    column["timestamps"] = [text + suffix for text in good["series"][0]["timestamps"]]
    if "forecast_frequency" not in case.body:
        return
    case.body["forecast_frequency"] = case.body["data_frequency"]
    # The document is what is tested here: most forecasts are left to the quick model.
    if not {"X-Model-Id", "X-Model-Selector"} & set(headers) and points > MIN_POINTS:
        case.headers["X-Model-Id"] = QUICK_MODEL


def _mend_azure(body: dict[str, Any]) -> None:
    """Put the points on their grid, and what depends on their number into bounds."""
    points = body["series"]
    frequency = FREQUENCIES.get(body.get("granularity"))
    times = regular(frequency or "Daily", points=len(points))["series"][0]["timestamps"]
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
