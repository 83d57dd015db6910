"""The body of responses of POST /read."""

import functools

from marshmallow import Schema, fields, pre_dump

from app.api.errors.error_schema import ChoiceSchema
from app.api.responses.fields import (
    ArrayField,
    boolean_field,
    integer_field,
    list_field,
    nested_field,
    string_field,
    timestamps_field,
)
from app.api.series.columns import VALUE_SCHEMA
from app.tables.answers import (
    DateOrder,
    DecimalMark,
    Duplicates,
    Fill,
    Layout,
    PeriodAggregation,
    Summary,
)
from app.tables.notation import DATE_PARTS, DateStyle
from app.tables.reading import Reading
from app.timeseries.calendar.frequency import Frequency

_nullable_string = functools.partial(string_field, allow_none=True)


class ReadSeriesSchema(Schema):
    """A series as POST /forecast takes it, unless entries are missing."""

    name = string_field("The column's name, or what its rows belong to.")
    timestamps = timestamps_field("The oldest comes first.")
    values = ArrayField(fields.Float(metadata=VALUE_SCHEMA), "A value for each timestamp.")
    data_frequency = _nullable_string(
        "null: the timestamps are irregular, or some lie between the others.",
        enum=[*Frequency, None],
    )
    step = integer_field("The step, in units of `data_frequency`.", allow_none=True, minimum=1)
    missing = timestamps_field(
        "Timestamps that the table lacks, whether or not `fill` has filled them. Where they are "
        "too many to be filled, the first 1,000."
    )
    summary = string_field(
        "How to aggregate it over longer periods: `total` if its values add up, else `average`. "
        "Inferred from names and values.",
        enum=[*Summary],
    )


class QuestionSchema(Schema):
    parameter = string_field("The parameter of the query that answers it.")
    question = string_field("For people to read.")
    fact = string_field(
        "The question without what it proposes, to show beside its answer; the question itself "
        "where it proposes nothing."
    )
    choices = ArrayField(
        fields.Nested(ChoiceSchema), "The likeliest first; empty where any value may be sent."
    )
    required = boolean_field("Whether there are no series until it is answered.")


class SuggestionSchema(Schema):
    """A parameter of the query that would change what a remark reports."""

    parameter = string_field("The name of the parameter.", examples=["until"])
    value = _nullable_string(
        "What to send for it, null if that depends on you.", examples=["2026-10-01"]
    )
    text = string_field("The suggestion as a sentence, to follow `remark`.")


class RemarkSchema(Schema):
    code = string_field("For programs.", examples=["not_a_number"])
    remark = string_field("For people to read; it names no parameter.")
    rows = ArrayField(
        fields.Integer(metadata={"minimum": 1}), "The lines or rows that it is about."
    )
    suggestion = nested_field(SuggestionSchema, "null for most.", allow_none=True)


class DateFormSchema(Schema):
    """How the dates are written, so that others can be written alike."""

    pattern = string_field(
        "A date with `{part:digits}` in place of its parts: "
        + ", ".join(f"{part} ({text})" if text else part for part, text in DATE_PARTS.items())
        + ".",
        examples=["{day:2}.{month:2}.{year:4}"],
    )
    unit = string_field("The shortest unit that it says.", examples=["day"])
    suffix = string_field("What its timestamps end in.")
    names = list_field(
        fields.String(allow_none=True), "The names of the months, January first.", required=False
    )
    weekdays = list_field(
        fields.String(allow_none=True),
        "The names of the days of the week, Monday first.",
        required=False,
    )
    halves = list_field(
        fields.String(),
        "The letters of AM and PM, or words for them, where hours are 1 to 12.",
        required=False,
    )
    mark = string_field("The decimal mark of serial numbers.", required=False)
    months = integer_field(
        "The number of months in a date that has the last of several.", required=False
    )
    months_later = integer_field(
        "How many months a date of a fiscal year is later than it says.", required=False
    )

    @pre_dump
    def _without_none(self, style: DateStyle, **_: object) -> dict[str, object]:
        return {key: part for key, part in vars(style).items() if part is not None}


class NumberFormSchema(Schema):
    decimal = string_field("The decimal mark.", enum=[*DecimalMark])
    decimals = integer_field(minimum=0)
    before = string_field("The unit written before the numbers, such as `€`.")
    after = string_field("The unit written after the numbers, such as ` %`.")
    grouping = string_field("The mark between their thousands, if there is one.", examples=["."])
    number_format = string_field(
        "How the workbook shows them, if that is known. One with `%` shows 0.948 as 94.8 %.",
        examples=["0.0%"],
    )


class ChosenSchema(Schema):
    """What was taken for each parameter, and how the table is written.

    A parameter that is open or has no meaning is null.
    """

    sheet = _nullable_string("The name of the sheet.")
    header = integer_field("The row of the header, 0 if there is none.", allow_none=True)
    dates = _nullable_string("The names of the columns with the dates, separated by `, `.")
    columns = list_field(fields.String(), "The names of the columns of values.")
    layout = _nullable_string("The layout of the table.", enum=[*Layout, None])
    names = _nullable_string("The header of the column that says which series a row belongs to.")
    date_order = _nullable_string("The order of day and month in dates.", enum=[*DateOrder, None])
    decimal = _nullable_string("The decimal mark.", enum=[*DecimalMark, None])
    timezone = _nullable_string("The time zone of timestamps without an offset.")
    fill = _nullable_string("How missing entries are filled.", enum=[*Fill, None])
    duplicates = _nullable_string(
        "What several values of one timestamp become.", enum=[*Duplicates, None]
    )
    per = _nullable_string(
        "What the values of days, weeks or months are.", enum=[*PeriodAggregation, None]
    )
    year = integer_field("The year of the first date, if dates have none.", allow_none=True)
    start = _nullable_string(
        "The time of the first of numbers without dates, or the first day of a fiscal year."
    )
    data_frequency = _nullable_string("The frequency that was sent.", enum=[*Frequency, None])
    unit = _nullable_string("The unit that was sent.")
    until = _nullable_string(
        "The last day that is read, if it was sent or if the last period is not over."
    )
    encoding = _nullable_string("The encoding of the text.")
    delimiter = _nullable_string("The delimiter between cells.")
    date_form = nested_field(DateFormSchema, allow_none=True)
    number_forms = ArrayField(
        fields.Nested(NumberFormSchema), "One for each of `series`, also while that is empty."
    )


class ReadResponseSchema(Schema):
    """What a table holds. While a required question is open, `series` is empty."""

    series = list_field(ReadSeriesSchema)
    chosen = nested_field(ChosenSchema)
    questions = list_field(QuestionSchema)
    remarks = list_field(RemarkSchema)

    @pre_dump
    def _join_chosen(self, reading: Reading, **_: object) -> dict[str, object]:
        """Add the notation of the table to what was chosen for each parameter."""
        return {**vars(reading), "chosen": {**vars(reading.chosen), **vars(reading.notation)}}
