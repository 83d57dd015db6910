"""The log of a rejected request has no text of the client."""

import pytest

from app.api.errors.validation import FieldDefect
from app.api.forecast.schemas import ForecastRequestSchema


@pytest.mark.parametrize(
    ("path", "declared"),
    [
        ((), ""),
        (("forecast_horizon",), "forecast_horizon"),
        (("series", 0, "values", 3), "series.values"),
        (("series", 0, "secret", "more"), "series"),
        (("secret",), ""),
    ],
)
def test_a_field_is_named_as_far_as_it_is_declared(
    path: tuple[str | int, ...], declared: str
) -> None:
    defect = FieldDefect(ForecastRequestSchema(), path, "missing", None, is_in_data=False)
    assert defect.declared_path == declared
