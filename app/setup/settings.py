"""The step of the settings file: what is missing is added, what is there is kept."""

import base64
import os
import re
from urllib.parse import urlsplit

from app.settings_file import read_settings_file
from app.setup.machine import Machine, SetupError
from app.setup.steps import Step
from app.setup.wish import BACKUPS, DATA, NAME_FILE, SETTINGS, USER, Wish

KEY_BYTES = 32  # of Fernet


def user_step(machine: Machine) -> Step:
    """Return the step that makes the service's user."""

    def found() -> str | None:
        exists = machine.run("getent", "passwd", USER).status == 0
        return f"{USER} is there" if exists else None

    def do() -> str:
        words = ("useradd", "--system", "--user-group", "--no-create-home", "--home-dir", DATA)
        machine.must("no user could be made", *words, "--shell", "/usr/sbin/nologin", USER)
        return f"made {USER}"

    return Step("user", f"make the user {USER}", found, do)


def settings_step(machine: Machine, wish: Wish) -> Step:
    """Return the step that makes folders and the settings file."""
    path = machine.path(SETTINGS)

    def found() -> str | None:
        folders = all(machine.path(one).exists() for one in (DATA, BACKUPS))
        return f"{SETTINGS} has all" if folders and not _missing(machine, wish) else None

    def do() -> str:
        for place, user, group in (
            ("/etc/forecast-service", "root", USER),
            (DATA, USER, USER),
            (BACKUPS, USER, USER),
        ):
            machine.make_folder(place, user, group)
        added = _missing(machine, wish)
        kept = path.read_text() if path.exists() else ""
        kept += "\n" * (not kept.endswith("\n") and bool(kept))
        for name in added:  # an empty value, or that of the name before
            kept = re.sub(rf"^{name}=.*\n", "", kept, flags=re.MULTILINE)
        lines = "".join(f"{name}={value}\n" for name, value in added.items())
        machine.write(SETTINGS, kept + lines, mode=0o640, group=USER)
        return f"{SETTINGS}: added {', '.join(added)}" if added else "made folders"

    return Step("settings", f"add what is missing to {SETTINGS}", found, do)


def warning(machine: Machine, wish: Wish) -> str | None:
    """Return a line if links do not lead to the name that is set up."""
    url = settings_of(machine).get("PUBLIC_URL", "")
    if "PUBLIC_URL" in _missing(machine, wish) or urlsplit(url).hostname == wish.name.lower():
        return None
    return f"PUBLIC_URL in {SETTINGS} is {url}: links lead there, not to {_url(wish.name)}"


def settings_of(machine: Machine) -> dict[str, str]:
    """Return the values in the settings file.

    Raises:
        SetupError: The file has a mistake, which is named with its line.
    """
    path = machine.path(SETTINGS)
    try:
        return read_settings_file(path) if path.exists() else {}
    except ValueError as error:
        raise SetupError(str(error)) from None


def _missing(machine: Machine, wish: Wish) -> dict[str, str]:
    """Return the settings that a machine behind its own nginx needs and does not have."""
    values = settings_of(machine)
    wanted = {
        "DATABASE_URL": f"sqlite:///{DATA}/forecast.db",
        "TRUSTED_PROXIES": "1",  # nginx, which refuses plain HTTP by itself
        "SECRETS_KEY": "",
        "PUBLIC_URL": _url(wish.name),
    }
    missing = {name: value for name, value in wanted.items() if not values.get(name)}
    last = machine.path(NAME_FILE)
    before = _url(last.read_text().strip()) if last.exists() else wanted["PUBLIC_URL"]
    if values.get("PUBLIC_URL") == before != wanted["PUBLIC_URL"]:
        missing["PUBLIC_URL"] = wanted["PUBLIC_URL"]
    if "SECRETS_KEY" in missing:
        missing["SECRETS_KEY"] = base64.urlsafe_b64encode(os.urandom(KEY_BYTES)).decode()
    return missing


def _url(name: str) -> str:
    return f"https://[{name}]" if ":" in name else f"https://{name}"
