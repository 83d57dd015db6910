"""Restore a copy of the database: checked and migrated before it is in the place of the other.

The database before is kept under another name.
"""

import contextlib
import getpass
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from sqlalchemy import URL

from app.database import utcnow
from app.database.backups import BackupError, libpq_environment, run_program, sync
from app.database.revisions import known_revisions

SQLITE_FIRST_BYTES = b"SQLite format 3\0"
BESIDE = ("-wal", "-shm")

Migrate = Callable[[URL], None]
"""Brings the database at a URL to this release's schema, or raises RestoreError."""


class RestoreError(Exception):
    """The database is as before; the message is one line."""


def restore_sqlite(url: URL, copy: Path, migrate: Migrate) -> Path | None:
    """Put ``copy`` in the place of the SQLite database at ``url``, which nobody may have open.

    Returns:
        Where the database before is now, with what SQLite kept beside it; None if there was none.

    Raises:
        RestoreError: The copy is damaged or of a newer release, or the database is in use.
    """
    check_sqlite_copy(copy)
    target = Path(url.database or "").absolute()
    _check_unused(target)
    new = target.with_name(f"{target.name}.new")
    try:
        _write_beside(copy, new, target)
        migrate(url.set(database=str(new)))
        return _swap(new, target)
    except OSError as error:
        raise RestoreError(f"nothing was restored: {error.strerror}: {target.parent}") from None
    finally:
        for ending in ("", *BESIDE):
            Path(f"{new}{ending}").unlink(missing_ok=True)


def check_sqlite_copy(copy: Path) -> None:
    """Check that ``copy`` is a whole database of this release or an older one.

    Raises:
        RestoreError: It is not.
    """
    try:
        if not _is_sqlite(copy):
            raise RestoreError(f"{copy} is not a copy of a SQLite database, which DATABASE_URL has")
        where = f"file:{copy.absolute()}?mode=ro&immutable=1"
        with contextlib.closing(sqlite3.connect(where, uri=True)) as database:
            (verdict,) = database.execute("PRAGMA integrity_check").fetchone()
            if verdict != "ok":
                raise RestoreError(f"{copy} is damaged: {verdict.splitlines()[0]}")
            (revision,) = database.execute("SELECT version_num FROM alembic_version").fetchone()
    except OSError as error:
        raise RestoreError(f"{copy} cannot be read: {error.strerror}") from None
    except (sqlite3.Error, TypeError) as error:
        raise RestoreError(f"{copy} is damaged, or of another program: {error}") from None
    _check_known(revision, copy)


def _is_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(SQLITE_FIRST_BYTES)) == SQLITE_FIRST_BYTES


def _check_known(revision: str, copy: Path) -> None:
    if revision not in known_revisions():
        raise RestoreError(
            f"{copy} is of a newer release, with revision {revision}; restore it with that release"
        )


def _check_unused(target: Path) -> None:
    """Check that no other process has the database open, which this mode of SQLite needs too."""
    if not target.exists() or not _is_sqlite(target):  # SQLite would remove a -wal beside it
        return
    try:
        with contextlib.closing(sqlite3.connect(target, timeout=0)) as database:
            database.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise RestoreError(
                f"{target} is in use; stop the service and its worker, then restore again"
            ) from None
    except sqlite3.DatabaseError:
        pass  # it is damaged, which is why it is replaced


def _write_beside(copy: Path, new: Path, target: Path) -> None:
    """Copy to ``new``, for the owner of the database or of its folder alone."""
    new.unlink(missing_ok=True)
    os.close(os.open(new, os.O_CREAT | os.O_EXCL, mode=0o600))
    owner = (target if target.exists() else target.parent).stat()
    os.chown(new, owner.st_uid, owner.st_gid)
    shutil.copyfile(copy, new)
    sync(new)


def _swap(new: Path, target: Path) -> Path | None:
    before = target.with_name(f"{target.name}.before-{utcnow():%Y-%m-%dT%H-%M-%SZ}")
    had_one = target.exists()
    # An old -wal beside another database would damage it.
    for ending in ("", *BESIDE):
        if (old := Path(f"{target}{ending}")).exists():
            old.rename(f"{before}{ending}")
    new.rename(target)
    sync(target.parent)
    return before if had_one else None


def restore_postgresql(
    url: URL, copy: Path, migrate: Migrate, *, into: str | None, as_user: Sequence[str] = ()
) -> URL:
    """Restore ``copy`` into another database of the server; that at ``url`` stays as it is.

    Args:
        url: The database in use.
        copy: What ``back_up`` has made.
        migrate: As of ``restore_sqlite``.
        into: An empty database; by default one is created.
        as_user: What runs a program as the user that PostgreSQL knows, such as ``runuser``.

    Returns:
        The URL of the restored database.

    Raises:
        RestoreError: The copy is damaged or of a newer release, or the server refuses.
    """
    name = into or f"{url.database}_{utcnow():%Y%m%d%H%M%S}"
    server = _Server(libpq_environment(url), as_user)
    try:
        server.run("pg_restore", "--list", given=copy)
        if into is None:
            server.create(url, name)
        try:
            server.run(
                "pg_restore", "--exit-on-error", "--no-owner", f"--dbname={name}", given=copy
            )
            query = "SELECT version_num FROM alembic_version"
            said = server.run("psql", "--no-psqlrc", "-tA", f"--command={query}", name)
            _check_known(said.strip(), copy)
            restored = url.set(database=name)
            migrate(restored)
        except BaseException:
            if into is None:
                with contextlib.suppress(BackupError):
                    server.run("dropdb", name)
            raise
    except OSError as error:
        raise RestoreError(f"{copy} cannot be read: {error.strerror}") from None
    except BackupError as error:
        raise RestoreError(f"nothing was restored: {error}") from None
    return restored


class _Server:
    """A PostgreSQL server, by its programs, which ``as_user`` runs."""

    def __init__(self, environ: dict[str, str], as_user: Sequence[str]) -> None:
        self._environ, self._as_user = environ, as_user

    def run(self, *words: str, given: Path | None = None) -> str:
        """Return what a program prints; a file is on its stdin, as the user may not read it."""
        with contextlib.ExitStack() as files:
            opened = files.enter_context(given.open("rb")) if given else None
            return run_program([*self._as_user, *words], self._environ, opened)

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


def migrate_by(command: Sequence[str], folder: Path) -> Migrate:
    """Return what migrates a database by running ``command`` in ``folder``."""

    def migrate(url: URL) -> None:
        environ = os.environ | {"DATABASE_URL": url.render_as_string(hide_password=False)}
        words = [*command, "db", "upgrade"]
        done = subprocess.run(
            words, cwd=folder, env=environ, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise RestoreError(f"the copy could not be migrated: {last.removeprefix('Error: ')}")

    return migrate
