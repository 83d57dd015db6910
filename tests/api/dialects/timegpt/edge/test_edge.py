"""TimeGPT's paths behind nginx: large and packed bodies, its errors, clients that leave."""

import http.client
import ssl
import time
from pathlib import Path
from urllib.parse import urlsplit

import orjson
import pytest

from app.api.dialects.timegpt.bounds import BATCH
from tests.api.dialects.timegpt.calls import PREFIX, body, compressed_body, months
from tests.support.edge import Edge, EdgeResponse, curl
from tests.support.server import Server
from tests.support.services import wait_until

pytestmark = pytest.mark.services

PATH = f"{PREFIX}v2/forecast"
CLIENT_LEFT = '"status":499'


def post(site: Edge, key: str, sent: bytes, folder: Path, *headers: str) -> EdgeResponse:
    file = folder / "body"
    file.write_bytes(sent)
    words = [f"-H{header}" for header in (f"Authorization: Bearer {key}", *headers)]
    json = "-HContent-Type: application/json"
    return curl(f"{site.https}{PATH}", *words, json, "--data-binary", f"@{file}")


def test_a_packed_body_passes(site: Edge, key: str, tmp_path: Path) -> None:
    response = post(site, key, compressed_body(body()), tmp_path, "Content-Encoding: zstd")
    assert response.status == 200
    assert len(response.json()["mean"]) == 12


def test_a_body_larger_than_others_may_be_passes(site: Edge, key: str, tmp_path: Path) -> None:
    long = orjson.dumps(body([1234.5678] * 500_000))
    assert 4 * 2**20 < len(long) < BATCH.max_sent_bytes
    assert post(site, key, long, tmp_path).status == 200


def test_one_that_is_too_large_is_rejected_by_nginx_in_timegpt_s_shape(
    site: Edge, key: str, tmp_path: Path
) -> None:
    response = post(site, key, b" " * (BATCH.max_sent_bytes + 1), tmp_path)
    assert response.status == 413
    error = response.json()
    assert list(error) == ["detail", "error"]
    assert (
        error["detail"] == f"the body is larger than {BATCH.max_sent_bytes} bytes; {BATCH.remedy}"
    )
    assert error["error"]["details"]["code"] == "INVALID_REQUEST"


def test_a_key_is_validated_through_nginx(site: Edge, key: str) -> None:
    bearer = f"-HAuthorization: Bearer {key}"
    assert curl(f"{site.https}{PREFIX}validate_api_key", bearer).status == 200
    wrong = curl(f"{site.https}{PREFIX}validate_api_key", "-HAuthorization: Bearer ak_wrong")
    assert wrong.status == 401
    assert "valid key" in wrong.json()["detail"]


@pytest.mark.timing
def test_a_client_that_leaves_ends_its_call_within_a_second(
    site: Edge, service: Server, key: str
) -> None:
    address = urlsplit(site.https)
    untrusted = ssl.create_default_context()
    untrusted.check_hostname, untrusted.verify_mode = False, ssl.CERT_NONE
    client = http.client.HTTPSConnection(address.hostname or "", address.port, context=untrusted)
    slow = body(*[months(120, seed) for seed in range(800)], model="timegpt-2-pro")
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    before = service.logged.count(CLIENT_LEFT)
    client.request("POST", PATH, orjson.dumps(slow), headers)
    started = "forecast_engine_jobs_in_flight 1.0"
    metrics = f"{site.https}/metrics"

    def is_computing() -> bool:
        return started in curl(metrics).body.decode()

    wait_until(is_computing, "the call at the engines")
    client.close()
    left = time.monotonic()
    wait_until(lambda: service.logged.count(CLIENT_LEFT) > before, "the end of the call", 10)
    assert time.monotonic() - left < 1.0
