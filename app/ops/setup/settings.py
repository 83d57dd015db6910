"""The step of the settings file: missing settings are added, existing ones kept."""

import base64
import os
import re
from urllib.parse import urlsplit

from app.core.setting_parsers import SECRETS_KEY_BYTES
from app.ops.privileges import SERVICE_USER, SETTINGS_FILE
from app.ops.settings_file import read_settings_file
from app.ops.setup.machine import Machine, SetupError
from app.ops.setup.options import BACKUPS, DATA, NAME_FILE, SetupOptions, url_of
from app.ops.setup.steps import SetupStep

_SETTINGS_MODE = 0o640
# By folder: the owner of a new one, the required start of ``user:group``, and the required mode.
# Additional permissions that an administrator has granted are kept.
_FOLDERS = {
    "/etc/forecast-service": ("root", f"root:{SERVICE_USER}", 0o750),
    DATA: (SERVICE_USER, f"{SERVICE_USER}:", 0o700),
    BACKUPS: (SERVICE_USER, f"{SERVICE_USER}:", 0o700),
}


def user_step(machine: Machine) -> SetupStep:
    def check() -> str | None:
        has_user = machine.run("getent", "passwd", SERVICE_USER).status == 0
        return f"{SERVICE_USER} is there" if has_user else None

    def apply() -> str:
        home = ("--no-create-home", "--home-dir", DATA, "--shell", "/usr/sbin/nologin")
        command = ("useradd", "--system", "--user-group", *home, SERVICE_USER)
        machine.run_checked("no user could be made", *command)
        return f"made {SERVICE_USER}"

    return SetupStep("user", f"make the user {SERVICE_USER}", check, apply)


def settings_step(machine: Machine, options: SetupOptions) -> SetupStep:
    """Return the step that creates folders and the settings file."""
    path = machine.path(SETTINGS_FILE)

    def check() -> str | None:
        if _missing_settings(machine, options) or _folders_to_correct(machine):
            return None
        return None if _rights_problem(machine) else f"{SETTINGS_FILE} has all"

    def apply() -> str:
        changes = []
        if rights_problem := _rights_problem(machine):
            changes.append(f"corrected owner and mode of {SETTINGS_FILE}, {rights_problem}")
        for folder, user in _folders_to_correct(machine).items():
            machine.make_folder(folder, user, SERVICE_USER)
            changes.append(f"gave {folder} to {user}")
        added = _missing_settings(machine, options)
        if not added and not rights_problem:
            return "; ".join(changes)
        content = path.read_text() if path.exists() else ""
        content += "\n" * (not content.endswith("\n") and bool(content))
        for name in added:  # an empty value, or the previous name's
            content = re.sub(rf"^{name}=.*\n", "", content, flags=re.MULTILINE)
        lines = "".join(f"{name}={value}\n" for name, value in added.items())
        machine.write(SETTINGS_FILE, content + lines, mode=_SETTINGS_MODE, group=SERVICE_USER)
        if added:
            changes.insert(0, f"{SETTINGS_FILE}: added {', '.join(added)}")
        return "; ".join(changes)

    aim = f"add what is missing to {SETTINGS_FILE}, and correct its owner and mode"
    return SetupStep("settings", aim, check, apply)


def _folders_to_correct(machine: Machine) -> dict[str, str]:
    """Return the owners of folders that are missing, or that the service cannot use."""
    return {
        folder: user
        for folder, (user, owner, needed) in _FOLDERS.items()
        if not machine.path(folder).exists()
        or not machine.owner_of(folder).startswith(owner)
        or machine.mode_of(folder) & needed != needed
    }


def _rights_problem(machine: Machine) -> str:
    """Describe the owner and mode of the settings file if they are wrong, else return ""."""
    if not machine.path(SETTINGS_FILE).exists():
        return ""
    owner, mode = machine.owner_of(SETTINGS_FILE), machine.mode_of(SETTINGS_FILE)
    if (owner, mode) == (f"root:{SERVICE_USER}", _SETTINGS_MODE):
        return ""
    warning = ": others could change it, so check what is in it" if mode & 0o022 else ""
    return f"which were {owner} {mode:04o}{warning}"


def settings_warning(machine: Machine, options: SetupOptions) -> str | None:
    """Return a warning if links do not lead to the name of the setup."""
    url = read_settings(machine).get("PUBLIC_URL", "")
    if (
        "PUBLIC_URL" in _missing_settings(machine, options)
        or urlsplit(url).hostname == options.name.lower()
    ):
        return None
    return (
        f"PUBLIC_URL in {SETTINGS_FILE} is {url}: links lead there, not to {url_of(options.name)}"
    )


def read_settings(machine: Machine) -> dict[str, str]:
    """Return the values in the settings file; raise SetupError with the line of an error."""
    path = machine.path(SETTINGS_FILE)
    try:
        return read_settings_file(path) if path.exists() else {}
    except ValueError as error:
        raise SetupError(str(error)) from None


def _missing_settings(machine: Machine, options: SetupOptions) -> dict[str, str]:
    """Return the settings that a machine with its own nginx needs, and does not have yet."""
    values = read_settings(machine)
    required = {
        "DATABASE_URL": f"sqlite:///{DATA}/forecast.db",
        "TRUSTED_PROXIES": "1",  # nginx, which rejects plain HTTP
        "SECRETS_KEY": "",
        "PUBLIC_URL": url_of(options.name),
    }
    missing = {name: value for name, value in required.items() if not values.get(name)}
    last = machine.path(NAME_FILE)
    before = url_of(last.read_text().strip()) if last.exists() else required["PUBLIC_URL"]
    if values.get("PUBLIC_URL") == before != required["PUBLIC_URL"]:
        missing["PUBLIC_URL"] = required["PUBLIC_URL"]
    if "SECRETS_KEY" in missing:
        missing["SECRETS_KEY"] = base64.urlsafe_b64encode(os.urandom(SECRETS_KEY_BYTES)).decode()
    return missing
