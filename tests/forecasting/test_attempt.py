"""A fit that fails has a simpler model, but a mistake in our own code fails tests."""

import logging
from collections.abc import Callable

import numpy as np
import pytest

from app.forecasting import attempt
from app.forecasting.attempt import try_fit


def fit_that_raises(error: Exception | type[Exception]) -> Callable[[], None]:
    def fit() -> None:
        raise error

    return fit


@pytest.fixture
def as_in_production(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt, "FATAL_ERRORS", (MemoryError,))


@pytest.mark.parametrize("error", [TypeError, AttributeError, NameError, MemoryError])
def test_a_mistake_in_our_code_fails_a_test(error: type[Exception]) -> None:
    with pytest.raises(error):
        try_fit(fit_that_raises(error), "a fit")


@pytest.mark.usefixtures("as_in_production")
@pytest.mark.parametrize("error", [TypeError, ValueError, ZeroDivisionError])
def test_the_service_survives_it_with_a_log_line(
    error: type[Exception], caplog: pytest.LogCaptureFixture
) -> None:
    assert try_fit(fit_that_raises(error), "a fit") is None
    assert "a fit failed" in caplog.text


@pytest.mark.usefixtures("as_in_production")
def test_an_error_that_needs_arguments_is_survived(caplog: pytest.LogCaptureFixture) -> None:
    assert try_fit(fit_that_raises(ExceptionGroup("two", [ValueError()])), "a fit") is None
    assert "a fit failed by ExceptionGroup" in caplog.text


@pytest.mark.usefixtures("as_in_production")
def test_memory_is_not_to_be_survived() -> None:
    with pytest.raises(MemoryError):
        try_fit(fit_that_raises(MemoryError), "a fit")


@pytest.mark.usefixtures("as_in_production")
@pytest.mark.parametrize(
    ("error", "level"),
    [
        (np.linalg.LinAlgError, "INFO"),
        (FloatingPointError, "INFO"),
        (ValueError, "INFO"),
        (TypeError, "ERROR"),
        (NameError, "ERROR"),
        (IndexError, "ERROR"),
    ],
)
def test_only_a_numerical_error_of_a_member_is_no_error_of_the_service(
    error: type[Exception], level: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    try_fit(fit_that_raises(error), "a member", logging.INFO)
    (record,) = caplog.records
    assert record.levelname == level
    assert "raise error" in caplog.text
    assert error.__name__ in caplog.text


@pytest.mark.usefixtures("as_in_production")
@pytest.mark.parametrize("error", [KeyError(1234.5), ValueError("1234.5 is too large")])
def test_the_log_does_not_quote_values(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    try_fit(fit_that_raises(error), "a fit")
    assert "1234.5" not in caplog.text
