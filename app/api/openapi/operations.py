"""What the routes themselves do not say of their operations, by Flask endpoint."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from marshmallow import Schema

from app.api.examples.answers import FORECAST, MODEL, REQUEST, VERIFICATION, Json
from app.api.forecast.schemas import (
    ForecastRequestSchema,
    ForecastResponseSchema,
    ModelHeaderSchema,
)
from app.api.openapi.headers import MODEL_SELECTOR, NOTICE, OF_FORECAST
from app.api.verify.schemas import VerifyResponseSchema

TAGS: dict[str, str] = {
    "Forecasting": "One time series in, a median and a prediction interval out.",
    "Authentication": "What a key may do, and how much of its limit is left.",
}


@dataclass(frozen=True)
class Operation:
    """One operation; its path and method are those of the route, its summary is the view's.

    ``errors`` are the statuses other than 200 that it may answer. ``request`` is None where there
    is no body.
    """

    operation_id: str
    tag: str
    description: str
    answer: type[Schema]
    answer_description: str
    example_summary: str
    answer_example: Json
    errors: tuple[int, ...]
    answer_headers: Mapping[str, Json] = field(default_factory=dict)
    parameters: tuple[str | Json, ...] = ("X-Request-Id",)
    request: type[Schema] | None = None
    request_example: Json | None = None


OPERATIONS: dict[str, Operation] = {
    "forecast.request_forecast": Operation(
        operation_id="requestForecast",
        tag="Forecasting",
        description="""\
Sends the history of **one** series and gets a forecast of its next `forecast_horizon` periods.

The answer's four arrays are parallel and have exactly `forecast_horizon` entries each;
`lower_bound` ≤ `median` ≤ `upper_bound`. Future timestamps go on in the step and with the offset of
the data. The same request gets the same bytes. A series that was never negative gets no negative
forecast. Needs the permission `read`; counts against the limits, also when it is answered 400, 403,
413, 415 or 422. Most forecasts take well under a second; plan for up to 10 seconds.

When several things are wrong, the first of this order answers: 401, 403, 429, 415, 413, malformed
JSON, 400, 422.""",
        answer=ForecastResponseSchema,
        answer_description="The forecast.",
        example_summary=f"A year, monthly, by {MODEL}",
        answer_example=FORECAST,
        answer_headers=OF_FORECAST | NOTICE,
        errors=(400, 401, 403, 413, 415, 422, 429, 500, 503),
        parameters=(
            {"in": "header", "schema": ModelHeaderSchema},
            MODEL_SELECTOR,
            "X-Request-Id",
        ),
        request=ForecastRequestSchema,
        request_example=REQUEST,
    ),
    "verify.verify": Operation(
        operation_id="verifyApiKey",
        tag="Authentication",
        description="""\
Tells whether the key is valid, what it may do, and what is left of its limit: of its minute, hour
and day, the one with the fewest requests remaining.

Needs any valid key. It consumes nothing, and works when the limit is used up. 429 is for callers
without a valid key only, 503 for maintenance.""",
        answer=VerifyResponseSchema,
        answer_description="The key is valid.",
        example_summary="A key that may read and write",
        answer_example=VERIFICATION,
        errors=(401, 403, 429, 500, 503),
    ),
}
