"""Restore a copy of a PostgreSQL database into another database of the same server.

A copy is untrusted: statements on the server have a timeout, and a restored database that contains
code which this service does not create is dropped.
"""

import contextlib
import getpass
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import URL

from app.core.database import utcnow
from app.ops.database.postgresql_programs import ProgramError, libpq_environment, run_program
from app.ops.database.restore import Migrate, RestoreError, check_revision, restore_seconds

_MAX_QUERY_SECONDS = 60
# Views, functions, rules and triggers, which could run code during a migration.
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
    copy_path: Path,
    migrate: Migrate,
    *,
    into: str | None,
    as_user: Sequence[str],
) -> URL:
    """Restore ``copy`` into another database of the server; the one at ``url`` does not change.

    Args:
        copy: A dump that ``back_up`` made.
        into: The name of an empty database; by default one is created.
        as_user: A command prefix that runs a program as a user whom PostgreSQL accepts, such as
            ``runuser``.

    Returns:
        The URL of the restored database.

    Raise RestoreError if the copy is damaged or of a newer release, or the server rejects it.
    """
    database = into or f"{url.database}_{utcnow():%Y%m%d%H%M%S}"
    restored = url.set(database=database)
    server = _Server(libpq_environment(url), as_user)
    deadline = time.monotonic() + restore_seconds(os.fstat(copy.fileno()).st_size)
    try:
        server.run("pg_restore", "--list", stdin=copy, deadline=deadline)
        with contextlib.nullcontext() if into else server.new_database(url, database):
            _load_dump(server, copy, copy_path, database, deadline)
            migrate(restored)
    except OSError as error:
        raise RestoreError(f"{copy_path} cannot be read: {error.strerror}") from None
    except ProgramError as error:
        raise RestoreError(f"nothing was restored: {error}") from None
    return restored


def _load_dump(
    server: "_Server", copy: BinaryIO, copy_path: Path, database: str, deadline: float
) -> None:
    """Restore a dump into an empty database; reject one that has code, or another revision."""
    before = server.query(_CODE_OBJECTS_SQL, database)  # of the server's template
    options = ("--exit-on-error", "--no-owner", f"--dbname={database}")
    server.run("pg_restore", *options, stdin=copy, deadline=deadline)
    after = server.query(_CODE_OBJECTS_SQL, database)
    if added := [code_object for code_object in after if code_object not in before]:
        raise RestoreError(
            f"{copy_path} has the {added[0]!r}, which this service does not make; restore a "
            "copy that `backups create` has made"
        )
    revisions = server.query("SELECT version_num FROM alembic_version LIMIT 2", database)
    check_revision(revisions[0] if len(revisions) == 1 else None, copy_path)


class _Server:
    """A PostgreSQL server, used through its command-line programs."""

    def __init__(self, environ: dict[str, str], as_user: Sequence[str]) -> None:
        self._environ, self._as_user = environ, as_user

    def run(
        self, *command: str, stdin: BinaryIO | None = None, deadline: float | None = None
    ) -> str:
        """Run a program; return its output. Its user may not be able to open the file itself."""
        if stdin is not None:
            os.lseek(stdin.fileno(), 0, os.SEEK_SET)  # an earlier program has read it
        seconds = _MAX_QUERY_SECONDS if deadline is None else max(1, deadline - time.monotonic())
        return run_program([*self._as_user, *command], self._environ, stdin, seconds)

    def query(self, statement: str, database: str) -> list[str]:
        """Return the rows of a query with one column, which the server aborts after a timeout."""
        options = self._environ.get("PGOPTIONS", "")
        limit = f"-c statement_timeout={_MAX_QUERY_SECONDS}s"
        environ = self._environ | {"PGOPTIONS": f"{options} {limit}".strip()}
        command = ["psql", "--no-psqlrc", "-tA", f"--command={statement}", database]
        seconds = _MAX_QUERY_SECONDS + 1
        return run_program([*self._as_user, *command], environ, None, seconds).splitlines()

    @contextlib.contextmanager
    def new_database(self, url: URL, name: str) -> Iterator[None]:
        """Create a database, and drop it if the block fails."""
        self._create(url, name)
        try:
            yield
        except BaseException:
            with contextlib.suppress(ProgramError):
                # The server may not have noticed yet that the clients have ended.
                self.run("dropdb", "--force", name)
            raise

    def _create(self, url: URL, name: str) -> None:
        """Create a database as the role of the service, or as the admin of a local server."""
        try:
            self.run("createdb", f"--maintenance-db={url.database}", name)
        except ProgramError as error:
            command = ["createdb", f"--owner={url.username or getpass.getuser()}", name]
            is_local = not url.host and str(url.query.get("host", "/")).startswith("/")
            if os.geteuid() == 0 and is_local and self._as_user:
                run_program(["runuser", "-u", "postgres", "--", *command], dict(os.environ))
                return
            raise ProgramError(
                f"{error}; let an admin of the server run `{' '.join(command)}`, then add "
                f"--into {name}"
            ) from None
