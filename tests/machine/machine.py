"""A machine with systemd as its first process: systemd-nspawn over a copy of an image.

Its network is a loopback interface; packages come through `relay.py`. What it writes is in memory.
Everything that a machine starts ends with it, by its id.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.machine import relay, traffic
from tests.support.polling import poll

BOOT_SECONDS = 60
STOP_SECONDS = 60
STEP_SECONDS = 600
TOOLS = ("mmdebstrap", "systemd-nspawn", "nsenter", "unshare", "mount", "ip")
BASE_PACKAGES = "apt,systemd-sysv,dbus,ca-certificates"
CONTAINER = Path("/run/systemd/container")  # which systemd writes where it is started in one
SIZE = "12g"  # the tests write some gigabytes
# /tmp is on the disk as in Debian 12: a tenth of the memory is too little for the tests' databases.
NSPAWN = {"SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1", "SYSTEMD_NSPAWN_TMPFS_TMP": "0"}
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "TERM": "dumb",
    "LANG": "C.UTF-8",
    "DEBIAN_FRONTEND": "noninteractive",
}


class NoMachineError(Exception):
    """This host cannot start a virtual machine; the project is not at fault."""


class StepError(Exception):
    """A command in the machine failed; the message has the command and what it said."""


def reason_to_skip() -> str | None:
    """Return why no machine can be started here."""
    if CONTAINER.exists() and CONTAINER.read_text().strip() == "systemd-nspawn":
        return "this is a machine of its own"
    if os.geteuid() != 0:
        return "only root can start a machine"
    absent = [tool for tool in TOOLS if not shutil.which(tool)]
    if absent:
        return f"{', '.join(absent)} missing: apt-get install mmdebstrap systemd-container iproute2"
    probe = ["unshare", "--mount", "--net", "mount", "-t", "tmpfs", "none", "/mnt"]
    done = subprocess.run(probe, capture_output=True, text=True, check=False)
    return (
        f"this machine does not allow namespaces: {done.stderr.strip()}"
        if done.returncode
        else None
    )


def make_image(distribution: str, folder: Path, log: Path) -> None:
    """Make the bare system of a release of Debian or Ubuntu in ``folder``.

    Raise NoMachineError if its packages cannot be had.
    """
    settings = [
        "--aptopt=Acquire::Languages none",
        "--dpkgopt=force-unsafe-io",
        "--customize-hook=rm -f $1/etc/resolv.conf $1/etc/hostname; : > $1/etc/machine-id",
    ]
    command = ["mmdebstrap", "--variant=minbase", f"--include={BASE_PACKAGES}", *settings]
    if distribution == "noble":
        command.append("--components=main,universe")
    mirror = [line] if (line := os.environ.get("MIRROR")) else []
    with log.open("w") as output:
        done = subprocess.run(
            [*command, distribution, str(folder), *mirror],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            check=False,
        )
    if done.returncode:
        raise NoMachineError(f"mmdebstrap failed:\n{log.read_text()[-2000:]}")
    proxy = f'Acquire::http::Proxy "http://127.0.0.1:{relay.PORT}";\n'
    (folder / "etc/apt/apt.conf.d/99relay").write_text(proxy)


class Machine:
    """A machine of its own copy of ``image``; a context manager that starts and ends it."""

    def __init__(
        self, image: Path, folder: Path, hosts: Sequence[str] = (), name: str = "forecast"
    ) -> None:
        self.name = name
        self._folder = folder
        self._image = image
        sources = (image / "etc/apt/sources.list").read_text()
        self._hosts = [*set(re.findall(r"https?://([^/:\s]+)", sources)), *hosts]
        self._log = (folder / "log").open("a")
        self._ends = contextlib.ExitStack()
        self._running = contextlib.ExitStack()
        self._leader = 0

    def __enter__(self) -> "Machine":
        layers = self._folder / "layers"
        layers.mkdir()
        with self._ends:
            self._mount("tmpfs", layers, f"size={SIZE},mode=0755")
            for name in ("upper", "work", "root"):
                (layers / name).mkdir()
            lower, upper, work = self._image, layers / "upper", layers / "work"
            options = f"lowerdir={lower},upperdir={upper},workdir={work}"
            self._root = layers / "root"
            self._mount("overlay", self._root, options)
            (self._root / "etc/hostname").write_text(f"{self.name}\n")
            (self._root / "etc/hosts").write_text(
                f"127.0.0.1 localhost {self.name}\n::1 localhost\n"
            )
            self._ends.callback(self._stop)
            self._boot()
            self._ends = self._ends.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_exception: object) -> None:
        if kind is StepError:
            words = ["journalctl", "--no-pager", "--quiet", "--lines=60", "--output=cat"]
            with (self._folder / "journal").open("w") as journal:
                subprocess.run(self._entry_command(words), stdout=journal, check=False)
        self._ends.close()

    def reboot(self) -> None:
        """Stop it and boot it again, with what it has written."""
        self._stop()
        self._boot()

    def run(self, script: str, *, fails: bool = False, seconds: float | None = None) -> str:
        """Run a script of the shell as root; return what it printed.

        Raise StepError if it fails, or does not fail although it should.
        """
        command = self._entry_command(["bash", "-euo", "pipefail", "-c", script])
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=seconds or STEP_SECONDS,
            check=False,
        )
        self._log.write(f"$ {script}\n{done.stdout}\n")
        self._log.flush()
        if bool(done.returncode) != fails:
            problem = f"ended with {done.returncode}, and said:\n{done.stdout[-3000:]}"
            raise StepError(f"in the machine,\n  {script}\n{problem}")
        return done.stdout

    def connect(self, other: "Machine", address: str, other_address: str) -> None:
        """Lay a cable to another machine, with an address at each end; a reboot removes it."""
        name = "cable"
        end = ["type", "veth", "peer", "name", name, "netns", str(other._leader)]
        words = [["ip", "link", "add", name, *end], *_addressing(name, address)]
        for network, commands in (
            (self._network, words),
            (other._network, _addressing(name, other_address)),
        ):
            for command in commands:
                subprocess.run(["nsenter", f"--net={network}", *command], check=True)

    def find(self, pattern: str) -> list[Path]:
        """Return the files in it whose paths match, as paths of this machine."""
        return sorted(self._root.glob(pattern.lstrip("/")))

    def put(self, source: Path, target: str) -> None:
        """Copy a file or a folder into it."""
        place = self._root / target.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, place, symlinks=True)
        else:
            shutil.copy(source, place)

    @contextlib.contextmanager
    def requests(self, name: str, key: str, example: Path) -> Iterator[dict[str, Any]]:
        """Send requests all the while; afterwards the result has ``sent`` and ``lost``."""
        result: dict[str, Any] = {}
        words = [sys.executable, traffic.__file__, name, key, str(example)]
        with subprocess.Popen(
            ["nsenter", f"--net={self._network}", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as sender:
            try:
                yield result
            finally:
                printed, _ = sender.communicate()
                result |= json.loads(printed or "{}")
        self._log.write(f"requests: {result}\n")

    @property
    def _network(self) -> str:
        return f"/proc/{self._leader}/ns/net"

    def _boot(self) -> None:
        words = ["--quiet", "--boot", f"--directory={self._root}", f"--machine={self.name}"]
        own = ["--private-network", "--register=no", "--keep-unit", "--resolv-conf=off"]
        rest = ["--timezone=off", "--kill-signal=SIGRTMIN+3", "--console=pipe"]
        with (self._folder / "console").open("ab") as console:
            nspawn = subprocess.Popen(
                ["systemd-nspawn", *words, *own, *rest],
                env=os.environ | NSPAWN,
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
                start_new_session=True,
            )
        self._running.callback(self._end_leader)
        self._running.callback(_terminate, nspawn)
        self._leader = _poll(lambda: _leader_of(nspawn), BOOT_SECONDS, "the machine did not start")
        _poll(self._is_up, BOOT_SECONDS, "the machine did not boot")
        relaying = subprocess.Popen(
            [sys.executable, relay.__file__, str(self._leader), *self._hosts],
            stdout=subprocess.PIPE,
            stderr=self._log,
        )
        self._running.callback(_terminate, relaying)
        assert relaying.stdout
        if relaying.stdout.readline() != b"listens\n":
            raise StepError("the relay did not start")

    def _stop(self) -> None:
        """End what runs, the machine by its own shutdown."""
        self._running.close()

    def _end_leader(self) -> None:
        """End the machine where systemd-nspawn was killed; else it has ended with that."""
        with contextlib.suppress(OSError):
            if self._leader and Path(f"/proc/{self._leader}/comm").read_text() == "systemd\n":
                os.kill(self._leader, signal.SIGKILL)
        self._leader = 0

    def _is_up(self) -> bool:
        state = self._entry_command(["systemctl", "is-system-running"])
        done = subprocess.run(state, capture_output=True, text=True, check=False)
        return done.stdout.strip() in {"running", "degraded"}

    def _entry_command(self, words: Sequence[str]) -> list[str]:
        parts = ("mount", "uts", "ipc", "net", "pid", "cgroup", "root")
        environment = [f"{name}={value}" for name, value in ENVIRONMENT.items()]
        enter = [
            "nsenter",
            f"--target={self._leader}",
            *(f"--{part}" for part in parts),
            "--wdns=/",
        ]
        return [*enter, "env", "-i", *environment, *words]

    def _mount(self, kind: str, place: Path, options: str) -> None:
        subprocess.run(["mount", "-t", kind, "-o", options, "forecast", str(place)], check=True)
        self._ends.callback(subprocess.run, ["umount", "--lazy", str(place)], check=False)


def _addressing(name: str, address: str) -> list[list[str]]:
    """Return the commands that give the end of a cable its address."""
    return [
        ["ip", "address", "add", f"{address}/24", "dev", name],
        ["ip", "link", "set", name, "up"],
    ]


def _leader_of(nspawn: "subprocess.Popen[bytes]") -> int | None:
    """Return the id of the machine's first process, once it is systemd."""
    if nspawn.poll() is not None:
        raise StepError(f"systemd-nspawn ended with {nspawn.returncode}")
    children = Path(f"/proc/{nspawn.pid}/task/{nspawn.pid}/children").read_text().split()
    for child in children:
        with contextlib.suppress(OSError):
            if Path(f"/proc/{child}/comm").read_text() == "systemd\n":
                return int(child)
    return None


def _poll(condition: Any, seconds: float, problem: str) -> Any:
    if result := poll(condition, seconds):
        return result
    raise StepError(problem)


def _terminate(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout:
        process.stdout.close()
