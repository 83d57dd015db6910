"""POST /tables/forecast: a table in as a file; the forecast of each of its series out as one."""

import time

from flask import Blueprint, request

from app.api.endpoints.endpoint import Endpoint, Result, Success
from app.api.examples.recorded import EXAMPLES
from app.api.read.reading import READING_TAG, TABLE_FILE
from app.api.responses.headers import NOTICE, header, notice_headers
from app.api.serving.decorator import endpoint
from app.api.tables.compute import (
    FORECAST_BLOCKS_JOB,
    forecast_table_blocks,
    read_table_blocks,
    render_file,
)
from app.api.tables.schemas import (
    TableForecastQuerySchema,
    TableForecastRequest,
    TableForecastResponseSchema,
)
from app.core.settings import MAX_CALL_SECONDS
from app.identity.accounts.permissions import Permission
from app.tables.forecasts.types import FileFormat, ForecastBlock, TableInBlocks
from app.timeseries.words import count_of

blueprint = Blueprint("tables", __name__)

# The default first, which Accept: */* gets.
MEDIA_TYPES = {
    "text/csv": FileFormat.CSV,
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": FileFormat.WORKBOOK,
    "application/json": FileFormat.JSON,
}
_REMARK_HINTS = {
    FileFormat.CSV: "send Accept: application/json to see the text",
    FileFormat.WORKBOOK: "see the sheet Notes",
    FileFormat.JSON: "see remarks",
}
_DESCRIPTION = """\
Forecasts every series of a table, as POST /read reads it, and returns the forecasts as a table: CSV
by default, a workbook or JSON by `Accept`. Dates, decimal mark, delimiter and layout are those of
the table that came: the column of a series continues with its forecast (the median), and
`lower_bound` and `upper_bound` are beside it. A series that cannot be forecast keeps its rows,
empty, and the column `problem` says why.

The body is the file's bytes: `curl --data-binary @sales.xlsx`. What the table leaves open is `422`:
each question is an entry of `errors`, with the parameter that answers it as `field`, and its
`choices`.

Needs the permission `read`. Counts as one request for each 100 forecasts or 50,000 points, at least
one: all of them or, if they do not fit the limits, only the first. A forecast of more than 100
steps counts as one for each 100 steps begun. What takes longer than 50 s before the file is written
gets `422`."""
_HEADERS = {
    NOTICE: header(
        "How many series could not be forecast, and how many remarks on the table "
        "there are, which the JSON lists.",
        examples=["1 of 30 series could not be forecast"],
    ),
    "Content-Disposition": header(
        "A name for the file.", examples=['attachment; filename="forecast.csv"']
    ),
}


@endpoint(
    blueprint,
    Endpoint(
        "POST",
        "/tables/forecast",
        permission=Permission.READ,
        computes=FORECAST_BLOCKS_JOB,
        time_limit_seconds=MAX_CALL_SECONDS,
        body=TABLE_FILE,
        query=TableForecastQuerySchema(),
        successes={
            200: Success(
                "The forecasts, as a table.",
                TableForecastResponseSchema(),
                _HEADERS,
                media_types=tuple(MEDIA_TYPES),
            )
        },
        tag=READING_TAG,
        operation_id="forecastTable",
        description=_DESCRIPTION,
        example=EXAMPLES.success("table-forecast", "Twelve months of two shops"),
    ),
)
def request_table_forecast(content: bytes, sent: TableForecastRequest) -> Result:
    """Forecast every series of a table, and return a table."""
    started = time.monotonic()
    options = sent.options
    media_type = request.accept_mimetypes.best_match(MEDIA_TYPES, next(iter(MEDIA_TYPES)))
    file_format = MEDIA_TYPES[media_type]
    table = read_table_blocks(content, sent, file_format)
    forecasts = forecast_table_blocks(table, options, started)
    written = render_file(table, forecasts, options, file_format)
    name = {"Content-Disposition": f'attachment; filename="forecast.{file_format}"'}
    headers = name | notice_headers(_table_notices(table, forecasts, file_format))
    return Result(written, headers, media_type=media_type)


def _table_notices(
    table: TableInBlocks, forecasts: list[ForecastBlock], file_format: FileFormat
) -> list[str]:
    failed = table.problem_count + sum(block.problem_count for block in forecasts)
    notices = [f"{failed} of {table.series_count} series could not be forecast"] if failed else []
    if table.remarks:
        count = count_of(len(table.remarks), "remark")
        notices.append(f"{count} on how the table was read: {_REMARK_HINTS[file_format]}")
    return notices
