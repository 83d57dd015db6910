"""POST /read: a file with a table in; its series, and what the table leaves open, out."""

import datetime as dt

from flask import Blueprint, request

from app.api.computing.engine_jobs import BYTES_PER_POINT, run_job
from app.api.endpoints.endpoint import Endpoint, Tag
from app.api.errors.api_error import ApiError, defect_error
from app.api.errors.problems import describe_value
from app.api.examples import EXAMPLES
from app.api.read.response_schemas import ReadResponseSchema
from app.api.read.schemas import ReadQuerySchema
from app.api.service import current_settings
from app.api.serving.decorator import endpoint
from app.compute.jobs import Job
from app.tables.results import (
    MAX_SERIES,
    Answers,
    NotATableError,
    Reading,
    TableBounds,
    WrongAnswerError,
)

blueprint = Blueprint("read", __name__)

JOB = Job(
    "app.tables.read:read_file",
    noun="reading",
    remedy="send a smaller table",
    seconds=0.03,
    seconds_per_point=2e-5,
    is_low_priority=True,
)
MAX_SECONDS = 20.0
"""Of a reading, with its wait; the worst takes 2.5 s of a core."""
UNPACKED_BODIES = 16  # an unpacked workbook may be this many times the largest body
FILE_TYPES = (
    "text/csv",
    "text/plain",
    "text/tab-separated-values",
    "application/json",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/x-www-form-urlencoded",  # curl --data-binary
    "application/octet-stream",
)
READING_TAG = Tag("Tables", "A file in; series to send to the other endpoints out.")
DESCRIPTION = """\
Reads a table as people have it: CSV in any form, text copied from a spreadsheet, JSON, or a
workbook (`.xlsx`, `.ods`). The body is the file's bytes: `curl --data-binary @sales.xlsx`.

It finds the header, the dates and the values, in the forms of spreadsheets and of ten languages.
What the table leaves open is a question, with the parameter of the query that
answers it. While a required question is open, `series` is empty: send the file again with an
answer. `remarks` say what was left out. A series can be sent to `POST /forecast` if it has a
`data_frequency` and its `missing` is empty or was filled.

Needs no key while the service has public pages; then each 64 KiB of the file count against the
address like a request for a page. With a key, it does not count against the limits of the key: each
64 KiB count against as many a minute for the account."""


@endpoint(
    blueprint,
    Endpoint(
        "POST",
        "/read",
        is_public=True,
        is_counted=False,
        computes=JOB,
        body_file_types=FILE_TYPES,
        query=ReadQuerySchema(),
        permission=None,
        response=ReadResponseSchema(),
        successes={200: "What the table holds."},
        tag=READING_TAG,
        operation_id="readTable",
        tool="read_table",
        description=DESCRIPTION,
        example=EXAMPLES.success("table", "Two weeks of sales"),
    ),
)
def read_table(content: bytes, answers: Answers) -> Reading:
    """Read a table: CSV in any form, JSON, or a workbook."""
    points = len(content) // BYTES_PER_POINT
    result = run_job(JOB, content, answers, table_bounds(), points=points, seconds=MAX_SECONDS)
    if isinstance(result, Reading):
        return result
    raise refusal_error(result)


def table_bounds(max_series: int = MAX_SERIES) -> TableBounds:
    today = dt.datetime.now(tz=dt.UTC).date()
    return TableBounds(
        max_points=current_settings().max_points,
        max_unpacked_bytes=UNPACKED_BODIES * current_settings().max_body_bytes,
        this_year=today.year,
        today=today,
        max_series=max_series,
    )


def refusal_error(refusal: NotATableError | WrongAnswerError) -> ApiError:
    """Return the 400 of an answer that does not fit, the 413 or 422 of what is not a table."""
    if isinstance(refusal, WrongAnswerError):
        sent = describe_value(request.args.get(refusal.parameter))
        message = "Invalid request parameters"
        return defect_error(400, message, refusal.parameter, refusal.issue, sent)
    if refusal.is_too_large:
        return ApiError(413, "The table is too large", {"issue": refusal.issue})
    numbers = {"row": refusal.row, "column": refusal.column}
    position = {name: number for name, number in numbers.items() if number is not None}
    return defect_error(422, "Not a table of series", "body", refusal.issue, **position)
