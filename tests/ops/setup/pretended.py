"""A machine in a folder: its programs are pretended, and every call is recorded."""

import json
import os
from collections.abc import Callable
from pathlib import Path

from app.core.database.revisions import known_revisions
from app.ops.privileges import SETTINGS_FILE
from app.ops.setup.machine import Machine, ProgramResult
from app.ops.setup.options import CODE, COMMAND
from app.ops.systemd_units import SERVICE_UNIT

DEBIAN = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n'
KEY = "ak_" + "0" * 64


def success(stdout: str = "") -> ProgramResult:
    return ProgramResult(0, stdout, "")


def failure(stderr: str) -> ProgramResult:
    return ProgramResult(1, "", stderr)


class PretendedMachine(Machine):
    """A Debian with nginx and certbot on which a release was just installed.

    ``fails`` has what a program, by its first words, does instead.
    """

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.calls: list[tuple[str, ...]] = []
        self.sent: list[str] = []
        self.owners: dict[str, str] = {}
        self.fails: dict[str, ProgramResult | Callable[[], ProgramResult]] = {}
        self.programs = {"nginx", "openssl", "curl", "certbot"}
        self.root_user, self.clock, self.free = True, 4e9, 10 * 2**30
        self.dns = {"192.0.2.7"}
        self.has_user = self.migrated = False
        self.running: dict[str, float] = {}
        self.accounts: dict[str, int] = {"default": 0}
        for folder in (
            "/etc/nginx/conf.d",
            "/etc/nginx/sites-enabled",
            "/run/systemd/system",
            CODE,
        ):
            self.path(folder).mkdir(parents=True)
        self.path("/etc/os-release").write_text(DEBIAN)
        self.path("/etc/nginx/sites-enabled/default").symlink_to("/etc/nginx/sites-available")

    def run(self, *words: str, stdin: str = "") -> ProgramResult:
        self.calls.append(words)
        self.sent.append(stdin)
        line = " ".join(words)
        for begin, result in self.fails.items():
            if line.startswith(begin):
                return result if isinstance(result, ProgramResult) else result()
        name = words[0].rpartition("/")[2].replace("-", "_")
        return getattr(self, f"_{name}")(*words[1:])

    def set_owner(self, path: Path, user: str, group: str, descriptor: int) -> None:
        self.owners[f"/{path.relative_to(self.root)}"] = f"{user}:{group}"

    def owner_of(self, place: str) -> str:
        return self.owners.get(place, "root:root")

    def is_root(self) -> bool:
        return self.root_user

    def has_program(self, program: str) -> bool:
        return program in self.programs

    def free_bytes(self, place: str) -> int:
        return self.free

    def addresses_of(self, name: str) -> set[str]:
        return self.dns

    def now(self) -> float:
        return self.clock

    def wait(self, seconds: float) -> None:
        """Time passes by itself."""

    def changes(self) -> list[str]:
        """Return the calls that change something."""
        looks = ("getent", "ss", "hostname", "curl", f"{COMMAND} db current", "ufw status")
        lists = tuple(
            f"{COMMAND} {words}"
            for words in ("accounts list", "keys list", "sources check-secrets")
        )
        states = tuple(f"systemctl {word}" for word in ("is-enabled", "is-active", "show"))
        lines = [" ".join(words) for words in self.calls]
        return [line for line in lines if not line.startswith((*looks, *lists, *states))]

    def files(self) -> dict[str, str]:
        """Return what is in every file of the machine."""
        return {str(path): path.read_text() for path in self.root.rglob("*") if path.is_file()}

    # The programs, by their names.

    def _getent(self, *_words: str) -> ProgramResult:
        return success() if self.has_user else failure("")

    def _useradd(self, *_words: str) -> ProgramResult:
        self.has_user = True
        return success()

    def _ss(self, *_words: str) -> ProgramResult:
        return success()

    def _hostname(self, *_words: str) -> ProgramResult:
        return success("10.0.0.5 2001:db8::5 \n")

    def _nginx(self, *_words: str) -> ProgramResult:
        return success()

    def _ufw(self, *words: str) -> ProgramResult:
        return success("Status: inactive\n" if words == ("status",) else "")

    def _systemctl(self, verb: str, *words: str) -> ProgramResult:
        units = [word for word in words if not word.startswith("-")]
        if verb in ("is-enabled", "is-active"):
            on, off = ("enabled", "disabled") if verb == "is-enabled" else ("active", "inactive")
            states = [on if unit in self.running else off for unit in units]
            return ProgramResult(0 if on in states else 3, "\n".join(states), "")
        if verb == "show":
            return success(f"@{int(self.running.get(SERVICE_UNIT, 0))}\n")
        if verb in ("restart", "start", "reload-or-restart") or "--now" in words:
            now = self.path(SETTINGS_FILE).stat().st_mtime
            self.running |= dict.fromkeys(units, now)
        return success()

    def _forecast_service(self, *words: str) -> ProgramResult:
        match words[:2]:
            case ("db", "current"):
                return success(f"{known_revisions()[-1]} (head)\n" if self.migrated else "")
            case ("db", "upgrade"):
                self.migrated = True
            case ("sources", "check-secrets"):
                pass
            case ("accounts", "list"):
                return success(json.dumps([{"name": name} for name in self.accounts]))
            case ("accounts", "create"):
                self.accounts[words[2]] = 0
            case ("keys", "list"):
                return success(json.dumps([{"id": 1}] * self.accounts[words[3]]))
            case ("keys", "create"):
                name = words[words.index("--account") + 1] if "--account" in words else "default"
                self.accounts[name] += 1
                return success(f"{KEY}\n")
            case _:
                raise AssertionError(words)
        return success()

    def _openssl(self, *words: str) -> ProgramResult:
        for option in ("-keyout", "-out"):
            Path(words[words.index(option) + 1]).write_text("self-signed")
        return success()

    def _certbot(self, *words: str) -> ProgramResult:
        folder = self.path(f"/etc/letsencrypt/live/{words[words.index('--domain') + 1]}")
        folder.mkdir(parents=True)
        for name in ("fullchain.pem", "privkey.pem", "chain.pem"):
            (folder / name).write_text("issued")
        return success()

    def _curl(self, *words: str) -> ProgramResult:
        if words[-1].endswith("/forecast"):
            return success('{"median": [1.0, 2.0, 3.0]}')
        return success('{"status": "ok"}')


def set_change_time(machine: PretendedMachine, place: str, seconds: float) -> None:
    """Let a file be changed ``seconds`` from now."""
    path = machine.path(place)
    moment = path.stat().st_mtime + seconds
    os.utime(path, (moment, moment))
