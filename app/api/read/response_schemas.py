"""The body of responses of POST /read."""

from marshmallow import Schema, fields

from app.api.requests.fields import ArrayField
from app.api.responses.choices import ChoiceSchema, choice_bodies
from app.api.series.columns import TIMESTAMP, VALUE
from app.tables.results import (
    DateOrder,
    DecimalMark,
    Duplicates,
    Fill,
    Layout,
    PeriodAggregation,
    Question,
    Summary,
)
from app.timeseries.calendar.frequency import Frequency


def _string(description: str, **metadata: object) -> fields.String:
    return fields.String(required=True, metadata={"description": description, **metadata})


def _nullable(description: str, **metadata: object) -> fields.String:
    return fields.String(
        required=True, allow_none=True, metadata={"description": description, **metadata}
    )


class ReadSeriesSchema(Schema):
    """A series as POST /forecast takes it, unless entries are missing."""

    name = _string("The column's name, or what its rows belong to.")
    timestamps = ArrayField(fields.String(metadata=TIMESTAMP), "Oldest first.")
    values = ArrayField(fields.Float(metadata=VALUE), "A value for each timestamp.")
    data_frequency = _nullable(
        "null: the timestamps are irregular, or some are off the step.", enum=[*Frequency, None]
    )
    step = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "In units of `data_frequency`.", "minimum": 1},
    )
    missing = ArrayField(
        fields.String(metadata=TIMESTAMP),
        "Timestamps that the table lacks, whether or not `fill` has filled them. Where they are "
        "too many to be filled, the first 1,000.",
    )
    summary = _string(
        "How to aggregate it over longer periods: `total` if its values add up, else `average`. "
        "Inferred from names and values.",
        enum=[*Summary],
    )


class QuestionSchema(Schema):
    """Something that the table leaves open."""

    parameter = _string("The parameter of the query that answers it.")
    question = _string("For people to read.")
    choices = ArrayField(
        fields.Nested(ChoiceSchema), "The likeliest first; empty where any value may be sent."
    )
    required = fields.Boolean(
        required=True,
        metadata={"description": "Whether there are no series until it is answered."},
    )

    def get_attribute(self, obj: object, attr: str, default: object) -> object:
        """Return a field; choices as JSON."""
        if isinstance(obj, Question) and attr == "choices":
            return choice_bodies(obj)
        return super().get_attribute(obj, attr, default)


class RemarkSchema(Schema):
    """Something that was done to the table, or left out of it."""

    code = _string("For programs.", examples=["not_a_number"])
    remark = _string("For people to read.")
    rows = ArrayField(
        fields.Integer(metadata={"minimum": 1}), "The lines or rows that it is about."
    )


class DateFormSchema(Schema):
    """How the dates are written, so that others can be written alike."""

    pattern = _string(
        "A date with `{part:digits}` in place of its parts: year, short (two digits), month, name, "
        "day, week, nth (day of the week), quarter, term (half-year), hour, half (AM or PM), "
        "minute, second, epoch, serial (Excel's days, with so many decimals).",
        examples=["{day:2}.{month:2}.{year:4}"],
    )
    unit = _string("The shortest unit that it says.", examples=["day"])
    suffix = _string("What its timestamps end in.")
    names = fields.List(
        fields.String(allow_none=True), metadata={"description": "Of the months, January first."}
    )
    halves = fields.List(
        fields.String(),
        metadata={"description": "The letters of AM and PM, where hours are 1 to 12."},
    )
    mark = fields.String(metadata={"description": "Before the decimals of serial numbers."})


class NumberFormSchema(Schema):
    """How the numbers of a series are written."""

    decimal = _string("The decimal mark.", enum=[*DecimalMark])
    decimals = fields.Integer(required=True, metadata={"minimum": 0})
    before = _string("The unit in front of them, such as `€`.")
    after = _string("The unit behind them, such as ` %`.")


class ChosenSchema(Schema):
    """What was taken for each parameter, null where that is open or has no meaning; and how the
    table is written."""

    sheet = _nullable("Name of the sheet.")
    header = fields.Integer(
        required=True, allow_none=True, metadata={"description": "Its row; 0: none."}
    )
    dates = _nullable("Names of the columns with the dates, separated by `, `.")
    columns = fields.List(
        fields.String(), required=True, metadata={"description": "Names of the columns of values."}
    )
    layout = _nullable("Of the table.", enum=[*Layout, None])
    names = _nullable("Header of the column that says which series a row belongs to.")
    date_order = _nullable("Of the dates.", enum=[*DateOrder, None])
    decimal = _nullable("The decimal mark.", enum=[*DecimalMark, None])
    timezone = _nullable("Of timestamps without an offset.")
    fill = _nullable("Of missing entries.", enum=[*Fill, None])
    duplicates = _nullable("Of several values of one timestamp.", enum=[*Duplicates, None])
    per = _nullable(
        "What the values of days, weeks or months are.", enum=[*PeriodAggregation, None]
    )
    year = fields.Integer(
        required=True, allow_none=True, metadata={"description": "Of the first date."}
    )
    start = _nullable("Of numbers without dates, or of fiscal years.")
    data_frequency = _nullable("The one that was sent.", enum=[*Frequency, None])
    unit = _nullable("The one that was sent.")
    until = _nullable("The last day that is read, if it was sent.")
    encoding = _nullable("Of the text.")
    delimiter = _nullable("Between cells.")
    date_form = fields.Nested(DateFormSchema, required=True, allow_none=True)
    number_forms = ArrayField(
        fields.Nested(NumberFormSchema), "One for each of `series`, also while that is empty."
    )

    def get_attribute(self, obj: dict[str, object], attr: str, default: object) -> object:
        """Return a field, None where nothing was chosen."""
        return obj.get(attr, [] if attr in ("columns", "number_forms") else None)


class ReadResponseSchema(Schema):
    """What a table holds. While a required question is open, `series` is empty."""

    series = fields.List(fields.Nested(ReadSeriesSchema), required=True)
    chosen = fields.Nested(ChosenSchema, required=True)
    questions = fields.List(fields.Nested(QuestionSchema), required=True)
    remarks = fields.List(fields.Nested(RemarkSchema), required=True)
