"""The query of POST /tables/forecast: what to forecast, and the answers of POST /read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from marshmallow import fields, post_load, validate

from app.api.forecast.schemas import CONFIDENCE
from app.api.read.schemas import ReadQuerySchema, answers_of
from app.api.requests.fields import StrictChoice
from app.api.requests.holidays import CODE_PATTERN, parse_code
from app.api.requests.query import BooleanParameter, IntegerParameter, NumberParameter
from app.forecasting.model_ids import MODEL_IDS, SEASONAL_NAIVE
from app.forecasting.types import MAX_HORIZON
from app.tables.forecasts.types import ForecastOptions
from app.tables.results import Answers

HORIZON_REMEDY = f"send a whole number from 1 to {MAX_HORIZON}"


@dataclass(frozen=True)
class TableForecastRequest:
    """What to forecast, and what is known about the table."""

    options: ForecastOptions
    answers: Answers


class HolidaysParameter(fields.String):
    """A country or a part of it; an unknown one is a 422."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        return parse_code(str(value).strip(" \t"))


class TableForecastQuerySchema(ReadQuerySchema):
    """What to forecast, and the answers; loads into a ``TableForecastRequest``."""

    elsewhere: ClassVar[Mapping[str, str]] = {
        "forecast_horizon": "send it as horizon",
        "X-Holidays": "send it as holidays",
        "model_id": "send it as model",
    }

    horizon = IntegerParameter(
        required=True,
        validate=validate.Range(1, MAX_HORIZON, error=f"Must be between 1 and {MAX_HORIZON}"),
        error_messages={"required": f"missing: {HORIZON_REMEDY}"},
        metadata={"description": "Number of future periods to predict.", "examples": [12]},
    )
    model = StrictChoice(
        list(MODEL_IDS),
        "unknown model",
        also=(SEASONAL_NAIVE,),
        load_default=next(iter(MODEL_IDS)),
        metadata={
            "description": f"The model to forecast with. `{SEASONAL_NAIVE}` is accepted too."
        },
    )
    confidence = NumberParameter(**CONFIDENCE)
    holidays = HolidaysParameter(
        load_default=lambda: None,
        metadata={
            "description": "Whose public holidays to use, as `X-Holidays` of `POST /forecast`.",
            "pattern": CODE_PATTERN,
            "examples": ["AU-VIC"],
            "is_data": True,
        },
    )
    history = BooleanParameter(
        load_default=False,
        metadata={"description": "Whether the values of the table are returned, too."},
    )
    sum = BooleanParameter(
        load_default=False,
        metadata={
            "description": "Whether the sum of all series is forecast as well, as a series `all` "
            "with an interval of its own."
        },
    )

    @post_load
    def make_answers(self, data: dict[str, Any], **_kwargs: Any) -> Any:
        """Return the request."""
        options = ForecastOptions(
            horizon=data["horizon"],
            model_id=data["model"],
            confidence=data["confidence"],
            country=data["holidays"],
            has_history=data["history"],
            has_sum=data["sum"],
        )
        return TableForecastRequest(options, answers_of(data))
