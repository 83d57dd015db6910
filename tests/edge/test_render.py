"""The rendered site: accepted by nginx with all options, and consistent with the service."""

import argparse
import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.api.endpoints.endpoint import CallCost
from app.api.errors.statuses import ISSUES_BY_STATUS, STATUSES
from app.api.examples.recorded import EXAMPLES
from app.core.environment import load_settings
from app.core.settings import MAX_CALL_SECONDS, SETTINGS
from tests.support import edge
from tests.support.programs import output_of
from tests.support.server import ROOT

NODES = ["unix:/run/forecast-service/gunicorn.sock", "10.0.0.2:8000", "[2001:db8::2]:8000"]
REQUIRED = ["--server-name", "a", "--certificate", "c", "--key", "k"]
OPTIONS = {
    "as it is": {"http": "127.0.0.1:18080", "https": "127.0.0.1:18443"},
    "one node on a port": {"upstream": "127.0.0.1:8000", "http": "18080", "https": "18443"},
    "three nodes": {"upstream": NODES, "http": "18080", "https": "18443"},
    "IPv4 and IPv6 by address": {"https": ["127.0.0.1:18443", "[::1]:18443"], "http": "18080"},
    "OCSP": {"ocsp": True, "http": "18080", "https": "18443"},
    "small limits": {"requests_per_minute": "1", "verify_per_minute": "1", "connections": "1"},
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_nginx_accepts_the_site(tmp_path: Path, options: dict) -> None:
    ports = {"http": "18080", "https": "18443"}
    output = edge.check_configuration(edge.render(tmp_path, **ports | options))
    complaints = [line for line in output.splitlines() if "[warn]" in line]
    # The test's certificate names no responder, and nginx says that it staples nothing then.
    assert all("no OCSP responder URL in the certificate" in line for line in complaints)
    assert bool(complaints) == ("ocsp" in options)


@pytest.fixture
def renderer() -> SimpleNamespace:
    return edge.renderer()


def rendered_files(renderer: SimpleNamespace, *words: str) -> str:
    options: argparse.Namespace = renderer.parse([*REQUIRED, *words])
    return renderer.render(options, renderer.service_endpoints())


def test_the_program_prints_the_site(renderer: SimpleNamespace) -> None:
    command = [sys.executable, str(edge.RENDERER), *REQUIRED]
    assert output_of(command) == rendered_files(renderer)


def test_a_port_is_listened_on_over_ipv4_and_ipv6(renderer: SimpleNamespace) -> None:
    site = rendered_files(renderer)
    for line in (
        "listen 80;",
        "listen [::]:80;",
        "listen 443 ssl http2;",
        "listen [::]:443 ssl http2;",
    ):
        assert f"    {line}\n" in site


def test_a_single_node_is_never_taken_for_down_and_one_of_several_is(
    renderer: SimpleNamespace,
) -> None:
    assert "gunicorn.sock max_fails=0;" in rendered_files(renderer)
    site = rendered_files(renderer, "--upstream", "10.0.0.1:1", "--upstream", "10.0.0.2:1")
    assert len(re.findall("max_fails=3 fail_timeout=10s( max_conns=[0-9]+)?;", site)) == 4
    assert "least_conn;" in site


def test_a_node_that_hangs_is_met_by_one_request_at_a_time(renderer: SimpleNamespace) -> None:
    """The next one is sent only after the first one has timed out."""
    site = rendered_files(renderer, "--upstream", "10.0.0.1:1", "--upstream", "10.0.0.2:1")
    (single,) = set(re.findall("fail_timeout=([0-9]+)s", site))
    quick = min(map(int, re.findall("proxy_read_timeout ([0-9]+)s", site)))
    assert int(single) >= quick


def test_cores_are_counted_as_the_service_counts_them(
    renderer: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 2, 5})
    engines = load_settings({}).web_concurrency
    queue = int(SETTINGS["forecast_queue"].default)
    assert engines == 3
    assert renderer.parse(REQUIRED).forecasts_per_node == engines + queue


def test_limits_follow_the_settings_of_the_service(
    renderer: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    body, timeout = SETTINGS["max_body_bytes"], SETTINGS["forecast_timeout_seconds"]
    wait = SETTINGS["forecast_wait_seconds"]
    options = renderer.parse(REQUIRED)
    assert options.wait_seconds == int(wait.default)
    assert options.max_body_bytes == int(body.default)
    assert options.read_timeout > int(timeout.default)
    monkeypatch.setenv(body.name, "2048")
    monkeypatch.setenv(timeout.name, "300")
    monkeypatch.setenv(wait.name, "7")
    site = rendered_files(renderer)
    assert "client_max_body_size    2048;" in site
    assert "larger than 2048 bytes" in site
    assert "proxy_read_timeout 330s;" in site
    assert "~^:503:. 7;" in site
    assert "send the request again in 7 s" in site


def test_nginx_waits_for_a_restarting_node_only_if_it_is_the_only_one(
    renderer: SimpleNamespace,
) -> None:
    longest = f"proxy_read_timeout {renderer.parse(REQUIRED).read_timeout}s;"
    single = re.sub(
        r"location = /tables/forecast {.*?\n    }", "", rendered_files(renderer), flags=re.DOTALL
    )
    assert single.count(longest) == single.count("proxy_read_timeout")
    site = rendered_files(renderer, "--upstream", "10.0.0.1:1", "--upstream", "10.0.0.2:1")
    assert site.count(longest) + 1 == site.count("proxy_pass http://forecast_engines;")
    asking = sum(endpoint.cost is CallCost.NOTHING for endpoint in renderer.service_endpoints())
    assert site.count("proxy_read_timeout 10s;") == 2 + asking


def test_a_batch_has_its_own_size_and_enough_time_under_any_settings(
    renderer: SimpleNamespace,
) -> None:
    site = rendered_files(renderer, "--read-timeout", "35", "--max-body-bytes", "2048")
    location = re.search(r"location = /timegpt/v2/forecast {.*?\n    }", site, re.DOTALL)[0]
    assert "client_max_body_size 16777216;" in location
    assert "proxy_read_timeout 60s;" in location
    assert '"the body is larger than 16777216 bytes; set num_partitions' in site


def test_a_table_is_waited_for_until_its_file_is_written(renderer: SimpleNamespace) -> None:
    location = re.search(
        r"location = /tables/forecast {.*?\n    }", rendered_files(renderer), re.DOTALL
    )[0]
    [seconds] = map(int, re.findall("proxy_read_timeout ([0-9]+)s;", location))
    assert seconds > MAX_CALL_SECONDS


def texts(site: str, variable: str) -> dict[int, str]:
    """Return nginx's text for each status, from the map of ``variable``."""
    (lines,) = re.findall(
        rf"^map \S+ \$forecast_error_{variable} {{(.*?)^}}", site, re.DOTALL | re.M
    )
    return {int(status): text for status, text in re.findall(r'~\^(\d{3}) +"(.*)";', lines)}


def test_nginx_says_of_an_error_what_the_service_says_of_it(renderer: SimpleNamespace) -> None:
    site = rendered_files(renderer)
    issues, messages = texts(site, "issue"), texts(site, "message")
    assert set(issues) | {429} == set(messages) <= set(STATUSES)
    assert ISSUES_BY_STATUS.items() <= issues.items()
    (plain, long) = (e for e in EXAMPLES.errors if e.name == "plain-http" or e.status == 413)
    for example in (plain, long):
        expected = (messages[example.status], {"issue": issues[example.status]})
        assert expected == (
            example.response["error"]["message"],
            example.response["error"]["details"],
        )


def test_every_header_that_the_service_reads_is_passed_on(renderer: SimpleNamespace) -> None:
    code = "".join(file.read_text() for file in (ROOT / "app").rglob("*.py"))
    read = set(re.findall(r'request\.headers\.get(?:list)?\("([A-Za-z-]+)"', code))
    read |= set(re.findall(r'"([A-Za-z-]+)" in request\.headers', code))
    site = rendered_files(renderer)
    passed = set(re.findall(r"^    proxy_set_header (\S+) \$", site, re.MULTILINE))
    # nginx replaces what others in front would say in the first, and writes the second itself.
    assert read - {"Forwarded", "Transfer-Encoding"} <= passed
    assert passed >= {"Authorization", "Content-Type", "X-Model-Id"}


def test_the_limit_of_an_address_is_far_above_every_tier(renderer: SimpleNamespace) -> None:
    from app.identity.limits.tiers import LEVEL_ALLOWANCES, TIERS

    most = max(
        tier.windows()[0][1] for tier in [*TIERS.values(), *LEVEL_ALLOWANCES.values()] if tier
    )
    options = renderer.parse(REQUIRED)
    assert options.requests_per_minute >= 10 * most
    assert options.requests_per_minute // 10 >= most, "a minute's requests may come at once"


def test_every_option_is_used_by_the_site(renderer: SimpleNamespace) -> None:
    plain = rendered_files(renderer)
    for name, value in vars(renderer.parse(REQUIRED)).items():
        other = {bool: [], int: ["7"]}.get(type(value), ["/other"])
        words = [f"--{name.replace('_', '-')}", *other]
        if name in ("chain", "resolver"):
            words.append("--ocsp")
        assert rendered_files(renderer, *words) != plain, name


@pytest.mark.parametrize(
    ("name", "value"),
    [("MAX_BODY_BYTES", "10"), ("WEB_CONCURRENCY", "x"), ("FORECAST_TIMEOUT_SECONDS", "1e3")],
)
def test_a_setting_that_the_service_rejects_is_named(renderer, monkeypatch, name, value) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit, match=f"^Error: {name}: set a whole number"):
        renderer.parse(REQUIRED)


@pytest.mark.parametrize("words", [["--upstream", "x;y"], ["--requests-per-minute", "0"]])
def test_an_option_that_nginx_would_misread_renders_nothing(renderer, capsys, words) -> None:
    with pytest.raises(SystemExit):
        renderer.parse([*REQUIRED, *words])
    printed = capsys.readouterr()
    assert printed.out == ""
    assert f"argument {words[0]}: give" in printed.err
