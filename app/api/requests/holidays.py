"""The header X-Holidays: whose public holidays a forecast uses."""

from typing import Any

from marshmallow import Schema, ValidationError, fields

from app.api.errors.nearest import find_nearest
from app.api.errors.validation import describe_value
from app.forecasting.calendar_effects.events import NO_HOLIDAYS
from app.forecasting.calendar_effects.requirements import can_learn_holidays
from app.timeseries.calendar.countries import (
    FIRST_YEAR,
    LAST_YEAR,
    country_code_by_name,
    country_codes,
    holiday_codes,
)
from app.timeseries.series import Series

_HOLIDAYS_HEADER = "X-Holidays"
_CODE_REMEDY = "send an ISO 3166 code of a country or of a part of it, for example AU or AU-VIC"
_CODE_PATTERN = "^([A-Za-z]{2}(-[A-Za-z0-9]{1,3})?|[Nn][Oo][Nn][Ee])$"
_DESCRIPTION = f"""\
Whose public holidays to learn from and to forecast: an ISO 3166-1 code of a country (`AU`) or an
ISO 3166-2 code of a part of it (`AU-VIC`), in any case. For `Daily` and `Hours`, from {FIRST_YEAR}
to {LAST_YEAR}; `X-Forecast-Notice` says what was learned from how many. Without the header, daily
series use Christmas, New Year and Easter where the history proves an effect. With and without it
they use Black Friday and other shopping days that two years prove; `none` switches all off."""


class HolidaysField(fields.String):
    """A country or a part of it; loads its code. An unknown one is a 422."""

    def __init__(self, description: str, data_key: str | None = None) -> None:
        super().__init__(
            data_key=data_key,
            load_default=lambda: None,  # a plain None would allow null in the document
            metadata={
                "description": description,
                "pattern": _CODE_PATTERN,
                "examples": ["AU-VIC"],
                "is_data": True,
            },
        )

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        return parse_code(str(value).strip(" \t"))


class HolidaysHeaderSchema(Schema):
    holidays = HolidaysField(_DESCRIPTION, _HOLIDAYS_HEADER)


def parse_code(sent: str) -> str:
    """Return a code in capitals; raise ValidationError for an unknown one."""
    code = sent.upper()
    if code == NO_HOLIDAYS.code or code in holiday_codes():
        return code
    near = _nearest_code(sent)
    question = f"did you mean {near}? " if near else ""
    raise ValidationError(
        f"unknown holidays: {describe_value(sent)!r} was sent; {question}{_CODE_REMEDY}"
    )


def _nearest_code(sent: str) -> str | None:
    """Return the code that was probably meant; None where none is near.

    For an unknown part of a known country it is the nearest of its parts, or the country.
    """
    countries = country_codes()
    country = sent.partition("-")[0].strip().upper()
    if country in countries:
        return find_nearest(sent, countries[country]) or country
    return find_nearest(sent, {NO_HOLIDAYS.code, *holiday_codes()}) or country_code_by_name(sent)


def clock_notices(country: str | None, series: Series) -> tuple[str, ...]:
    """Return the notice of timestamps that may not be written as the country's clocks show them.

    These end in ``Z`` or an offset and show another time of day than midnight: a holiday may begin
    on the day before.
    """
    history = series.history
    grid = history.grid
    if (
        country in (None, NO_HOLIDAYS.code)
        or not series.suffix
        or grid is None
        or not can_learn_holidays(history)
    ):
        return ()
    times = grid.times(2)  # days have one time of day, hours two
    if (times == times.astype("datetime64[D]")).all():
        return ()
    return (
        "holidays are those of the dates as written, send local standard time without an offset",
    )
