"""The fields of a series and of its frequency."""

from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError, fields, validates_schema

from app.api.requests.fields import StrictChoice
from app.api.requests.strict_schema import StrictSchema
from app.api.series.columns import WHOLE_COLUMN, TimestampsField, ValuesField, defect_messages
from app.timeseries.calendar.fit import Calendar, CalendarErrors, fit_calendar
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.series import Series
from app.timeseries.words import count_of

_NOT_ONE_SERIES = "Must be an array of exactly 1 series"
_SEND_ONE_SERIES = "send an array of one object with timestamps and values"
_FREQUENCY_NAMES = [str(frequency) for frequency in Frequency]


class FrequencyField(StrictChoice):
    def __init__(self, description: str = "Unit of the step between timestamps.") -> None:
        metadata = {"description": description}
        super().__init__(_FREQUENCY_NAMES, "invalid frequency", required=True, metadata=metadata)


class TimeSeriesSchema(StrictSchema):
    """One series: two columns of equal length."""

    timestamps = TimestampsField()
    values = ValuesField()

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def check_lengths(self, _data: dict[str, Any], sent: Mapping[str, Any], **_kwargs: Any) -> None:
        """Check that the columns are parallel, also if they have other problems."""
        timestamps, values = sent.get("timestamps"), sent.get("values")
        if not isinstance(timestamps, list) or not isinstance(values, list):
            return
        if len(timestamps) != len(values):
            issue = (
                f"arrays must have equal length: {count_of(len(timestamps), 'timestamp')}, "
                f"{count_of(len(values), 'value')}; send one value for each timestamp"
            )
            raise ValidationError({"values": {WHOLE_COLUMN: [issue]}})


class OneSeriesField(fields.List[Any]):
    """An array of exactly one series; ``many_remedy`` says what to send for more."""

    default_error_messages = {  # noqa: RUF012 - as the library declares it
        "null": _NOT_ONE_SERIES,
        "required": f"missing: {_SEND_ONE_SERIES}",
    }

    def __init__(
        self,
        schema: type[TimeSeriesSchema] = TimeSeriesSchema,
        *,
        required: bool = True,
        description: str = "Exactly one series.",
        many_remedy: str = "send one request for each",
    ) -> None:
        self.many_remedy = many_remedy
        metadata = {"minItems": 1, "maxItems": 1, "description": description}
        super().__init__(fields.Nested(schema), required=required, metadata=metadata)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        if not isinstance(value, list):
            raise ValidationError(_NOT_ONE_SERIES)
        if len(value) != 1:
            remedy = self.many_remedy if value else _SEND_ONE_SERIES
            raise ValidationError(f"Must hold exactly 1 series, not {len(value)}; {remedy}")
        if not isinstance(value[0], dict):
            raise ValidationError({0: ["Must be an object with timestamps and values"]})
        return super()._deserialize(value, attr, data, **kwargs)


def fit_spacing(
    data: Mapping[str, Any], declared_as: str = "data_frequency", step_as: str = ""
) -> Calendar | None:
    """Return the calendar of a body's ``series`` and ``data_frequency``.

    None if one of the two is invalid. ``declared_as`` and ``step_as`` are as in ``fit_calendar``.
    Raise ValidationError if the timestamps are not regular in the frequency.
    """
    column = first_series(data)
    timestamps, frequency = column.get("timestamps"), data.get("data_frequency")
    if timestamps is None or frequency is None:
        return None
    try:
        return fit_calendar(
            timestamps.times, Frequency(frequency), timestamps.suffix, declared_as, step_as
        )
    except CalendarErrors as error:
        raise ValidationError({"series": {0: {"timestamps": defect_messages(error)}}}) from None


def first_series(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the columns of the one series of a body; empty if it is invalid."""
    return next(iter(data.get("series") or ()), None) or {}


def series_of(data: Mapping[str, Any], calendar: Calendar) -> Series:
    column = data["series"][0]
    return Series(column["values"], calendar, column["timestamps"].suffix)
