"""The errors of tables that cannot be read as they were sent."""

from app.tables.answers import TableBounds


class RejectedTableError(Exception):
    """A table cannot be read as it was sent: ``issue`` says why, and what to send instead."""

    issue: str


# What to do with a file of another kind.
UNPACK_REMEDY = "unpack it, and send the table in it"
PASSWORD_ISSUE = "the workbook has a password: save it without one, and send it again"
SAVE_REMEDY = "open it in its program, save it as .xlsx or CSV, and send that file"


class UnreadableTableError(RejectedTableError):
    """No series can be read; ``row`` and ``column`` locate the fault, counted from 1."""

    def __init__(
        self,
        issue: str,
        row: int | None = None,
        column: int | None = None,
        *,
        is_too_large: bool = False,
    ) -> None:
        super().__init__(issue)  # an exception is pickled with these arguments and its attributes
        self.issue = issue
        self.row = row
        self.column = column
        self.is_too_large = is_too_large


class WrongAnswerError(RejectedTableError):
    """An answer, that to ``parameter``, does not match the table."""

    def __init__(self, parameter: str, issue: str) -> None:
        super().__init__(parameter, issue)
        self.parameter = parameter
        self.issue = issue


def too_many_points_error(bounds: TableBounds) -> UnreadableTableError:
    """Return the error for a table with more points than one request may have."""
    most = f"at most {bounds.max_series:,} series and {bounds.max_total_points:,} points"
    issue = f"too many points, counting those that are missing: send {most} in one request"
    return UnreadableTableError(issue, is_too_large=True)
