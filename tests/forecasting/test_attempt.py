"""A fit that fails has a simpler model, but a mistake in our own code fails tests."""

from collections.abc import Callable

import pytest

from app.forecasting import attempt
from app.forecasting.attempt import try_fit


def fit_that_raises(error: type[Exception]) -> Callable[[], None]:
    def fit() -> None:
        raise error

    return fit


@pytest.mark.parametrize("error", [TypeError, AttributeError, NameError, MemoryError])
def test_a_mistake_in_our_code_fails_a_test(error: type[Exception]) -> None:
    with pytest.raises(error):
        try_fit(fit_that_raises(error), "a fit")


@pytest.mark.parametrize("error", [TypeError, ValueError, ZeroDivisionError])
def test_the_service_survives_it_with_a_log_line(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(attempt, "FATAL_ERRORS", [MemoryError])
    assert try_fit(fit_that_raises(error), "a fit") is None
    assert "a fit failed" in caplog.text
