"""Which user runs the command: the service's, as its files belong to that user.

Standard library only: root loads no other code before it is given up.
"""

import contextlib
import os
import pwd
from collections.abc import Sequence

SETTINGS_VARIABLE = "FORECAST_SERVICE_SETTINGS"
"""The environment variable that names another settings file; tests set it."""
SETTINGS_FILE = "/etc/forecast-service/environment"
USER = "forecast-service"
ROOT_COMMANDS = (("setup",), ("backups", "restore"), ("db", "move"))
"""The commands that change the machine, and so need root."""


def settings_path() -> str:
    """Return where the settings file is, if this machine has one."""
    return os.environ.get(SETTINGS_VARIABLE, SETTINGS_FILE)


def has_settings_file() -> bool:
    """Return whether this machine was set up for the service.

    Raises:
        PermissionError: This user may not look.
    """
    path = settings_path()
    try:
        os.stat(path)  # noqa: PTH116 - pathlib would be the first library
    except PermissionError:
        raise unreadable_settings() from None
    except OSError:
        return False
    return True


def unreadable_settings() -> PermissionError:
    """Return the error of a settings file that this user may not read, with what to do."""
    path = settings_path()
    problem = f"only root and the service may read {path}; run the command with sudo"
    with contextlib.suppress(KeyError):  # the machine has no such user
        if os.geteuid() == pwd.getpwnam(USER).pw_uid:
            problem = (
                f"the service's user {USER} may not read {path}; run `sudo forecast-service "
                "setup`, which corrects owner and mode"
            )
    return PermissionError(problem)


def drop_root(words: Sequence[str]) -> None:
    """Become the service's user, if this is root and the command ``words`` does not need root.

    Raises:
        ValueError: The machine has no such user.
    """
    if os.geteuid() != 0 or any(tuple(words[: len(one)]) == one for one in ROOT_COMMANDS):
        return
    become_service_user()


def become_service_user() -> None:
    """Change from root to the service's user; the audit trail still names who ran the command.

    Raises:
        ValueError: The machine has no such user.
    """
    try:
        user = pwd.getpwnam(USER)
    except KeyError:
        problem = f"this machine has no user {USER}; run `forecast-service setup` again"
        raise ValueError(problem) from None
    os.environ.setdefault("SUDO_USER", pwd.getpwuid(os.getuid()).pw_name)
    os.initgroups(USER, user.pw_gid)
    os.setgid(user.pw_gid)
    os.setuid(user.pw_uid)
    os.environ |= {"HOME": user.pw_dir, "USER": USER, "LOGNAME": USER}
    os.umask(0o027)
