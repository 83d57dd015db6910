"""The files for containers and platforms fit the service; `make container-test` runs the image."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from app.core.environment import load_settings
from app.core.settings import SETTINGS
from app.ops.cli.command import command
from nginx.render import SOCKET
from tests.support.server import ROOT

FOLDER = ROOT / "deploy" / "container"
CONTAINERFILE = (FOLDER / "Containerfile").read_text()
COMPOSE = yaml.safe_load((FOLDER / "compose.yaml").read_text())
OURS = ("migrate", "web", "worker", "site")
NAMES = {setting.name for setting in SETTINGS.values()}


def test_the_image_is_built_of_all_that_its_build_reads() -> None:
    """What is not named there is no part of the build, secrets and databases of a checkout too."""
    first, *allowed = (ROOT / ".dockerignore").read_text().split()
    assert first == "*"
    let_in = {line.removeprefix("!") for line in allowed if line.startswith("!")}
    packages = re.search(r"include = \[(.*)\]", (ROOT / "pyproject.toml").read_text())[1]
    needed = {*re.findall(r'"(\w+)\*"', packages), "wsgi.py", "pyproject.toml", "requirements.txt"}
    assert needed | {"deploy/strip.py", "deploy/trim.sh", "README.md", "LICENSE"} == let_in


@pytest.mark.parametrize("name", OURS)
def test_a_container_of_ours_may_do_nothing_that_it_does_not_need(name: str) -> None:
    service = COMPOSE["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


@pytest.mark.parametrize("name", OURS)
def test_a_container_of_ours_is_set_up_by_settings_that_exist(name: str) -> None:
    assert set(COMPOSE["services"][name]["environment"]) - {"SERVER"} <= NAMES


def test_a_container_runs_commands_that_exist() -> None:
    words = [COMPOSE["services"][name]["command"] for name in ("migrate", "worker")]
    words.append(yaml.safe_load(re.search(r"^CMD (.*)$", CONTAINERFILE, re.MULTILINE)[1]))
    for program, *rest in words:
        assert program == "forecast-service"
        assert command.get_command(command.make_context("forecast-service", rest[:1]), rest[0])


def test_a_container_gets_longer_to_stop_than_gunicorn_lets_workers_finish() -> None:
    period = COMPOSE["services"]["web"]["stop_grace_period"]
    page = (ROOT / "docs" / "running" / "container.md").read_text()
    pods = re.search(r"`terminationGracePeriodSeconds` \| ([0-9]+)", page)[1]
    assert min(int(period.removesuffix("s")), int(pods)) > load_settings({}).stop_seconds


def test_nginx_finds_the_socket_of_the_service() -> None:
    web, nginx = COMPOSE["services"]["web"], COMPOSE["services"]["nginx"]
    assert web["environment"]["BIND"] == SOCKET
    folder = str(Path(SOCKET.removeprefix("unix:")).parent)
    assert f"socket:{folder}" in web["volumes"]
    assert f"socket:{folder}:ro" in nginx["volumes"]


def test_the_site_of_the_containers_is_rendered(tmp_path: Path) -> None:
    """As the container runs it, with another folder for the site."""
    shell, flag, script = COMPOSE["services"]["site"]["command"]
    script = script.replace("$$", "$").replace("python ", f"{sys.executable} ")
    script = script.replace("/site/", f"{tmp_path}/")
    environ = {"SERVER": "forecast.example.com", "MAX_BODY_BYTES": "2048"}
    subprocess.run([shell, flag, script], check=True, cwd=ROOT, env=environ)
    site = (tmp_path / "forecast-service.conf").read_text()
    assert "forecast.example.com" in site
    assert "client_max_body_size    2048;" in site


def test_render_starts_the_processes_of_the_procfile() -> None:
    processes = dict(re.findall(r"^(\w+): (.*)$", (ROOT / "Procfile").read_text(), re.MULTILINE))
    web, worker = yaml.safe_load((ROOT / "render.yaml").read_text())["services"]
    assert (web["preDeployCommand"], web["startCommand"]) == (
        processes["release"],
        processes["web"],
    )
    assert worker["startCommand"] == processes["worker"]
    for service in (web, worker):
        assert {variable["key"] for variable in service["envVars"]} <= NAMES


def test_probes_of_kubernetes_end_no_pod_for_an_outage_elsewhere() -> None:
    """`/readyz` fails without Redis, `/healthz` without the database: a restart mends neither."""
    guide = (ROOT / "docs" / "running" / "container.md").read_text()
    rows = dict(re.findall(r"^\| (\w+) probe \| (.+?)[:.]? ", guide, re.MULTILINE))
    assert rows == {"startup": "`/readyz`", "readiness": "`/healthz`", "liveness": "the"}
