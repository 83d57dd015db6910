"""The query of POST /read: the answers to the questions of a response."""

import dataclasses
import functools
import zoneinfo
from enum import StrEnum
from typing import Any

from marshmallow import ValidationError, fields, post_load, validate

from app.api.errors.nearest import did_you_mean
from app.api.requests.fields import EnumField
from app.api.requests.query import IntegerParameter, RepeatedParameter, StrictQuerySchema
from app.tables.answers import (
    Answers,
    DateOrder,
    DecimalMark,
    Duplicates,
    Fill,
    Layout,
    PeriodAggregation,
)
from app.timeseries.calendar.frequency import Frequency

_MAX_YEAR = 9999


class ChoiceParameter(EnumField):
    def __init__(self, choices: type[StrEnum], description: str) -> None:
        super().__init__(
            choices,
            "unknown choice",
            load_default=lambda: None,  # a plain None would allow null in the document
            metadata={"description": description},
        )


# Cached, as each call reads the first bytes of every file of the database.
_zone_names = functools.cache(zoneinfo.available_timezones)


class ZoneParameter(fields.String):
    """A time zone by its name in the IANA database."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        names = _zone_names()
        if value not in names:
            near = did_you_mean(value, names)
            raise ValidationError(f"unknown time zone: {near}send a name such as Europe/Berlin")
        return str(value)


def _options(description: str, example: str) -> dict[str, Any]:
    return {
        "load_default": lambda: None,
        "metadata": {"description": description, "examples": [example]},
    }


class ReadQuerySchema(StrictQuerySchema):
    sheet = fields.String(**_options("Name of the sheet of a workbook.", "Sales 2024"))
    header = IntegerParameter(
        load_default=lambda: None,
        validate=validate.Range(0, error="Must be 0 or more"),
        metadata={
            "description": "Number of the line or row with the names of the columns; 0: there is "
            "none."
        },
    )
    dates = fields.String(
        **_options("Name of the column with the dates, or `Column 3` without a name.", "month")
    )
    columns = RepeatedParameter(
        fields.String(),
        load_default=list,
        metadata={"description": "Name of a column of values; repeat it for several."},
    )
    layout = ChoiceParameter(
        Layout,
        "`columns`: each column of values is a series, or all rows are one; `long`: names in a "
        "column say which series a row is of; `pivot`: periods are side by side.",
    )
    date_order = ChoiceParameter(DateOrder, "What comes first in dates such as 03/04/2024.")
    decimal = ChoiceParameter(DecimalMark, "The decimal mark.")
    timezone = ZoneParameter(
        **_options(
            "Time zone of timestamps without an offset, and of days of those with one.",
            "Europe/Berlin",
        )
    )
    fill = ChoiceParameter(
        Fill,
        "How missing entries are filled: on a line between their neighbours, with the value "
        "before, or with zero. Entries between the others are left out then.",
    )
    duplicates = ChoiceParameter(
        Duplicates, "What several values of one timestamp become: their sum, mean, or the last."
    )
    per = ChoiceParameter(
        PeriodAggregation,
        "Totals or averages of whole days, weeks, from Monday on, or months, in place of shorter "
        "steps; `none`: values stay as they are, even if most lie at no regular interval.",
    )
    year = IntegerParameter(
        load_default=lambda: None,
        validate=validate.Range(1, _MAX_YEAR, error=f"Must be between 1 and {_MAX_YEAR}"),
        metadata={"description": "Year of the first date, where dates have no year."},
    )
    start = fields.Date(
        **_options(
            "When the first of numbers without dates was, or the first fiscal period began.",
            "2024-01-31",
        ),
        error_messages={"invalid": "Must be a date such as 2024-01-31"},
    )
    data_frequency = ChoiceParameter(
        Frequency,
        "Frequency of numbers without dates, or of irregular dates of which most are missing.",
    )
    unit = fields.String(
        **_options("The unit to read where a column has several; others are left out.", "kg")
    )
    until = fields.Date(
        **_options("The last day to read; later values are left out.", "2024-08-31"),
        error_messages={"invalid": "Must be a date such as 2024-08-31"},
    )

    @post_load
    def load_request(self, data: dict[str, Any], **_kwargs: Any) -> Answers:
        return answers_of(data)


def answers_of(data: dict[str, Any]) -> Answers:
    answers = {field.name: data[field.name] for field in dataclasses.fields(Answers)}
    return Answers(**answers | {"columns": tuple(answers["columns"])})
