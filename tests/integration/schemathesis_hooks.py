"""Hooks of schemathesis: what no schema can say of a valid request is put right before it is sent.

That is: one regular step, columns of equal length, one frequency, and that X-Model-Selector is not
read beside X-Model-Id. Then each request that is meant to be valid must be answered 200, and each
that is not must be refused.
"""

import schemathesis
from schemathesis.core import NOT_SET
from schemathesis.core.parameters import ParameterLocation

from app.forecasting.series import MODEL_IDS
from tests.support.series import regular


@schemathesis.hook
def before_call(
    _context: schemathesis.HookContext, case: schemathesis.Case, _options: dict[str, object]
) -> None:
    """Name the model of ``case`` once, and make a real series of its values."""
    headers = case.headers or {}
    if {"X-Model-Id", "X-Model-Selector"} <= set(headers):
        del headers["X-Model-Selector" if headers["X-Model-Id"] not in MODEL_IDS else "X-Model-Id"]
    if case.body is NOT_SET or case.meta.is_negative_at(ParameterLocation.BODY):
        return
    column = case.body["series"][0]
    # With an offset, which the format date-time of JSON Schema wants also in the answer.
    good = regular(case.body["data_frequency"], points=len(column["values"]))
    column["timestamps"] = [f"{text}Z" for text in good["series"][0]["timestamps"]]
    case.body["forecast_frequency"] = case.body["data_frequency"]
