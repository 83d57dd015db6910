"""Azure Anomaly Detector's paths behind nginx: its key passes, its errors have both shapes."""

import orjson
import pytest

from tests.api.dialects.azure_anomaly_detector.calls import body
from tests.edge.test_hosts import other_host
from tests.support.api import CODES
from tests.support.edge import Edge, EdgeResponse, ask_bytes, curl

pytestmark = pytest.mark.services

PATH = "/anomalydetector/v1.1/timeseries/entire/detect"


def post(site: Edge, path: str, sent: str, *headers: str) -> EdgeResponse:
    words = [f"-H{header}" for header in ("Content-Type: application/json", *headers)]
    return curl(f"{site.https}{path}", *words, "-d", sent)


@pytest.mark.parametrize("path", [PATH, f"/{PATH}", PATH.replace("1.1", "1.0")])
def test_azure_s_key_header_and_paths_pass(site: Edge, key: str, path: str) -> None:
    sent = orjson.dumps(body(30)).decode()
    response = post(site, path, sent, f"Ocp-Apim-Subscription-Key: {key}")
    assert response.status == 200
    assert len(response.json()["isAnomaly"]) == 30


@pytest.mark.parametrize(
    ("path", "header", "status"),
    [
        (PATH, "Ocp-Apim-Subscription-Key: " + "x" * 9_000, 431),
        (f"{PATH}?{'x' * 9000}", "X: 1", 414),
        ("/AnomalyDetector?" + "x" * 9_000, "X: 1", 414),
        (PATH, "Ocp-Apim-Subscription-Key: none", 401),
    ],
)
def test_errors_of_nginx_have_both_shapes_as_those_of_the_service(
    site: Edge, path: str, header: str, status: int
) -> None:
    response = post(site, path, "{}", header)
    assert response.status == status
    content = response.json()
    assert list(content) == ["code", "message", "error"]
    issue = content["error"]["details"]["issue"]
    assert (content["code"], content["message"]) == (str(status), issue)
    assert (content["error"]["code"], content["error"]["message"]) == (str(status), issue)
    assert content["error"]["details"]["code"] == CODES[status]


def test_a_line_that_nginx_cannot_read_to_its_end_has_both_shapes(site: Edge) -> None:
    line = f"POST {PATH}?{'x' * 40_000} HTTP/1.1\r\nHost: localhost\r\n\r\n"
    response = ask_bytes(site, line.encode())
    assert response.status == 414
    assert list(response.json()) == ["code", "message", "error"]


def test_a_rejected_method_names_the_calls_of_the_dialect_it_was_sent_to(
    site: Edge,
) -> None:
    def issue_at(path: str) -> str:
        response = curl(f"{site.https}{path}", "--request", "TRACE")
        assert response.status == 405
        return response.json()["error"]["details"]["issue"].partition("; send ")[2]

    calls = issue_at(PATH).split(" or ")
    assert len(calls) == 6
    assert all(call.startswith("POST /anomalydetector/v1.") for call in calls)
    assert "POST /forecast" in issue_at("/verify")
    assert "anomalydetector" not in issue_at("/verify")


def test_azure_s_clients_are_asked_to_use_https(site: Edge) -> None:
    content = curl(f"{site.http}/AnomalyDetector", "-d", "{}").json()
    assert content["code"] == "403"
    assert "send it over https://" in content["message"]


def test_a_site_under_maintenance_says_so_to_azure_s_clients_too(site: Edge, key: str) -> None:
    site.maintenance_file.touch()
    try:
        response = post(site, PATH, "{}", f"Ocp-Apim-Subscription-Key: {key}")
    finally:
        site.maintenance_file.unlink()
    assert response.status == 503
    assert response.json()["code"] == "503"
    assert list(curl(f"{site.http}/verify").json()) == ["error"]


def test_azure_s_clients_see_a_wrong_host_in_their_shape(site: Edge) -> None:
    content = other_host("/anomalydetector/v1.1/timeseries/last/detect", "-d", "{}")(site).json()
    assert content["code"] == "421"
