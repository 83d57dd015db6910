"""Errors of the command name options, not arguments of Python or fields of a request."""

import pytest

from forecast_client import DataError, InvalidRequestError, SettingsError
from forecast_client.cli_output import message_of, messages_of
from forecast_client.errors import FieldError


def rejection_of(field: str | None, issue: str) -> InvalidRequestError:
    """Return the exception for the service's rejection of a field."""
    error = FieldError(field, issue)
    return InvalidRequestError("", status=400, code="", details={}, errors=(error, error))


@pytest.mark.parametrize(
    ("field", "issue", "message"),
    [
        ("forecast_horizon", "Must be between 1 and 100", "--horizon: Must be between 1 and 100"),
        ("windows", "Must be between 1 and 10", "--windows: Must be between 1 and 10"),
        ("series[0].timestamps", "12 points are too few", "timestamps: 12 points are too few"),
        ("decimal", "send point or comma", "--decimal: send point or comma"),
        ("columns", "there is none", "--column: there is none"),
        (None, "too large", "the request: too large"),
    ],
)
def test_a_field_of_the_request_is_named_by_its_option_if_it_has_one(
    field: str | None, issue: str, message: str
) -> None:
    assert message_of(rejection_of(field, issue)) == message


def test_an_argument_of_python_is_an_option() -> None:
    assert message_of(DataError("unknown", "holidays")) == "--holidays: unknown"
    assert message_of(SettingsError("the address is missing", "url")).startswith("--url: ")
    assert message_of(DataError("the series is empty")) == "the series is empty"


def test_an_error_that_many_series_have_is_printed_once() -> None:
    errors = {f"shop {n}": rejection_of("confidence", "too high") for n in range(7)}
    names = "shop 0, shop 1, shop 2, shop 3, shop 4 and 2 more"
    message = messages_of({**errors, "odd": DataError("the series is empty")})
    assert message == [f"{names}: --confidence: too high", "odd: the series is empty"]
