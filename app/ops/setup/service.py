"""The steps of the database, the units, and the first account."""

import json

from app.core.database.revisions import NEWER_SCHEMA_PROBLEM, known_revisions
from app.ops.privileges import SETTINGS_FILE
from app.ops.setup.machine import Machine, SetupError
from app.ops.setup.options import BACKUP_TIMER, CODE, COMMAND, SOCKET
from app.ops.setup.settings import read_settings
from app.ops.setup.steps import SetupStep
from app.ops.systemd_units import ALL_UNITS, SERVICE_UNIT, SOCKET_UNIT, WORKER_UNIT

_READY_SECONDS = 60


def database_step(machine: Machine) -> SetupStep:
    """Return the step that migrates the database, as the service's user."""
    newest = known_revisions()[-1]

    def check() -> str | None:
        if not machine.path(SETTINGS_FILE).exists():
            return None
        read_settings(machine)  # reports an error in the file as such
        result = machine.run(COMMAND, "db", "current")
        if NEWER_SCHEMA_PROBLEM in result.message:
            return "is newer than this release, which serves with it; it is left as it is"
        if newest not in result.stdout.split():
            return None
        _check_secrets(machine)
        return f"is at revision {newest}"

    def apply() -> str:
        problem = "the database could not be migrated, and is as before"
        machine.run_checked(problem, COMMAND, "db", "upgrade")
        _check_secrets(machine)
        return f"migrated to revision {newest}"

    return SetupStep("database", f"migrate the database to revision {newest}", check, apply)


def is_database_newer(machine: Machine) -> bool:
    """Return whether a newer release has migrated the database; commands then reject it."""
    return NEWER_SCHEMA_PROBLEM in machine.run(COMMAND, "db", "current").message


def _check_secrets(machine: Machine) -> None:
    """Raise SetupError if SECRETS_KEY does not decrypt the database's secrets."""
    arguments = ("sources", "check-secrets")
    machine.run_checked(f"`forecast-service {' '.join(arguments)}` fails", COMMAND, *arguments)


def units_step(machine: Machine) -> SetupStep:
    """Return the step that starts the units, or restarts them after a change of settings."""

    def check() -> str | None:
        # The exit status is 0 if at least one of the units is.
        enabled = machine.run("systemctl", "is-enabled", *ALL_UNITS, BACKUP_TIMER).stdout.split()
        active = machine.run("systemctl", "is-active", *ALL_UNITS, BACKUP_TIMER).stdout.split()
        is_running = {*enabled} == {"enabled"} and {*active} == {"active"}
        return "runs" if is_running and _is_up_to_date(machine) and _is_ready(machine) else None

    def apply() -> str:
        _systemctl(machine, "enable", "--quiet", "--now", SOCKET_UNIT, BACKUP_TIMER)
        _systemctl(machine, "enable", "--quiet", SERVICE_UNIT, WORKER_UNIT)
        _systemctl(machine, "restart", SERVICE_UNIT)
        _systemctl(machine, "start", WORKER_UNIT, BACKUP_TIMER)
        for _ in range(_READY_SECONDS):
            if _is_ready(machine):
                return "started and ready"
            machine.wait(1)
        raise SetupError(
            f"it is not ready after {_READY_SECONDS} s; `journalctl -u forecast-service -n 20` "
            "says why"
        )

    return SetupStep("service", "enable and start the units", check, apply)


def _systemctl(machine: Machine, *arguments: str) -> None:
    result = machine.run("systemctl", *arguments)
    if result.status != 0:
        reason = (result.stderr.strip().splitlines() or ["systemd gives no reason"])[0].rstrip(".")
        raise SetupError(f"{reason}; `journalctl -u forecast-service -n 20` says why")


def _is_up_to_date(machine: Machine) -> bool:
    """Return whether the service was started after the last change of settings or release."""
    arguments = ("--property", "ActiveEnterTimestamp", "--value", "--timestamp=unix", SERVICE_UNIT)
    started = machine.run("systemctl", "show", *arguments).stdout.strip().removeprefix("@")
    changed = max(machine.path(path).lstat().st_mtime for path in (SETTINGS_FILE, CODE))
    return started.isdigit() and int(started) >= int(changed)


def _is_ready(machine: Machine) -> bool:
    arguments = ("--silent", "--fail", "--max-time", "5", "--unix-socket", SOCKET)
    return machine.run("curl", *arguments, "http://localhost/readyz").status == 0


def account_step(machine: Machine, account: str, keys: list[str]) -> SetupStep:
    """Return the step that creates the first account, and adds its key to ``keys``.

    An account that has a key does not get another one.
    """

    def has_account() -> bool:
        result = machine.run(COMMAND, "accounts", "list", "--json")
        rows = json.loads(result.stdout) if result.status == 0 else []
        return account in {row["name"] for row in rows}

    def check() -> str | None:
        if not has_account():
            return None
        arguments = ("keys", "list", "--account", account, "--json")
        problem = "the accounts could not be listed"
        if not json.loads(machine.run_checked(problem, COMMAND, *arguments)):
            return None
        return f"{account} has a key; `forecast-service keys create` makes another"

    def apply() -> str:
        if not has_account():
            problem = f"the account {account} could not be created"
            options = ("--tier", "standard")
            machine.run_checked(problem, COMMAND, "accounts", "create", account, *options)
        arguments = ("keys", "create", "--account", account, "--permissions", "read", "--quiet")
        problem = f"no key of {account} could be created"
        output = machine.run_checked(problem, COMMAND, *arguments, "--label", "first key")
        keys.append(output.strip())
        return f"created {account} with its first key, shown below"

    aim = f"create the account {account} with its first key"
    return SetupStep("account", aim, check, apply)
