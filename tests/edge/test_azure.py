"""Azure Anomaly Detector's paths behind nginx: its key passes, its errors have both shapes."""

import orjson
import pytest

from tests.api.azure_anomaly_detector.test_responses import body
from tests.support.edge import Edge, EdgeAnswer, curl

PATH = "/anomalydetector/v1.1/timeseries/entire/detect"


def post(site: Edge, path: str, sent: str, *headers: str) -> EdgeAnswer:
    words = [f"-H{header}" for header in ("Content-Type: application/json", *headers)]
    return curl(f"{site.https}{path}", *words, "-d", sent)


@pytest.mark.parametrize("path", [PATH, f"/{PATH}", PATH.replace("1.1", "1.0")])
def test_azure_s_key_header_and_paths_pass(site: Edge, key: str, path: str) -> None:
    sent = orjson.dumps(body(30)).decode()
    answer = post(site, path, sent, f"Ocp-Apim-Subscription-Key: {key}")
    assert answer.status == 200
    assert len(answer.json()["isAnomaly"]) == 30


@pytest.mark.parametrize(
    ("path", "header", "status"),
    [
        (PATH, "Ocp-Apim-Subscription-Key: " + "x" * 9_000, 431),
        (f"{PATH}?{'x' * 9000}", "X: 1", 414),
        (PATH, "Ocp-Apim-Subscription-Key: none", 401),
    ],
)
def test_errors_of_nginx_have_both_shapes_as_those_of_the_service(
    site: Edge, path: str, header: str, status: int
) -> None:
    answer = post(site, path, "{}", header)
    assert answer.status == status
    said = answer.json()
    assert list(said) == ["code", "message", "error"]
    assert (said["code"], said["message"]) == (str(status), said["error"]["message"])


def test_a_site_under_maintenance_says_so_to_azure_s_clients_too(site: Edge, key: str) -> None:
    site.maintenance_file.touch()
    try:
        answer = post(site, PATH, "{}", f"Ocp-Apim-Subscription-Key: {key}")
    finally:
        site.maintenance_file.unlink()
    assert answer.status == 503
    assert answer.json()["code"] == "503"
    assert list(curl(f"{site.http}/verify").json()) == ["error"]
