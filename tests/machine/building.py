"""Build the package for a release of Debian or Ubuntu: here, or on a machine of that release."""

import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement

from tests.machine.machine import Machine, StepError
from tests.support.server import ROOT

SOURCES = ("app", "migrations", "nginx", "deploy", "docs", "wsgi.py", "pyproject.toml")
SOURCES += ("README.md", "LICENSE", "CHANGELOG.md", "requirements.txt")
PLATFORMS = ("manylinux_2_28", "manylinux_2_27", "manylinux_2_17", "manylinux2014", "manylinux1")


def runs_here(suite: str) -> bool:
    """Return whether this machine has that release, by its code name."""
    return platform.freedesktop_os_release().get("VERSION_CODENAME") == suite


def build_here(folder: Path) -> Path:
    """Build into ``folder``; return the package."""
    return Path(_run(str(ROOT / "deploy/deb/build.sh"), str(folder)).splitlines()[-1])


def build_in(machine: Machine, folder: Path) -> Path:
    """Build on ``machine``, which has no network, of libraries that this one fetches."""
    for name in SOURCES:
        machine.put(ROOT / name, f"/root/source/{name}")
    machine.run("apt-get -qq update && apt-get -qq install --yes python3-venv")
    fetch(machine, folder / "wheels")
    machine.put(folder / "wheels", "/root/wheels")
    pip = "PIP_NO_INDEX=1 PIP_FIND_LINKS=/root/wheels"
    machine.run(f"{pip} /root/source/deploy/deb/build.sh /root/dist")
    (built,) = machine.find("/root/dist/*.deb")
    return Path(shutil.copy(built, folder))


def fetch(machine: Machine, folder: Path, lock: str = "requirements.txt") -> None:
    """Download the libraries of a lock file for the machine's version of Python."""
    version = machine.run("python3 -c 'import platform; print(platform.python_version())'").strip()
    short = "".join(version.split(".")[:2])
    folder.mkdir(parents=True)
    pins = folder / "pins"
    pins.write_text("\n".join(_pins(lock, version)))
    words = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(folder), "--no-deps"]
    words += ["--only-binary=:all:", "--require-hashes", f"--python-version={short}"]
    words += [f"--abi={abi}" for abi in (f"cp{short}", "abi3", "none")]
    words += [f"--platform={tag}_{platform.machine()}" for tag in PLATFORMS]
    _run(*words, f"--requirement={pins}")


def _pins(lock: str, version: str) -> Iterator[str]:
    """The pins for a version of Python: pip would judge their markers by the Python it runs on."""
    minor = ".".join(version.split(".")[:2])
    environment = {"python_full_version": version, "python_version": minor}
    for line in re.sub(r" \\\n +", " ", (ROOT / lock).read_text()).splitlines():
        if line.startswith("#"):
            continue
        words, *hashes = line.split(" --hash=")
        pin = Requirement(words)
        if pin.marker is None or pin.marker.evaluate(environment):
            pin.marker = None
            yield " --hash=".join([str(pin), *hashes])


def _run(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise StepError(f"{words[0]} failed:\n{done.stdout}{done.stderr}"[-3000:])
    return done.stdout
