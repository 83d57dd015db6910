"""POST /read: a file with a table in; its series and the open questions out."""

from flask import Blueprint

from app.api.endpoints.endpoint import CallCost, Endpoint, Success
from app.api.examples.recorded import EXAMPLES
from app.api.read.reading import READ_JOB, READING_TAG, TABLE_FILE, rejection_error, run_reading
from app.api.read.response_schemas import ReadResponseSchema
from app.api.read.schemas import ReadQuerySchema
from app.api.serving.decorator import endpoint
from app.tables.answers import Answers
from app.tables.reading import Reading

blueprint = Blueprint("read", __name__)

_DESCRIPTION = """\
Reads a table in any common form: CSV, text copied from a spreadsheet, JSON, or a workbook
(`.xlsx`, `.ods`). The body is the file's bytes: `curl --data-binary @sales.xlsx`.

It finds the header, the dates and the values, with dates in the forms of spreadsheets and names of
months in 65 languages. What the table leaves open is a question, with the parameter of the query
that answers it. While a required question is open, `series` is empty: send the file again with an
answer. `remarks` say what was left out. A series can be forecast if it has a `data_frequency` and
its `missing` is empty or was filled: send only its `timestamps` and `values` to `POST /forecast`,
and `data_frequency` beside them.

No key is needed while the public pages are enabled: each 64 KiB of the file then counts as one page
request of your IP address. A request with a key does not count against the limits of the key: each
64 KiB counts as one page request of the account."""


@endpoint(
    blueprint,
    Endpoint(
        "POST",
        "/read",
        is_public=True,
        cost=CallCost.READING,
        computes=READ_JOB,
        body=TABLE_FILE,
        query=ReadQuerySchema(),
        permission=None,
        successes={200: Success("What the table holds.", ReadResponseSchema())},
        tag=READING_TAG,
        operation_id="readTable",
        tool="read_table",
        description=_DESCRIPTION,
        example=EXAMPLES.success("table", "Two weeks of sales"),
    ),
)
def read_table(content: bytes, answers: Answers) -> Reading:
    """Read a table: CSV in any form, JSON, or a workbook."""
    result = run_reading(content, answers)
    if isinstance(result, Reading):
        return result
    raise rejection_error(result)
