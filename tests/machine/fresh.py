"""What a newcomer does on a bare machine: the README's commands, `make run` and `make test`."""

import re
import subprocess
from pathlib import Path

from tests.docs.pages import shell_blocks
from tests.machine.building import fetch
from tests.machine.machine import Machine
from tests.machine.steps import expect
from tests.support.polling import poll
from tests.support.server import ROOT

LOCKS = ("requirements.txt", "requirements-dev.txt", "requirements-nixtla.txt")
REPOSITORY = "/srv/forecast-service.git"
WHEELS = "/srv/wheels"
FOLDER = "forecast-service"
ORDINARY_USER = "alex"
START_SECONDS = 600
TEST_SECONDS = 3600


def readme_commands(part: str) -> str:
    """Return the one block of the README that has ``part``."""
    (block,) = [
        block.commands for block in shell_blocks(ROOT / "README.md") if part in block.commands
    ]
    return block.replace("git clone URL ", f"git clone {REPOSITORY} ")


class FreshSteps:
    """The steps on a bare ``machine`` as root, or as a user who may use sudo."""

    def __init__(self, machine: Machine, user: str, folder: Path, wheels: Path) -> None:
        self._machine, self._user, self._folder, self._wheels = machine, user, folder, wheels

    def install_prerequisites(self) -> str:
        """Install what the README asks for, by its own command; then provide libraries and code."""
        if self._user != "root":
            self._machine.run(f"useradd --create-home --shell /bin/bash {self._user}")
            self._machine.run("apt-get -qq update && apt-get -qq install --yes sudo")
            sudoers = f"/etc/sudoers.d/{self._user}"
            self._machine.run(f"echo '{self._user} ALL=(ALL) NOPASSWD: ALL' > {sudoers}")
        command = readme_commands("apt-get install")
        self.run(command.replace("sudo ", "") if self._user == "root" else command)
        self._link_libraries()
        clone = self._folder / "repository"
        subprocess.run(["git", "clone", "--quiet", "--bare", str(ROOT), str(clone)], check=True)
        self._machine.put(clone, REPOSITORY)
        # git refuses to clone what belongs to someone else.
        self._machine.run(f"chown -R {self._user}: {REPOSITORY}")
        return self._machine.run("python3 --version").strip()

    def _link_libraries(self) -> None:
        """Let pip install what was fetched before: the machine has no network but for apt."""
        for name in LOCKS:
            wheels = self._wheels / name
            if not wheels.exists():
                fetch(self._machine, wheels, name)
            self._machine.put(wheels, f"{WHEELS}/{name}")
        folders = "".join(f"\n    {WHEELS}/{name}" for name in LOCKS)
        self._machine.run(
            f"printf '[global]\nno-index = true\nfind-links ={folders}\n' > /etc/pip.conf"
        )

    def make_run(self) -> str:
        """Run `make run`, send the README's first request from a second shell, and stop."""
        script = readme_commands("make run")
        self._machine.put(self._write("run.sh", script), "/srv/run.sh")
        words = "systemd-run --quiet --unit=make-run"
        self._machine.run(f"{words} su - {self._user} -c 'exec bash -eu /srv/run.sh'")
        printed = poll(self._announcement, START_SECONDS)
        expect("token=" in printed, f"make run said:\n{printed[-3000:]}")
        output = self.run(f"cd {FOLDER}\n{readme_commands('forecast_horizon')}")
        expect(output.count("2025-0") == 3, f"the first request got {output}")
        size = self._sizes(".venv")
        self._machine.run("systemctl kill --signal=SIGINT make-run")  # as Ctrl-C in a terminal
        ended = poll(lambda: not self._is_serving(), 60)
        expect(ended, "the service did not end")
        return size

    def _announcement(self) -> str:
        """Return what the service has printed, once it is ready or has ended."""
        printed = self._machine.run("journalctl --quiet --output=cat --unit=make-run")
        return printed if "token=" in printed or not self._is_serving() else ""

    def _is_serving(self) -> bool:
        state = self._machine.run("systemctl show --property=ActiveState --value make-run")
        return state.strip() == "active"

    def make_test(self, *, tests: bool = True) -> str:
        """Run `make test`, or as root CI's own run of it; it must install what it needs and pass.

        Without ``tests``, run only what comes before them.
        """
        as_ci = self._user == "root"
        flags = "" if tests else "export MAKEFLAGS=PYTEST=:\n"
        before = self._installed_megabytes()
        script = f"cd {FOLDER}\n{flags}{'.ci/run' if as_ci else 'make test'}"
        printed = self.run(script, seconds=TEST_SECONDS)
        skipped = re.findall(r"^\d+ skipped: .*", printed, re.MULTILINE)
        expect(not skipped, f"tests were skipped: {skipped}")
        machine_test = "The machine test cannot run: this is a machine of its own" in printed
        expect(machine_test == as_ci, f"the machine test said:\n{printed[-3000:]}")
        started = self._machine.run("systemctl is-enabled postgresql nginx redis-server || true")
        expect("enabled" not in started, f"servers start at the next boot:\n{started}")
        passed = " and ".join(re.findall(r"[0-9]+ passed", printed)) or "no test"
        sizes = self._sizes(".venv", ".venv-nixtla")
        return f"{passed}; {sizes}; packages of {self._installed_megabytes() - before} MB"

    def _sizes(self, *folders: str) -> str:
        """Return the sizes of folders of the checkout."""
        printed = self.run(f"cd {FOLDER}\ndu -sm {' '.join(folders)}")
        sizes = dict(reversed(line.split("\t")) for line in printed.splitlines())
        return ", ".join(f"{name} has {sizes[name]} MB" for name in folders)

    def _installed_megabytes(self) -> int:
        """Return the megabytes of all installed packages, by dpkg."""
        kilobytes = self._machine.run("dpkg-query --show --showformat '${Installed-Size}\n'")
        return sum(map(int, kilobytes.split())) // 1024

    def run(self, script: str, *, seconds: float | None = None) -> str:
        """Run a script as the user in a login shell; return what it printed."""
        self._machine.put(self._write("script.sh", script), "/srv/script.sh")
        return self._machine.run(f"su - {self._user} -c 'bash -eu /srv/script.sh'", seconds=seconds)

    def _write(self, name: str, script: str) -> Path:
        path = self._folder / name
        path.write_text(script)
        path.chmod(0o644)
        return path
