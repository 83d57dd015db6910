"""The longest series and the largest body are settings."""

import pytest

from tests.support.api import Api, details_of, first_defect
from tests.support.series import daily_body


@pytest.fixture
def settings() -> dict[str, object]:
    return {"max_points": 20, "max_body_bytes": 2000}


def test_the_maximum_series_length_is_a_setting(isolated_api: Api) -> None:
    assert isolated_api.forecast(daily_body(20)).status_code == 200
    _field, issue, _provided = first_defect(isolated_api.forecast(daily_body(21)), 422)
    assert issue.startswith("too many data points: 21 sent, at most 20 allowed")


def test_the_maximum_body_size_is_a_setting(isolated_api: Api) -> None:
    assert "2000 bytes" in details_of(isolated_api.forecast(b" " * 2001), 413)["issue"]
    assert "not valid JSON" in details_of(isolated_api.forecast(b" " * 2000), 400)["issue"]
