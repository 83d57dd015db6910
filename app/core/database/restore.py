"""Restore a copy of a SQLite database: checked and migrated before it is in the place of the other.

A copy is untrusted. Who restores one may run this as another user and for a bounded time, with
`app.core.unprivileged`: all that it touches is in the folder of the database. The database before
is kept under another name.
"""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import URL

from app.core.database import utcnow
from app.core.database.backups import sync
from app.core.database.revisions import known_revisions

SQLITE_MAGIC = b"SQLite format 3\0"
SQLITE_SUFFIXES = ("-wal", "-shm", "-journal")
CHUNK_BYTES = 2**20
# A disk takes the copy, and what its migration writes.
DISK_PER_COPY = 2
# A check reads some 100 MB/s; a copy that takes this much longer is built to take long.
MIN_CHECK_SECONDS, CHECK_BYTES_PER_SECOND = 30.0, 10e6
# As above, for writing, checking and migrating: migrations write every row at most a few times.
MIN_RESTORE_SECONDS, RESTORE_BYTES_PER_SECOND = 300.0, 1e6
OPCODES_PER_CHECK = 10_000  # of SQLite's virtual machine, about 0.1 ms
MAX_HEAP_BYTES = 256 * 2**20  # of SQLite while it checks

Migrate = Callable[[URL], None]
"""Brings the database at a URL to this release's schema, and raises RestoreError where that fails
or its secrets cannot be decrypted."""


class RestoreError(Exception):
    """The database is as before; the message is one line."""


def restore_seconds(size_bytes: int) -> float:
    """Return how long the restore of a copy of this size may take."""
    return MIN_RESTORE_SECONDS + size_bytes / RESTORE_BYTES_PER_SECOND


def prepare_sqlite(url: URL, copy: BinaryIO, name: Path, migrate: Migrate) -> None:
    """Write a copy beside the database at ``url``, check it, and migrate it.

    The database is not touched, and may be in use.

    Args:
        url: The database.
        copy: The content of the copy.
        name: What messages call it.
        migrate: Migrates it.

    Raises:
        RestoreError: The copy is damaged or of a newer release, or there is no room for it.
    """
    new = _new_path(url)
    try:
        if copy.read(len(SQLITE_MAGIC)) != SQLITE_MAGIC:
            raise RestoreError(f"{name} is not a copy of a SQLite database, which DATABASE_URL has")
        _write_copy(copy, new)
        _check_sqlite(new, name)
        migrate(url.set(database=str(new)))
    except OSError as error:
        raise RestoreError(f"nothing was restored: {error.strerror}: {new.parent}") from None


def discard_sqlite(url: URL) -> None:
    """Remove what `prepare_sqlite` has written, if it is not in place."""
    for ending in ("", *SQLITE_SUFFIXES):
        Path(f"{_new_path(url)}{ending}").unlink(missing_ok=True)


def swap_sqlite(url: URL) -> Path | None:
    """Put what `prepare_sqlite` has written in the place of the database at ``url``.

    Returns:
        Where the database before is now, with what SQLite kept beside it; None if there was none.

    Raises:
        RestoreError: The database is in use, or its folder cannot be written.
    """
    new, target = _new_path(url), _target_path(url)
    try:
        _check_unused(target)
        return _swap(new, target)
    except OSError as error:
        raise RestoreError(f"nothing was restored: {error.strerror}: {target.parent}") from None


def _target_path(url: URL) -> Path:
    return Path(url.database or "").absolute()


def _new_path(url: URL) -> Path:
    target = _target_path(url)
    return target.with_name(f"{target.name}.new")


def _write_copy(copy: BinaryIO, new: Path) -> None:
    """Copy to ``new``, for this user alone."""
    size = os.fstat(copy.fileno()).st_size
    if shutil.disk_usage(new.parent).free < DISK_PER_COPY * size:
        raise RestoreError(
            f"the disk of {new.parent} has less than {DISK_PER_COPY * size:,} bytes left; free "
            "space on it"
        )
    for ending in ("", *SQLITE_SUFFIXES):
        Path(f"{new}{ending}").unlink(missing_ok=True)
    copy.seek(0)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode=0o600), "wb") as file:
        while size > 0 and (chunk := copy.read(min(size, CHUNK_BYTES))):
            size -= file.write(chunk)
        file.flush()
        os.fsync(file.fileno())


def _check_sqlite(new: Path, name: Path) -> None:
    """Check that ``new`` is a whole database of this release or an older one, in bounded time.

    A view, a trigger or a virtual table is code that runs when a migration uses what it is on.
    This service has none.
    """
    seconds = MIN_CHECK_SECONDS + new.stat().st_size / CHECK_BYTES_PER_SECOND
    deadline = time.monotonic() + seconds
    try:
        where = f"file:{new}?mode=ro&immutable=1"
        with contextlib.closing(sqlite3.connect(where, uri=True)) as database:
            database.set_progress_handler(lambda: time.monotonic() > deadline, OPCODES_PER_CHECK)
            database.execute("PRAGMA trusted_schema=OFF")
            database.execute(f"PRAGMA hard_heap_limit={MAX_HEAP_BYTES}")
            foreign = database.execute(_FOREIGN_OBJECTS_SQL).fetchone()
            if foreign is not None:
                raise RestoreError(
                    f"{name} has the {foreign[0]} {foreign[1]!r}, which this service does not "
                    "make; restore a copy that `backups create` has made"
                )
            (verdict,) = database.execute("PRAGMA integrity_check(1)").fetchone()
            if verdict != "ok":
                raise RestoreError(f"{name} is damaged: {verdict.splitlines()[0]}")
            (revision,) = database.execute("SELECT version_num FROM alembic_version").fetchone()
    except (sqlite3.Error, TypeError, MemoryError) as error:
        if time.monotonic() > deadline:
            raise RestoreError(
                f"{name} could not be checked within {seconds:,.0f} s, so it is damaged or not a "
                "copy of this service; restore another one"
            ) from None
        raise RestoreError(f"{name} is damaged, or of another program: {error}") from None
    check_revision(revision, name)


_FOREIGN_OBJECTS_SQL = """
SELECT CASE type WHEN 'table' THEN 'virtual table' ELSE type END, name FROM sqlite_schema
WHERE type NOT IN ('table', 'index') OR (type = 'table' AND sql LIKE 'CREATE VIRTUAL%') LIMIT 1
"""


def check_revision(revision: object, name: Path) -> None:
    """Raise RestoreError if the copy called ``name`` is of a newer release."""
    if revision not in known_revisions():
        raise RestoreError(
            f"{name} is of a newer release, with revision {revision}; restore it with that release"
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


def _is_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC


def _swap(new: Path, target: Path) -> Path | None:
    before = target.with_name(f"{target.name}.before-{utcnow():%Y-%m-%dT%H-%M-%SZ}")
    had_one = target.exists()
    # An old -wal beside another database would damage it.
    for ending in ("", *SQLITE_SUFFIXES):
        if (old := Path(f"{target}{ending}")).exists():
            old.rename(f"{before}{ending}")
    new.rename(target)
    sync(target.parent)
    return before if had_one else None


def make_migrator(
    command: Sequence[str], folder: Path, settings: Mapping[str, str], *check_options: str
) -> Migrate:
    """Return what migrates a database and checks its secrets, by ``command`` in ``folder``.

    Args:
        command: The command of the service, such as ``forecast-service``.
        folder: The folder in which it runs.
        settings: Settings other than those of this process.
        check_options: Options of ``sources check-secrets``.
    """

    def run(url: URL, problem: str, *words: str) -> None:
        environ = (
            os.environ | settings | {"DATABASE_URL": url.render_as_string(hide_password=False)}
        )
        done = subprocess.run(
            [*command, *words], cwd=folder, env=environ, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise RestoreError(f"{problem}: {last.removeprefix('Error: ')}")

    def migrate(url: URL) -> None:
        run(url, "the copy could not be migrated", "db", "upgrade")
        run(url, "nothing was restored", "sources", "check-secrets", *check_options)

    return migrate
