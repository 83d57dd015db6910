"""podman, which builds and runs, with a store of its own, which a test removes."""

import os
import shutil
import subprocess
from pathlib import Path

TOOLS = ("podman", "crun", "mmdebstrap", "unshare", "zstd", "/usr/bin/python3")
# In a mount namespace of its own, where the hierarchy of control groups is the unified one, as on
# any current server: crun runs with no other.
_UNIFY = 'umount -l /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup && exec "$@"'
UNIFIED = ("unshare", "--mount", "--propagation=private", "sh", "-c", _UNIFY, "sh")
# What a container on a server has: a read-only root, no capabilities, no new privileges.
BOUNDS = ("--read-only", "--tmpfs=/tmp", "--cap-drop=all", "--security-opt=no-new-privileges")
# What this machine, perhaps a container itself, may not raise or make.
OPTIONS = ("--network=host", "--cgroups=disabled", "--ulimit=nofile=20000:20000")
OPTIONS += ("--ulimit=nproc=4096:4096", "--log-driver=k8s-file")


class EngineError(Exception):
    """A command failed; the message has what it said."""


def reason_to_skip() -> str | None:
    """Return why no image can be built and run here."""
    if os.geteuid() != 0:
        return "only root can build and run images here"
    absent = [tool for tool in TOOLS if not shutil.which(tool)]
    if absent:
        words = "apt-get install --no-install-recommends podman crun mmdebstrap zstd"
        return f"{', '.join(absent)} missing: {words}"
    done = subprocess.run([*UNIFIED, "true"], capture_output=True, text=True, check=False)
    if done.returncode:
        return f"this machine does not allow control groups of its own: {done.stderr.strip()}"
    return None


class Engine:
    """Images and containers in a store under ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._store = [f"--root={folder / 'store'}", f"--runroot={folder / 'run'}"]
        self._store.append("--storage-driver=overlay")

    def podman(self, *words: str) -> str:
        """Run podman; return what it printed on stdout."""
        return run(*self.podman_words(*words))

    def podman_words(self, *words: str) -> list[str]:
        """Return the command that runs podman with the store, to be started by the caller."""
        return [*UNIFIED, "podman", *self._store, "--cgroup-manager=cgroupfs", *words]


def run(*words: str, cwd: Path | None = None) -> str:
    """Run a command; return its stdout. Raise EngineError if it fails."""
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=cwd)
    if done.returncode:
        raise EngineError(f"{' '.join(words)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout
