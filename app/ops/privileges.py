"""Drop root privileges: commands run as the service's user, who owns its files.

Standard library only, so that root loads no other code.
"""

import contextlib
import os
import pwd
from collections.abc import Sequence

from app.ops.unprivileged import User, root_command

# The environment variable with the path of another settings file, for tests.
_SETTINGS_VARIABLE = "FORECAST_SERVICE_SETTINGS"
SETTINGS_FILE = "/etc/forecast-service/environment"
SERVICE_USER = "forecast-service"
# Commands that need root, as they change the machine.
_ROOT_COMMANDS = (("setup",), ("backups", "restore"), ("db", "move"))


def settings_path() -> str:
    """Return the path of the settings file, which may not exist."""
    return os.environ.get(_SETTINGS_VARIABLE, SETTINGS_FILE)


def has_settings_file() -> bool:
    """Return whether this machine was set up for the service.

    Raise PermissionError if this user may not access the folder.
    """
    path = settings_path()
    try:
        os.stat(path)  # noqa: PTH116 - pathlib would be the first library
    except PermissionError:
        raise unreadable_settings_error() from None
    except OSError:
        return False
    return True


def writable_settings_path() -> str | None:
    """Return the path of the settings file if there is one that this user may write."""
    path = settings_path()
    is_file = os.path.isfile(path)  # noqa: PTH113 - as above
    return path if is_file and os.access(path, os.W_OK) else None


def unreadable_settings_error() -> PermissionError:
    """Return the error for a settings file that this user may not read."""
    path = settings_path()
    problem = f"only root and the service may read {path}; run the command with sudo"
    with contextlib.suppress(KeyError):  # the machine has no such user
        if os.geteuid() == pwd.getpwnam(SERVICE_USER).pw_uid:
            remedy = root_command("forecast-service setup")
            problem = (
                f"the service's user {SERVICE_USER} may not read {path}; run `{remedy}`, which "
                "corrects owner and mode"
            )
    return PermissionError(problem)


def drop_root(command: Sequence[str]) -> None:
    """Switch from root to the service's user, unless ``command`` needs root.

    Raise ValueError if the machine has no such user.
    """
    needs_root = any(tuple(command[: len(start)]) == start for start in _ROOT_COMMANDS)
    if os.geteuid() == 0 and not needs_root:
        become_service_user()


def become_service_user() -> None:
    """Switch from root to the service's user; raise ValueError if the machine has none.

    The audit trail still names who ran the command.
    """
    try:
        user = pwd.getpwnam(SERVICE_USER)
    except KeyError:
        problem = f"this machine has no user {SERVICE_USER}; run `forecast-service setup` again"
        raise ValueError(problem) from None
    os.environ.setdefault("SUDO_USER", pwd.getpwuid(os.getuid()).pw_name)
    User(user.pw_uid, user.pw_gid).become()
