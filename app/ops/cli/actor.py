"""Who runs a command."""

import os
import pwd
import socket

from app.identity.accounts.audit import Actor


def operator_actor() -> Actor:
    """Return the user of this process, the user who invoked sudo, and the host name."""
    sudo_user = os.environ.get("SUDO_USER") or None
    return Actor.operator(operating_system_user(), sudo_user, socket.gethostname())


def operating_system_user() -> str:
    """Return the name of the user that runs this process, from the system's user database.

    The environment is not trusted: anybody can set it. A user without a name is ``uid 1234``.
    """
    uid = os.getuid()
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"
