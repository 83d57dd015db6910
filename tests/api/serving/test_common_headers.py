"""The headers of responses: limits, request id, version, model, waiting time."""

import re
import tomllib

import pytest

from tests.support.api import Api, assert_standard_headers, error_of, first_defect
from tests.support.series import daily
from tests.support.server import ROOT

GOOD = daily()


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "OPTIONS", "BREW"])
@pytest.mark.parametrize("path", ["/forecast", "/verify", "/openapi.json", "/nowhere"])
def test_the_standard_headers_are_on_every_response(
    api: Api, anonymous: Api, method: str, path: str
) -> None:
    for caller in (api, anonymous):
        response = caller.request(method, path)
        assert_standard_headers(response)
        assert "Retry-After" not in response.headers


@pytest.mark.parametrize("path", ["/verify", "/usage", "/keys", "/monitors", "/monitors/none"])
def test_a_proxy_must_not_store_what_belongs_to_a_key(api: Api, anonymous: Api, path: str) -> None:
    responses = [caller.request("GET", path) for caller in (api, anonymous)]
    responses += [
        api.forecast(GOOD),
        api.forecast({}),
        api.send("POST", "/timegpt/v2/forecast", {}),
    ]
    for response in responses:
        assert response.headers.getlist("Cache-Control") == ["no-store"]


def test_a_standard_header_of_the_client_is_not_echoed(api: Api) -> None:
    forged = {"X_Api_Version": "9", "X_RateLimit_Limit": "9", "X_Forecast_Notice": "9"}
    response = api.forecast(GOOD, **forged)
    assert response.headers["X-Api-Version"] == "1.0.0"
    assert response.headers["X-RateLimit-Limit"] != "9"
    assert "X-Forecast-Notice" not in response.headers


@pytest.mark.parametrize(
    "sent", ["a", "0", "-", ".", "_", "order-17_b.2", "A" * 128, "0f8fad5b-d9cb-469f-a165-70867"]
)
def test_a_client_s_own_request_id_is_kept(api: Api, sent: str) -> None:
    assert api.verify(X_Request_Id=sent).headers["X-Request-Id"] == sent
    assert api.request("GET", "/nowhere", X_Request_Id=sent).headers["X-Request-Id"] == sent


@pytest.mark.parametrize(
    "sent",
    [
        *(None, "", " ", '"a"', "{a}", "<script>", "é", "١", "A" * 129, "A" * 5000),
        *(f"a{mark}b" for mark in " ,/:+=\0\t"),
    ],
)
def test_another_request_id_is_replaced(api: Api, sent: str | None) -> None:
    made = api.verify(X_Request_Id=sent).headers["X-Request-Id"]
    assert made != sent
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,128}", made)


def test_made_request_ids_differ(api: Api) -> None:
    assert len({api.verify().headers["X-Request-Id"] for _ in range(10)}) == 10


MODEL = "forecast-model-4"


@pytest.mark.parametrize(
    ("headers", "used_model"),
    [
        ({"X_Model_Id": MODEL}, MODEL),
        ({"X_Model_Id": None, "X_Model_Selector": MODEL}, MODEL),
        ({"X_Model_Id": "forecast-model-2", "X_Model_Selector": MODEL}, "forecast-model-2"),
        ({"X_Model_Id": "forecast-model-2", "X_Model_Selector": "best"}, "forecast-model-2"),
        ({"x_model_id": None, "X_Model_Id": None, "x_model_selector": MODEL}, MODEL),
    ],
)
def test_the_model_header_wins_over_its_alias(api: Api, headers: dict, used_model: str) -> None:
    response = api.forecast(GOOD, **headers)
    assert response.status_code == 200
    assert response.headers["X-Model-Id"] == used_model
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert response.headers["X-Engine"] == project["version"]


def test_an_empty_model_header_is_not_an_absent_one(api: Api) -> None:
    response = api.forecast(GOOD, X_Model_Id="", X_Model_Selector=MODEL)
    assert first_defect(response, 400)[0] == "X-Model-Id"


@pytest.mark.parametrize("body", [{}, GOOD | {"forecast_horizon": 0}, GOOD | {"series": [{}]}])
def test_a_response_without_a_forecast_names_no_model(api: Api, body: dict) -> None:
    assert "X-Model-Id" not in api.forecast(body).headers


def test_only_a_401_prompts_for_a_key(api: Api, anonymous: Api) -> None:
    error_of(anonymous.verify(), 401)
    for response in (api.verify(), api.forecast({}), anonymous.request("GET", "/nowhere")):
        assert "WWW-Authenticate" not in response.headers
