"""The fields of TimeGPT's bodies: an invalid one is 422."""

from datetime import datetime
from typing import Any

import numpy as np
from marshmallow import ValidationError, fields, validate

from app.api.dialects.timegpt import bounds
from app.api.dialects.timegpt.bounds import partitions_remedy
from app.api.dialects.timegpt.frequencies import FREQUENCY_PATTERN, parse_frequency
from app.api.dialects.timegpt.models import DEFAULT_TIMEGPT_MODEL, TIMEGPT_MODELS
from app.api.requests.batch_body import NUMBER_TYPES, number_array
from app.api.requests.fields import StrictChoice, StrictInteger
from app.api.requests.holidays import parse_code
from app.api.series.columns import item_messages, reject_large_values
from app.timeseries.types import MAX_MAGNITUDE, FloatArray

UNKNOWN_TIME = np.datetime64("NaT", "s")
NOT_NUMBERS = "Must be an array of numbers, null where a value is missing"
NOT_SIZES = "Must be an array of whole numbers, the length of each series"
_NOT_A_VALUE = "not a number: send a number, or null where a value is missing"
_NOT_A_SIZE = "not a number: send a whole number, the length of a series"
NOT_A_LEVEL = "Must be a number of 0 or more and below 100, or an array of such numbers"
_NOT_A_FREQUENCY = (
    "unknown frequency; send an alias of pandas or polars such as MS, QS, W-SUN, D, B, h or 5min"
)


def field_metadata(description: str, **more: Any) -> dict[str, Any]:
    return {"is_data": True, "description": description, **more}


class TimeGptValuesField(fields.List[Any]):
    """The values of all series; loads an array, NaN for null."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        values = _parse_numbers(value, bounds.MAX_POINTS, "values", (NOT_NUMBERS, _NOT_A_VALUE))
        reject_large_values(np.abs(values) > MAX_MAGNITUDE)
        return values


class SizesField(fields.List[Any]):
    """The lengths of the series; loads an array."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        sizes = _parse_numbers(value, bounds.MAX_SERIES, "series", (NOT_SIZES, _NOT_A_SIZE))
        is_size = (sizes >= 1) & (sizes <= bounds.MAX_POINTS) & (sizes == np.floor(sizes))
        if (wrong := np.flatnonzero(~is_size)).size:
            issue = f"Must be a whole number from 1 to {bounds.MAX_POINTS:,}"
            raise ValidationError(item_messages(wrong.tolist(), lambda _index: issue))
        return sizes.astype(np.int64)


def _parse_numbers(value: Any, limit: int, noun: str, issues: tuple[str, str]) -> FloatArray:
    """Return a field as an array; the arrays of long bodies are already parsed.

    ``issues``: one for a field that is not an array, one for an item that is not a number.
    """
    not_array, not_number = issues
    if not isinstance(value, (list, np.ndarray)):
        raise ValidationError(not_array)
    if not len(value):
        raise ValidationError("the array is empty; send at least one series")
    if len(value) > limit:
        remedy = partitions_remedy(len(value), limit)
        raise ValidationError(f"{len(value):,} {noun}, at most {limit:,} a call; {remedy}")
    if isinstance(value, np.ndarray):
        return value
    numbers = number_array(value)
    if numbers is None:
        wrong = (index for index, item in enumerate(value) if type(item) not in NUMBER_TYPES)
        raise ValidationError(item_messages(wrong, lambda _index: not_number))
    return numbers


class LevelField(fields.Raw):
    """One level, or several; loads the confidences by the levels as they are written."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        levels = value if isinstance(value, (list, np.ndarray)) else [value]
        if len(levels) > bounds.MAX_LEVELS:
            raise ValidationError(f"{len(levels)} levels, at most {bounds.MAX_LEVELS}; send fewer")
        if not all(type(level) in (int, float) and 0 <= level < 100 for level in levels):
            raise ValidationError(NOT_A_LEVEL)
        return {f"{level}": level / 100 for level in levels}


class TimeGptFrequencyField(fields.String):
    """A frequency of pandas or polars; loads a ``ParsedFrequency``."""

    def __init__(self) -> None:
        description = "An alias of pandas or polars; it decides the model's recipe and the season."
        super().__init__(
            required=True,
            metadata=field_metadata(
                description, pattern=FREQUENCY_PATTERN, examples=["MS", "W-SUN", "15min"]
            ),
            error_messages={"required": f"missing: {_NOT_A_FREQUENCY}", "null": _NOT_A_FREQUENCY},
        )

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        step = parse_frequency(value) if isinstance(value, str) else None
        if step is None:
            raise ValidationError(_NOT_A_FREQUENCY)
        return step


class StartTimesField(fields.Raw):
    """The start of each series; loads local times, NaT for anything else."""

    def __init__(self) -> None:
        description = (
            "When each series begins, in ISO 8601: days and hours get their holidays by it. Times "
            "are those that are written; an offset changes nothing."
        )
        super().__init__(allow_none=True, load_default=None, metadata=field_metadata(description))

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        sent = value if isinstance(value, list) else []
        return np.array(
            [_parse_start(start) for start in sent[: bounds.MAX_SERIES]], "datetime64[s]"
        )


def _parse_start(sent: Any) -> np.datetime64:
    try:
        return np.datetime64(datetime.fromisoformat(sent).replace(tzinfo=None), "s")
    except (TypeError, ValueError):
        return UNKNOWN_TIME


class ModelParametersField(fields.Raw):
    """Any settings; loads the code of the holidays in them, None without one."""

    def __init__(self) -> None:
        description = (
            "Any. `holidays` is whose public holidays days and hours use: an ISO 3166 code of a "
            "country or of a part of it, as in `X-Holidays`. Others have no effect."
        )
        super().__init__(
            allow_none=True, load_default=None, metadata=field_metadata(description, type="object")
        )

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str | None:
        if not isinstance(value, dict):
            raise ValidationError("Must be an object")
        sent = value.get("holidays")
        return parse_code(sent) if isinstance(sent, str) else None


class UnsupportedField(fields.Raw):
    """An option that is not supported: only the values that switch it off are accepted."""

    def __init__(self, off_values: list[Any], problem: str) -> None:
        metadata = field_metadata(f"Not supported: {problem}.", enum=[None, *off_values])
        super().__init__(allow_none=True, metadata=metadata)
        self.off_values = off_values
        self.problem = problem

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> None:
        if not any(type(value) is type(off) and value == off for off in self.off_values):
            raise ValidationError(self.problem)


def bounded_integer_field(limit: int, description: str, **options: Any) -> StrictInteger:
    problem = f"Must be a whole number from 1 to {limit:,}"
    return StrictInteger(
        validate=validate.Range(1, limit, error=problem),
        metadata=field_metadata(description),
        error_messages={"required": problem, "null": problem},
        **options,
    )


def model_field() -> StrictChoice:
    metadata = field_metadata("A name of TimeGPT's, or one of the service's own models.")
    return StrictChoice(
        list(TIMEGPT_MODELS), "unknown model", load_default=DEFAULT_TIMEGPT_MODEL, metadata=metadata
    )
