"""The job that reads a table, its bounds and its errors, for all that read tables."""

import datetime as dt

from flask import request

from app.api.computing.engine_jobs import BYTES_PER_POINT, run_job
from app.api.endpoints.endpoint import FileBody, Tag
from app.api.errors.api_error import INVALID_PARAMETERS, ApiError, defect_error
from app.api.errors.validation import describe_value
from app.api.service import current_settings
from app.compute.jobs import Job
from app.tables.answers import MAX_SERIES, Answers, TableBounds
from app.tables.errors import UnreadableTableError, WrongAnswerError
from app.tables.reading import Reading

READ_JOB = Job(
    "app.tables.read_table:read_file",
    noun="reading",
    remedy="send a smaller table",
    guessed_seconds=0.03,
    seconds_per_point=2e-5,
    is_low_priority=True,
)
MAX_READING_SECONDS = 20.0  # the wait for an engine included; the worst table takes 2.5 s of a core
_MAX_UNPACKED_RATIO = 16  # an unpacked workbook may be this many times the largest body
TABLE_FILE = FileBody(
    (
        "text/csv",
        "text/plain",
        "text/tab-separated-values",
        "application/json",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.oasis.opendocument.spreadsheet",
        "application/vnd.ms-excel",  # CSV, too, from browsers on Windows
        "application/xml",
        "text/xml",
        "text/html",
        "application/x-www-form-urlencoded",  # curl --data-binary
        "application/octet-stream",
    )
)
READING_TAG = Tag("Tables", "A file in; series to send to the other endpoints out.")


def table_bounds(max_series: int = MAX_SERIES) -> TableBounds:
    return TableBounds(
        max_points=current_settings().max_points,
        max_unpacked_bytes=_MAX_UNPACKED_RATIO * current_settings().max_body_bytes,
        today=dt.datetime.now(tz=dt.UTC).date(),
        max_series=max_series,
    )


def run_reading(
    content: bytes, answers: Answers
) -> Reading | UnreadableTableError | WrongAnswerError:
    """Return the reading of a table, or the error that rejects it."""
    arguments = (content, answers, table_bounds())
    points = len(content) // BYTES_PER_POINT
    reading: Reading | UnreadableTableError | WrongAnswerError = run_job(
        READ_JOB, *arguments, points=points, timeout_seconds=MAX_READING_SECONDS
    )
    return reading


def rejection_error(rejection: UnreadableTableError | WrongAnswerError) -> ApiError:
    """Return the 400 for an invalid answer, the 413 or 422 for an unreadable table."""
    if isinstance(rejection, WrongAnswerError):
        sent = describe_value(request.args.get(rejection.parameter))
        return defect_error(*INVALID_PARAMETERS, rejection.parameter, rejection.issue, sent)
    if rejection.is_too_large:
        return ApiError(413, "The table is too large", rejection.issue)
    numbers = {"row": rejection.row, "column": rejection.column}
    position = {name: number for name, number in numbers.items() if number is not None}
    return defect_error(422, "Not a table of series", "body", rejection.issue, **position)
