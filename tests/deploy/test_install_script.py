"""`deploy/install.sh` says what it would do, in an order that a running service survives."""

import os
import subprocess
from pathlib import Path

from tests.support.programs import output_of
from tests.support.server import ROOT

SCRIPT = ROOT / "deploy" / "install.sh"
ORDER = (
    "make --silent --directory", "/etc/systemd/system/", "systemctl daemon-reload",
    "/opt/forecast-service/current", "forecast-service setup forecast.example.com",
)  # fmt: skip


def dry_run(**environ: str) -> list[str]:
    """Return the commands that it would run on this machine."""
    words = [str(SCRIPT), "forecast.example.com", "--dry-run"]
    return output_of(words, env=os.environ | environ).splitlines()


def test_the_release_is_whole_before_the_service_is_switched_to_it() -> None:
    lines = dry_run()
    places = [max(i for i, line in enumerate(lines) if part in line) for part in ORDER]
    assert places == sorted(places)
    assert all(line.startswith("would run: ") for line in lines)


def test_missing_packages_are_installed_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "dpkg").write_text('#!/bin/sh\n[ "$2" != nginx ]\n')
    (tmp_path / "dpkg").chmod(0o755)
    (line,) = [line for line in dry_run(PATH=f"{tmp_path}:{os.environ['PATH']}") if "--yes" in line]
    assert line.endswith("apt-get install --quiet --yes nginx")


def test_without_a_name_it_says_how_it_is_called() -> None:
    done = subprocess.run([SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "NAME [EMAIL]" in done.stdout
