"""Build the package for a release of Debian or Ubuntu: here, or on a machine of that release."""

import platform
import shutil
import subprocess
from pathlib import Path

from tests.machine.machine import Machine, StepError
from tests.support.server import ROOT

SOURCES = ("app", "migrations", "nginx", "deploy", "docs", "wsgi.py", "pyproject.toml")
SOURCES += ("README.md", "LICENSE", "CHANGELOG.md", "requirements.txt", ".flaskenv")


def runs_here(suite: str) -> bool:
    """Whether this machine has that release, by its code name."""
    return platform.freedesktop_os_release().get("VERSION_CODENAME") == suite


def build_here(folder: Path) -> Path:
    """Build into ``folder``; returns the package."""
    command = [str(ROOT / "deploy/deb/build.sh"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise StepError(f"the package was not built:\n{done.stdout}{done.stderr}"[-3000:])
    return Path(done.stdout.splitlines()[-1])


def build_in(machine: Machine, folder: Path) -> Path:
    """Build on ``machine`` with this machine's settings of pip; returns the package."""
    for name in SOURCES:
        machine.put(ROOT / name, f"/root/source/{name}")
    machine.take_pip_settings()
    machine.run("apt-get -qq update && apt-get -qq install --yes python3-venv")
    machine.run(f"{machine.proxies} PIP_CONFIG_FILE=/root/pip.conf /root/source/deploy/deb/build.sh /root/dist")
    (built,) = machine.find("/root/dist/*.deb")
    return Path(shutil.copy(built, folder))
