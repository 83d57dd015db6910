"""Attempts to get in, to be counted twice, and to read secrets from responses and logs."""

import hashlib
import re
import socket
from urllib.parse import urlsplit

import pytest

from app.core.api_keys import generate_key
from tests.support.databases import dump_values
from tests.support.keys import new_key, usage
from tests.support.programs import output_of
from tests.support.series import daily_body
from tests.support.server import run_server
from tests.support.statements import record

INJECTIONS = [
    "' OR '1'='1",
    "'; DROP TABLE api_keys; --",
    '" UNION SELECT key_hash FROM api_keys --',
    "%' OR 1=1 --",
    "Robert'); DELETE FROM accounts; --",
    "{{7*7}} ${7*7} %(owner)s :owner",
]
SMUGGLED = "GET /verify HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n\r\n"
SMUGGLING = {
    "both lengths": ["Content-Length: 4", "Transfer-Encoding: chunked"],
    "two lengths": ["Content-Length: 0", "Content-Length: 60"],
    "a list of lengths": ["Content-Length: 0, 60"],
    "an odd encoding": ["Transfer-Encoding: xchunked"],
    "two encodings": ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"],
    "a space before the colon": ["Content-Length : 60"],
    "a signed length": ["Content-Length: +60"],
    "a folded header": ["X-Folded: a", " b"],
    "a bare carriage return": ["X-Bare: a\rContent-Length: 60"],
    "a name with an underscore": ["Content_Length: 60"],
}


def run_debug_server(folder, url):
    settings = {"WEB_CONCURRENCY": "2", "ANONYMOUS_PER_MINUTE": "100000", "LOG_LEVEL": "DEBUG"}
    settings["MAX_BODY_BYTES"] = "5000"
    return run_server(folder, url, **settings, METRICS_ALLOWED="127.0.0.1")


@pytest.fixture(scope="module")
def server(sqlite_databases, tmp_path_factory):
    """A real server, whose log is read."""
    with run_debug_server(
        tmp_path_factory.mktemp("attacked"), sqlite_databases.migrated()
    ) as server:
        yield server


@pytest.fixture(scope="module")
def postgresql_server(postgresql_databases, tmp_path_factory):
    """The same with its database in PostgreSQL."""
    url = postgresql_databases.migrated()
    with run_debug_server(tmp_path_factory.mktemp("attacked"), url) as server:
        yield server


@pytest.fixture(scope="module")
def file_url(server):
    return server.environ["DATABASE_URL"]


@pytest.fixture(scope="module")
def a_key(file_url):
    return new_key(file_url)


def raw(server, *lines: str, body: str = "") -> str:
    """Send bytes and return the server's output until it closes or waits."""
    place = urlsplit(server.url)
    with socket.create_connection((place.hostname, place.port), timeout=10) as link:
        link.sendall("\r\n".join([*lines, "", body]).encode("latin-1"))
        link.shutdown(socket.SHUT_WR)
        received = b""
        while chunk := link.recv(65_536):
            received += chunk
    return received.decode("latin-1")


def provoke_every_error(server, a_key: str) -> str:
    """Send secrets in every request that fails; return all bodies."""
    unknown = generate_key()
    good = f"Authorization: Bearer {a_key}"
    responses = [
        server.request("/verify", key=unknown),
        server.request("/verify", key=a_key + "0"),
        server.request("/verify", Authorization=f"Basic {a_key}"),
        server.request("/verify", Authorization=a_key),
        server.request(f"/verify/{a_key}", key=a_key),
        server.request(f"/{a_key}"),
        server.request("/forecast", key=a_key),
        server.request("/forecast", b"{", a_key),
        server.request("/forecast", {"series": a_key}, a_key),
        server.request("/forecast", daily_body() | {a_key: 1, "data_frequency": a_key}, a_key),
        server.request("/forecast", daily_body() | {"forecast_horizon": a_key}, a_key),
        server.request("/forecast", daily_body(), a_key, X_Model_Id=a_key),
        server.request("/forecast", b"x", a_key, Content_Type=a_key),
        server.request("/verify", key=a_key, X_Request_Id=a_key),
        server.request("/forecast", b" " * 5_001, a_key),
    ]
    for broken in (
        raw(server, "GET /verify HTTP/1.1", "Host: a", good.replace(":", "", 1)),
        raw(server, "GET /verify HTTP/1.1", "Host: a", good.replace(":", " :", 1)),
        raw(server, f"GET /verify?{a_key} HTTP/9.9", "Host: a", good),
        raw(server, f"G\x01T {a_key} HTTP/1.1", "Host: a", good),
        raw(server, "GET /verify HTTP/1.1", "Host: a", good, f" {a_key}"),
        raw(server, "GET /verify HTTP/1.1", "Host: a", good + "\x00"),
        raw(server, "GET /verify HTTP/1.1", "Host: a", f"Content-Length: {a_key}", good),
        raw(server, "GET /verify HTTP/1.1", "Host: a", f"Transfer-Encoding: {a_key}", good),
    ):  # gunicorn responds with what is wrong; nginx lets none of them through
        assert " 200 " not in broken
    assert {response.status for response in responses} >= {400, 401, 404, 405, 413, 415}
    return "\n".join(response.body.decode() for response in responses)


@pytest.mark.parametrize(
    "kind", ["server", pytest.param("postgresql_server", marks=pytest.mark.services)]
)
def test_no_secret_is_in_any_log_response_metric_or_column_after_every_error(request, kind) -> None:
    server = request.getfixturevalue(kind)
    url = server.environ["DATABASE_URL"]
    key = new_key(url)
    texts = {
        "responses": provoke_every_error(server, key),
        "log": server.logged,
        "metrics": server.request("/metrics").body.decode(),
        "database": dump_values(url),
    }
    assert "forecast_http_requests_total" in texts["metrics"]
    assert key[:11] in texts["database"]
    for place, text in texts.items():
        for secret in (key[11:], key[3:], hashlib.sha256(key.encode()).hexdigest(), "bearer ak_"):
            at = text.lower().find(secret)
            assert at < 0, (place, text[max(0, at - 300) : at + 100])


@pytest.mark.parametrize("headers", SMUGGLING.values(), ids=SMUGGLING.keys())
def test_a_request_smuggled_behind_another_is_never_a_hidden_use(server, a_key, file_url, headers):
    before = usage(file_url, a_key)
    body = "0\r\n\r\n" + SMUGGLED.format(key=a_key)
    response = raw(server, "POST /forecast HTTP/1.1", "Host: a", *headers, body=body)
    shown = response.count("HTTP/1.1 200")
    assert usage(file_url, a_key) - before == shown == 0


@pytest.mark.parametrize("text", INJECTIONS)
def test_injected_text_is_only_text_in_every_field_of_a_request(server, a_key, file_url, text):
    before = dump_values(file_url).count("ak_")
    for response in (
        server.request("/verify", Authorization=f"Bearer {text}"),
        server.request("/verify", key=a_key, X_Request_Id=text),
        server.request("/verify", key=a_key, X_Forwarded_For=text),
        server.request("/forecast", daily_body(), a_key, X_Model_Id=text),
        server.request("/forecast", daily_body() | {text: text}, a_key),
        server.request("/forecast", daily_body() | {"data_frequency": text}, a_key),
        server.request("/forecast", {"series": [{"timestamps": [text], "values": [text]}]}, a_key),
    ):
        assert response.status in (200, 400, 401, 422)
        assert text not in str(response.headers)
    assert dump_values(file_url).count("ak_") == before
    assert server.request("/verify", key=a_key).status == 200


@pytest.mark.parametrize("name", ["SCRIPT_NAME", "PATH_INFO", "Script-Name"])
@pytest.mark.parametrize("value", ["/healthz", "/verify", "//evil.example"])
def test_no_header_says_what_the_path_of_a_request_is(server, name, value) -> None:
    response = raw(server, "GET /healthz HTTP/1.1", "Host: a", f"{name}: {value}")
    assert response.startswith("HTTP/1.1 200 ")
    response = raw(server, "GET //evil.example/verify HTTP/1.1", "Host: a", f"{name}: {value}")
    assert response.startswith("HTTP/1.1 404 ")


def test_a_line_break_in_a_header_is_never_a_response_header(server, a_key) -> None:
    sent = ["X-Request-Id: a%0d%0aX-Evil: 1", "X-Model-Id: a\u0085X-Evil: 1"]
    response = raw(
        server, "GET /verify HTTP/1.1", "Host: a", f"Authorization: Bearer {a_key}", *sent
    )
    assert "evil" not in response.lower()


@pytest.mark.parametrize("text", INJECTIONS)
def test_injected_text_is_only_text_in_names_and_labels(app, text) -> None:
    from tests.support.cli import attempt, run, run_json

    run(app, "accounts", "create", "safe")
    attempt(app, "accounts", "create", text)
    attempt(app, "accounts", "set-tier", text, "free")
    created = ("keys", "create", "--permissions", "read", "--account", "safe", "--quiet")
    run(app, *created, "--label", text)
    (row,) = run_json(app, "keys", "list", "--account", "safe")
    assert row["label"] == text
    assert "safe" in {account["name"] for account in run_json(app, "accounts", "list")}
    attempt(app, "keys", "list", "--account", text)
    assert attempt(app, "keys", "show", text).exit_code != 0


def test_the_database_sees_only_hashes_of_keys_valid_or_not(app, client, key):
    """The time of a comparison does not show how much of a key is right: its hash is looked up."""
    from app.core.database import db
    from tests.support.keys import verify

    nearly = key[:-1] + ("0" if key[-1] != "0" else "1")
    with app.app_context():
        db.engine.dispose()  # the key was made over a connection that is not recorded
        recorded = record(db.engine)
    looked_up = []
    for presented in (nearly, generate_key()):
        recorded.clear()
        assert verify(client, presented).status_code == 401
        hashed = hashlib.sha256(presented.encode()).hexdigest()
        asked = recorded.texts
        assert not [text for text in asked if presented[3:] in text]
        looked_up.append([re.sub("'[^']*'", "?", text) for text in asked if hashed in text])
    assert looked_up[0] == looked_up[1]
    assert len(looked_up[0]) == 1


def test_scanners_can_recognize_a_leaked_key(key: str) -> None:
    printed = output_of(["grep", "-cE", r"\bak_[0-9a-f]{64}\b"], input=f'token = "{key}"')
    assert printed.strip() == "1"
