"""Find the files of a SQLite database that this user cannot use."""

import os
import pwd
from pathlib import Path

from sqlalchemy import URL

from app.ops.unprivileged import root_command

_REQUIRED_ACCESS = os.R_OK | os.W_OK


def file_permission_problem(url: URL) -> str | None:
    """Return which file of the database at ``url`` this user cannot write, else None.

    SQLite itself names neither the file nor its owner. The message also says what to run.
    """
    if url.get_backend_name() != "sqlite" or not url.database:
        return None
    for ending in ("", "-wal", "-shm"):
        path = Path(f"{url.database}{ending}")
        try:
            owner_id = path.stat().st_uid
        except OSError:  # the file does not exist, or the database reports the problem
            continue
        if not os.access(path, _REQUIRED_ACCESS):
            user = _user_name(os.geteuid())
            remedy = root_command(f"chown {user}: {url.database}*")
            return (
                f"the database file {path} belongs to {_user_name(owner_id)}, and the user "
                f"{user} may not write to it; run `{remedy}`"
            )
    return None


def _user_name(user_id: int) -> str:
    try:
        return pwd.getpwuid(user_id).pw_name
    except KeyError:
        return str(user_id)
