"""The units are what systemd understands, hardened, and fit the service and the pages."""

import configparser
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from flask import Flask

from app.api.service import init_database
from app.core.environment import load_settings
from app.delivery.deliverer import FINAL_WRITE_ATTEMPTS, MIN_DATABASE_BACKOFF_SECONDS
from app.delivery.sender import DEADLINE_SECONDS
from tests.support.programs import find_binary, output_of
from tests.support.server import ROOT

UNITS = ROOT / "deploy" / "systemd"
RELEASE = "/opt/forecast-service/current"
SCALING = (ROOT / "docs" / "running" / "several-nodes.md").read_text()
# What it adds to the socket of a node that nginx reaches over the network.
DROP_IN = re.search(r"socket\.d/listen\.conf <<'END'\n(.*?)END\n", SCALING, re.DOTALL)[1]
SERVICES = [path.name for path in sorted(UNITS.glob("*.service"))]
MAX_EXPOSURE = 2.0  # of 10, by systemd's own measure


def section(unit: str, name: str) -> dict[str, str]:
    """Return a section of a unit; of a key that stands there twice, the last."""
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str
    parser.read(UNITS / unit)
    return dict(parser[name])


@pytest.fixture
def units(tmp_path: Path) -> list[Path]:
    """The units as installed on a node, but with the release in a folder of this test."""
    programs = tmp_path / "release" / ".venv" / "bin"
    programs.mkdir(parents=True)
    for program in ("gunicorn", "forecast-service"):
        shutil.copy("/bin/true", programs / program)
    for unit in UNITS.iterdir():
        text = unit.read_text().replace(RELEASE, str(tmp_path / "release"))
        (tmp_path / unit.name).write_text(text)
    (drop_in := tmp_path / "forecast-service.socket.d").mkdir()
    (drop_in / "listen.conf").write_text(DROP_IN)
    return [tmp_path / unit.name for unit in UNITS.iterdir()]


@pytest.mark.services
def test_systemd_finds_nothing_wrong_with_the_units(units: list[Path]) -> None:
    command = [find_binary("systemd-analyze"), "verify", "--man=no", *map(str, units)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.services
@pytest.mark.parametrize("unit", SERVICES)
def test_a_service_is_hardened(units: list[Path], unit: str) -> None:
    (path,) = (path for path in units if path.name == unit)
    words = [find_binary("systemd-analyze"), "security", "--offline=yes", str(path)]
    output = output_of(words)
    assert float(re.search(r"exposure level for \S+: ([0-9.]+)", output)[1]) <= MAX_EXPOSURE


def test_systemd_waits_longer_than_gunicorn_lets_workers_finish() -> None:
    service = section("forecast-service.service", "Service")
    assert int(service["TimeoutStopSec"]) > load_settings({}).stop_seconds
    assert service["KillMode"] == "mixed"  # the workers are the master's to end


def test_systemd_waits_longer_than_the_deliverer_lets_messages_finish() -> None:
    service = section("forecast-service-worker.service", "Service")
    longest = DEADLINE_SECONDS + FINAL_WRITE_ATTEMPTS * MIN_DATABASE_BACKOFF_SECONDS
    assert int(service["TimeoutStopSec"]) > longest


def test_the_deliverer_starts_and_ends_with_the_service() -> None:
    unit = "forecast-service-worker.service"
    assert section(unit, "Unit")["PartOf"] == "forecast-service.service"
    assert section(unit, "Install")["WantedBy"] == "forecast-service.service"
    assert section(unit, "Service")["Restart"] == "always"


def test_nginx_looks_for_gunicorn_where_the_socket_is() -> None:
    listens = section("forecast-service.socket", "Socket")["ListenStream"]
    assert f"unix:{listens}" in (ROOT / "nginx" / "render.py").read_text()


def test_a_node_listens_on_its_port_beside_the_unix_socket() -> None:
    lines = re.findall(r"^ListenStream=(.*)$", DROP_IN, re.MULTILINE)
    assert lines == ["10.0.0.3:8000"]  # an empty one would forget the socket of the unit
    assert "--upstream 10.0.0.2:8000" in SCALING


@pytest.mark.parametrize("unit", SERVICES)
def test_the_page_makes_all_that_the_units_name(unit: str) -> None:
    service = section(unit, "Service")
    page = (ROOT / "docs" / "running" / "by-hand.md").read_text()
    assert (
        f"useradd --system --user-group --no-create-home --home-dir /var/lib/{service['User']}"
        in page
    )
    for name in ("EnvironmentFile", "ReadWritePaths"):
        assert service.get(name, "") in page
    assert service["WorkingDirectory"] == RELEASE
    assert f'ln -sfn "$FOLDER" {RELEASE}' in page


def test_a_database_elsewhere_needs_no_folder_beside_the_code(tmp_path: Path) -> None:
    """The code belongs to root, and the service writes only in its own folders."""
    app = Flask("app", instance_path=str(tmp_path / "instance"))
    init_database(app, f"sqlite:///{tmp_path / 'forecast.db'}")
    assert not (tmp_path / "instance").exists()
