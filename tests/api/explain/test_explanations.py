"""POST /explain: the forecast of /forecast and its parts."""

import numpy as np
import pytest

from tests.support.api import Api, error_of, first_defect, with_entry
from tests.support.series import daily_body

BODY = daily_body(60) | {"forecast_horizon": 14, "forecast_frequency": "Daily"}


@pytest.mark.parametrize("model", ["forecast-model-2", "seasonal_naive"])
def test_the_parts_add_up_to_the_median_that_the_forecast_has(api: Api, model: str) -> None:
    response = api.send("POST", "/explain", BODY, X_Model_Id=model)
    forecast = api.forecast(BODY, X_Model_Id=model)
    body = response.get_json()
    assert response.status_code == forecast.status_code == 200
    for name in ("forecast_timestamps", "median"):
        assert body[name] == forecast.get_json()[name]
    for header in ("X-Model-Id", "X-Forecast-Notice"):
        assert response.headers.get(header) == forecast.headers.get(header)
    parts = [np.array(body[name]) for name in ("level_and_trend", "season", "holidays")]
    assert np.allclose(sum(parts), body["median"], rtol=1e-12)


def test_an_explanation_rejects_a_body_as_a_forecast_does(api: Api, anonymous_api: Api) -> None:
    error_of(anonymous_api.send("POST", "/explain", BODY), 401)
    wrong = with_entry(BODY, "values", 3, None)
    for body, status in ((BODY | {"forecast_horizon": 101}, 400), (wrong, 422)):
        rejected, forecast = api.send("POST", "/explain", body), api.forecast(body)
        assert first_defect(rejected, status) == first_defect(forecast, status)
