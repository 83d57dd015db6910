"""How pages show numbers."""

import pytest

from app.web.dashboard.filters import seconds_text


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (None, "–"),
        (0.0, "0 ms"),
        (0.01234, "12 ms"),
        (0.9996, "1 s"),
        (1.26, "1.3 s"),
        (123.0, "120 s"),
    ],
)
def test_a_duration_is_shown_with_two_digits(seconds: float | None, shown: str) -> None:
    assert seconds_text(seconds) == shown
