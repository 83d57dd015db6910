"""Identify the operator who runs a command."""

import os
import pwd
import socket

from app.identity.accounts.audit import Actor


def operator_actor() -> Actor:
    """Return the user of this process, the user who invoked sudo, and the host name."""
    sudo_user = os.environ.get("SUDO_USER") or None
    return Actor(os_user=operating_system_user(), sudo_user=sudo_user, host=socket.gethostname())


def operating_system_user() -> str:
    """Return the name of this process' user, from the system's database; else ``uid 1234``.

    The environment is not trusted: anybody can set it.
    """
    uid = os.getuid()
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"
