"""The one error shape, ``{"error": {code, message, details}}``; dialects and pages have theirs.

Views and their decorators raise ``ApiError``. In `app/api/serving`, `error_handlers.py` turns
everything else that ends a request into the same shape, and `error_response.py` writes it.
"""

from collections.abc import Mapping
from typing import Any

from app.identity.accounts.errors import TooManyError

# The status and message of errors in what was sent.
INVALID_PARAMETERS = (400, "Invalid request parameters")
INVALID_SERIES = (422, "Invalid time series data")


class ApiError(Exception):
    """Ends the request with an error response.

    ``issue`` says what is wrong in detail, and is the first of the ``details``.
    ``field`` is the path of the first field at fault as its schema declares it, without indices; ""
    without such a field. It never holds what the client sent.
    """

    def __init__(
        self,
        status: int,
        message: str,
        issue: str | None = None,
        *,
        details: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        field: str = "",
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.details = details if issue is None else {"issue": issue, **(details or {})}
        self.headers = headers or {}
        self.field = field

    @property
    def issue(self) -> str:
        """What is wrong in detail; without details the message."""
        return str((self.details or {}).get("issue", self.message))

    @property
    def issue_with_path(self) -> str:
        """The issue after the path of the entry at fault: some clients show nothing else."""
        path = (self.details or {}).get("field")
        return self.issue if path is None else f"{path}: {self.issue}"


def too_many_error(error: TooManyError) -> ApiError:
    """Return the 400 for one more of something than its setting allows."""
    issue = f"{error}; delete one that is not used, or ask the operator to raise {error.setting}"
    if error.max_count == 0:
        issue = (
            f"there are no {error.plural} on this installation; ask the operator to raise "
            f"{error.setting}"
        )
    return ApiError(400, f"Too many {error.plural}", issue)


def not_found_error(noun: str, remedy: str) -> ApiError:
    """Return the 404 for something that does not exist or belongs to another account.

    ``noun`` names it (``monitor 'cpu'``), ``remedy`` says what to send instead.
    """
    return ApiError(404, "Not Found", f"there is no {noun}; {remedy}")


def defect_error(
    status: int, message: str, field: str, issue: str, provided: Any = None, **position: Any
) -> ApiError:
    """Return the error for one defect that was found after the request was read."""
    defect = {"field": field, "issue": issue, "provided": provided}
    return ApiError(
        status, message, details={**defect, **position, "errors": [defect]}, field=field
    )


def unavailable_error(message: str, issue: str, seconds: int, **details: str) -> ApiError:
    """Return the 503 for a request to send again in ``seconds``."""
    return ApiError(503, message, issue, details=details, headers={"Retry-After": f"{seconds}"})


def restarting_error(subject: str, seconds: int) -> ApiError:
    """Return the 503 for a restart during the request; ``subject`` is ``the database was``."""
    issue = (
        f"{subject} restarted during this request, which was not carried out; send it again in "
        f"{seconds} s"
    )
    return unavailable_error("Service is restarting", issue, seconds)
