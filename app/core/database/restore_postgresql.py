"""Restore a copy of a PostgreSQL database into another database of the same server.

A copy is untrusted: what it runs on the server ends after a time, and a database with code that
this service does not make is removed again.
"""

import contextlib
import getpass
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import URL

from app.core.database import utcnow
from app.core.database.backups import BackupError, libpq_environment, run_program
from app.core.database.restore import Migrate, RestoreError, check_revision, restore_seconds

MAX_QUERY_SECONDS = 60  # of each of ours on the server
# Views, functions, rules and triggers, which would run when a migration uses what they are on.
_CODE_OBJECTS_SQL = """
SELECT 'relation ' || c.relname FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
UNION ALL SELECT 'function ' || p.proname FROM pg_catalog.pg_proc p
JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname NOT IN ('pg_catalog', 'information_schema')
UNION ALL SELECT 'trigger ' || t.tgname FROM pg_catalog.pg_trigger t WHERE NOT t.tgisinternal
UNION ALL SELECT 'rule ' || r.rulename FROM pg_catalog.pg_rewrite r
WHERE r.rulename <> '_RETURN'
ORDER BY 1
"""


def restore_postgresql(
    url: URL,
    copy: BinaryIO,
    name: Path,
    migrate: Migrate,
    *,
    into: str | None,
    as_user: Sequence[str] = (),
) -> URL:
    """Restore ``copy`` into another database of the server; that at ``url`` stays as it is.

    Args:
        url: The database in use.
        copy: The content of what ``back_up`` has made.
        name: What messages call it.
        migrate: Migrates the restored database.
        into: An empty database; by default one is created.
        as_user: What runs a program as the user that PostgreSQL knows, such as ``runuser``.

    Returns:
        The URL of the restored database.

    Raises:
        RestoreError: The copy is damaged or of a newer release, or the server refuses.
    """
    database = into or f"{url.database}_{utcnow():%Y%m%d%H%M%S}"
    server = _Server(libpq_environment(url), as_user)
    seconds = restore_seconds(os.fstat(copy.fileno()).st_size)
    deadline = time.monotonic() + seconds
    try:
        server.run("pg_restore", "--list", given=copy, deadline=deadline)
        if into is None:
            server.create(url, database)
        try:
            before = server.query(_CODE_OBJECTS_SQL, database)  # of the server's template
            words = ("--exit-on-error", "--no-owner", f"--dbname={database}")
            server.run("pg_restore", *words, given=copy, deadline=deadline)
            if added := [
                one for one in server.query(_CODE_OBJECTS_SQL, database) if one not in before
            ]:
                raise RestoreError(
                    f"{name} has the {added[0]!r}, which this service does not make; restore a "
                    "copy that `backups create` has made"
                )
            revisions = server.query("SELECT version_num FROM alembic_version LIMIT 2", database)
            check_revision(revisions[0] if len(revisions) == 1 else None, name)
            restored = url.set(database=database)
            migrate(restored)
        except BaseException:
            if into is None:
                with contextlib.suppress(BackupError):
                    # Its sessions may still run: the server does not notice that a client ended.
                    server.run("dropdb", "--force", database)
            raise
    except OSError as error:
        raise RestoreError(f"{name} cannot be read: {error.strerror}") from None
    except BackupError as error:
        raise RestoreError(f"nothing was restored: {error}") from None
    return restored


class _Server:
    """A PostgreSQL server, by its programs, which ``as_user`` runs."""

    def __init__(self, environ: dict[str, str], as_user: Sequence[str]) -> None:
        self._environ, self._as_user = environ, as_user

    def run(self, *words: str, given: BinaryIO | None = None, deadline: float | None = None) -> str:
        """Return what a program prints; a file is on its stdin, as the user may not read it."""
        if given is not None:
            os.lseek(given.fileno(), 0, os.SEEK_SET)  # where the program before it has read to
        seconds = MAX_QUERY_SECONDS if deadline is None else max(1, deadline - time.monotonic())
        return run_program([*self._as_user, *words], self._environ, given, seconds)

    def query(self, statement: str, database: str) -> list[str]:
        """Return the rows of a query of one column, which the server ends in time."""
        options = self._environ.get("PGOPTIONS", "")
        limit = f"-c statement_timeout={MAX_QUERY_SECONDS}s"
        environ = self._environ | {"PGOPTIONS": f"{options} {limit}".strip()}
        words = ["psql", "--no-psqlrc", "-tA", f"--command={statement}", database]
        seconds = MAX_QUERY_SECONDS + 1
        return run_program([*self._as_user, *words], environ, None, seconds).splitlines()

    def create(self, url: URL, name: str) -> None:
        """Create a database, as the role of the service or else as the admin of a local server."""
        try:
            self.run("createdb", f"--maintenance-db={url.database}", name)
        except BackupError as error:
            command = ["createdb", f"--owner={url.username or getpass.getuser()}", name]
            is_local = not url.host and str(url.query.get("host", "/")).startswith("/")
            if os.geteuid() == 0 and is_local and self._as_user:
                run_program(["runuser", "-u", "postgres", "--", *command], dict(os.environ))
                return
            raise BackupError(
                f"{error}; let an admin of the server run `{' '.join(command)}`, then add "
                f"--into {name}"
            ) from None
