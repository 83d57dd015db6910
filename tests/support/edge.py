"""The rendered nginx site before the real service: TLS, and the Error body on every refusal."""

import datetime as dt
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.databases import SqliteDatabases
from tests.support.series import AIRLINE
from tests.support.server import ROOT, Server, serving
from tests.support.services import (
    accepts_connections,
    find_binary,
    free_port,
    running,
    wait_until,
)

pytestmark = pytest.mark.services


@dataclass(frozen=True)
class Edge:
    """A running nginx and the service behind it."""

    http: str
    https: str
    service: Server
    key: str


@dataclass(frozen=True)
class CurlAnswer:
    """What curl was answered."""

    status: int
    headers: dict[str, str]
    body: dict


def curl(folder: Path, *words: str) -> CurlAnswer:
    """Send a request by curl, which trusts the test's certificate."""
    headers, body = folder / "headers", folder / "body"
    command = ["curl", "--silent", "--insecure", "--max-time", "60", "--dump-header", str(headers)]
    subprocess.run([*command, "--output", str(body), *words], check=True)
    last = headers.read_text().strip().split("\n\n")[-1].splitlines()
    pairs = (line.split(":", 1) for line in last[1:] if ":" in line)
    named = {name.strip().lower(): value.strip() for name, value in pairs}
    return CurlAnswer(int(last[0].split()[1]), named, json.loads(body.read_text()))


def write_site(folder: Path, upstream: str, http: str, https: str) -> Path:
    """Make a certificate, render the site as the README says, and wrap it in a minimal nginx."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-subj", "/CN=localhost", "-keyout", str(key), "-out", str(certificate)),
        ],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    options = {
        "--server-name": "localhost",
        "--certificate": str(certificate),
        "--key": str(key),
        "--upstream": upstream,
        "--http-port": http,
        "--https-port": https,
    }
    words = [word for pair in options.items() for word in pair]
    site = subprocess.run(
        [sys.executable, str(ROOT / "nginx" / "render.py"), *words], check=True, capture_output=True
    ).stdout
    (folder / "site.conf").write_bytes(site)
    configuration = folder / "nginx.conf"
    configuration.write_text(
        f"pid {folder}/nginx.pid; error_log {folder}/error.log; daemon off; events {{}}\n"
        f"http {{ access_log off; client_body_temp_path {folder}/bodies;\n"
        f"include {folder}/site.conf; }}\n"
    )
    return configuration


@pytest.fixture(scope="module")
def edge(
    tmp_path_factory: pytest.TempPathFactory, sqlite_databases: SqliteDatabases
) -> Iterator[Edge]:
    nginx = find_binary("nginx")
    folder = tmp_path_factory.mktemp("nginx")
    folder.chmod(0o755)
    http, https = f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"
    settings = {"TRUSTED_PROXIES": "1", "WEB_CONCURRENCY": "1"}
    with serving(folder, sqlite_databases.migrated(), **settings) as service:
        configuration = write_site(folder, service.url.removeprefix("http://"), http, https)
        with running([nginx, "-e", str(folder / "error.log"), "-c", str(configuration)]):
            wait_until(lambda: accepts_connections(int(https.split(":")[1])), "nginx")
            key = service.flask("keys", "create", "--permissions", "read", "--quiet")
            yield Edge(f"http://{http}", f"https://{https}", service, key)


def assert_error(answer: CurlAnswer, status: int, code: str) -> None:
    """Hold an answer of nginx itself to D1: the Error body and the headers of every response."""
    assert answer.status == status
    assert answer.headers["content-type"] == "application/json"
    assert answer.body["error"]["code"] == code
    for header in ("limit", "remaining", "reset"):
        assert answer.headers[f"x-ratelimit-{header}"].isdigit()
    assert answer.headers["x-request-id"]
    assert ("retry-after" in answer.headers) == (status in (429, 503))


def test_a_forecast_passes_over_https_with_the_services_own_headers(
    edge: Edge, tmp_path: Path
) -> None:
    answer = curl(
        tmp_path,
        f"{edge.https}/forecast",
        *("-H", f"Authorization: Bearer {edge.key}", "-H", "Content-Type: application/json"),
        *("--data", f"@{AIRLINE}"),
    )
    assert answer.status == 200
    assert len(answer.body["median"]) == 12
    assert answer.headers["x-ratelimit-limit"] == "50"
    assert answer.headers["strict-transport-security"]


def test_plain_http_is_refused_and_never_redirected(edge: Edge, tmp_path: Path) -> None:
    assert_error(curl(tmp_path, f"{edge.http}/verify"), 403, "UNAUTHORIZED")


def test_a_body_over_the_limit_is_refused_by_nginx_with_the_error_body(
    edge: Edge, tmp_path: Path
) -> None:
    big = tmp_path / "big"
    big.write_bytes(b"1" * (5 * 1024 * 1024))
    answer = curl(tmp_path, f"{edge.https}/forecast", "--data-binary", f"@{big}")
    assert_error(answer, 413, "INVALID_REQUEST")


def test_a_forged_forwarded_address_does_not_escape_the_address_limit(
    edge: Edge, tmp_path: Path
) -> None:
    left = [
        curl(tmp_path, f"{edge.https}/verify", "-H", f"X-Forwarded-For: 192.0.2.{number}")
        for number in range(3)
    ]
    remaining = [int(answer.headers["x-ratelimit-remaining"]) for answer in left]
    assert remaining[0] - remaining[2] == 2


def test_verify_is_bounded_per_address_and_forecast_by_its_key_alone(
    edge: Edge, tmp_path: Path
) -> None:
    answers = [curl(tmp_path, f"{edge.https}/verify") for _ in range(120)]
    by_nginx = [answer for answer in answers if answer.headers["x-ratelimit-limit"] == "600"]
    assert by_nginx
    assert_error(by_nginx[0], 429, "RATE_LIMIT_EXCEEDED")
    details = by_nginx[0].body["error"]["details"]
    assert details["limit"] == 600
    assert dt.datetime.fromisoformat(details["reset_time"]).tzinfo is not None
    key = ("-H", f"Authorization: Bearer {edge.key}")
    wrong = [curl(tmp_path, f"{edge.https}/forecast", "-X", "POST", *key) for _ in range(20)]
    assert {answer.status for answer in wrong} == {415}


def test_a_service_that_is_down_is_told_in_the_error_body(edge: Edge, tmp_path: Path) -> None:
    edge.service.process.terminate()
    edge.service.process.wait(30)
    assert_error(curl(tmp_path, f"{edge.https}/verify"), 502, "INTERNAL_ERROR")
