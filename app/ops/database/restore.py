"""Restore a copy of a SQLite database: check it, migrate it, and only then swap it in.

A copy is untrusted. Everything here touches only the folder of the database, so callers can run it
as that folder's user and for a bounded time (`app.ops.unprivileged`). The previous database is
kept under another name.
"""

import contextlib
import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import URL

from app.core.database import utcnow
from app.core.database.lock_waits import is_lock_timeout
from app.core.database.revisions import known_revisions
from app.core.memory_units import MEBIBYTE
from app.ops.database.backups import sync

_SQLITE_MAGIC = b"SQLite format 3\0"
_SQLITE_SUFFIXES = ("-wal", "-shm", "-journal")
CHUNK_BYTES = MEBIBYTE
DISK_PER_COPY = 2  # the disk needs room for the copy, and for what its migration writes
# A check reads about 100 MB/s; a copy that takes ten times as long is malicious.
MIN_CHECK_SECONDS = 30.0
CHECK_BYTES_PER_SECOND = 10e6
# For writing, checking and migrating: migrations write every row a few times at most.
_MIN_RESTORE_SECONDS = 300.0
_RESTORE_BYTES_PER_SECOND = 1e6
OPCODES_PER_CHECK = 10_000  # of SQLite's virtual machine; together they take about 0.1 ms
_MAX_HEAP_BYTES = 256 * MEBIBYTE  # SQLite's heap while it checks
_UNKNOWN_OBJECTS_SQL = """
SELECT CASE type WHEN 'table' THEN 'virtual table' ELSE type END, name FROM sqlite_schema
WHERE type NOT IN ('table', 'index') OR (type = 'table' AND sql NOT LIKE 'CREATE TABLE %') LIMIT 1
"""

# Migrates the database at a URL to this release's schema; raises RestoreError if that fails or if
# its secrets cannot be decrypted.
Migrate = Callable[[URL], None]


class RestoreError(Exception):
    """Nothing was restored; the message is one line."""


def restore_seconds(size_bytes: int) -> float:
    """Return the time limit of restoring a copy of this size."""
    return _MIN_RESTORE_SECONDS + size_bytes / _RESTORE_BYTES_PER_SECOND


def prepare_sqlite(url: URL, copy: BinaryIO, copy_path: Path, migrate: Migrate) -> None:
    """Write a copy next to the database at ``url``, check it, and migrate it.

    The database itself is not touched, and may be in use. Raise RestoreError if the copy is damaged
    or of a newer release, or the disk is full.
    """
    new = _new_path(url)
    try:
        if copy.read(len(_SQLITE_MAGIC)) != _SQLITE_MAGIC:
            raise RestoreError(
                f"{copy_path} is not a copy of a SQLite database, which DATABASE_URL has"
            )
        _write_copy(copy, new)
        _check_sqlite(new, copy_path)
        migrate(url.set(database=str(new)))
    except OSError as error:
        raise RestoreError(f"nothing was restored: {error.strerror}: {new.parent}") from None


def discard_sqlite(url: URL) -> None:
    """Remove what `prepare_sqlite` wrote, unless it was swapped in."""
    for ending in ("", *_SQLITE_SUFFIXES):
        Path(f"{_new_path(url)}{ending}").unlink(missing_ok=True)


def swap_sqlite(url: URL) -> Path | None:
    """Replace the database at ``url`` by the one that `prepare_sqlite` wrote.

    Return the new path of the previous database and its log; None if there was none. Raise
    RestoreError if the database is in use, or its folder cannot be written.
    """
    new = _new_path(url)
    target = _target_path(url)
    try:
        _check_unused(target)
        return _swap(new, target)
    except OSError as error:
        raise RestoreError(f"nothing was restored: {error.strerror}: {target.parent}") from None


def _new_path(url: URL) -> Path:
    target = _target_path(url)
    return target.with_name(f"{target.name}.new")


def _target_path(url: URL) -> Path:
    return Path(url.database or "").absolute()


def _write_copy(copy: BinaryIO, new: Path) -> None:
    """Copy to ``new``, readable only by this user."""
    size = os.fstat(copy.fileno()).st_size
    if shutil.disk_usage(new.parent).free < DISK_PER_COPY * size:
        raise RestoreError(
            f"the disk of {new.parent} has less than {DISK_PER_COPY * size:,} bytes left; free "
            "space on it"
        )
    for ending in ("", *_SQLITE_SUFFIXES):
        Path(f"{new}{ending}").unlink(missing_ok=True)
    copy.seek(0)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode=0o600), "wb") as file:
        while size > 0 and (chunk := copy.read(min(size, CHUNK_BYTES))):
            size -= file.write(chunk)
        file.flush()
        os.fsync(file.fileno())


def _check_sqlite(new: Path, copy_path: Path) -> None:
    """Check that ``new`` is an intact database of this release or an older one, in bounded time.

    Views, triggers and virtual tables could run code during the migration; this service has none.
    """
    seconds = MIN_CHECK_SECONDS + new.stat().st_size / CHECK_BYTES_PER_SECOND
    deadline = time.monotonic() + seconds
    try:
        uri = f"{new.absolute().as_uri()}?mode=ro&immutable=1"
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as database:
            database.set_progress_handler(lambda: time.monotonic() > deadline, OPCODES_PER_CHECK)
            database.execute("PRAGMA trusted_schema=OFF")
            database.execute(f"PRAGMA hard_heap_limit={_MAX_HEAP_BYTES}")
            other = database.execute(_UNKNOWN_OBJECTS_SQL).fetchone()
            if other is not None:
                raise RestoreError(
                    f"{copy_path} has the {other[0]} {other[1]!r}, which this service does not "
                    "make; restore a copy that `backups create` has made"
                )
            (verdict,) = database.execute("PRAGMA integrity_check(1)").fetchone()
            if verdict != "ok":
                raise RestoreError(f"{copy_path} is damaged: {verdict.splitlines()[0]}")
            (revision,) = database.execute("SELECT version_num FROM alembic_version").fetchone()
    except (sqlite3.Error, TypeError, MemoryError) as error:
        if time.monotonic() > deadline:
            raise RestoreError(
                f"{copy_path} could not be checked within {seconds:,.0f} s, so it is damaged or "
                "not a copy of this service; restore another one"
            ) from None
        raise RestoreError(f"{copy_path} is damaged, or of another program: {error}") from None
    check_revision(revision, copy_path)


def check_revision(revision: object, copy_path: Path) -> None:
    """Raise RestoreError if the copy is of a newer release."""
    if revision not in known_revisions():
        raise RestoreError(
            f"{copy_path} is of a newer release, with revision {revision}; restore it with that "
            "release"
        )


def _check_unused(target: Path) -> None:
    """Check that no other process has the database open, by leaving WAL mode."""
    if not target.exists() or not _is_sqlite(target):  # SQLite would remove its -wal
        return
    try:
        with contextlib.closing(sqlite3.connect(target, timeout=0)) as database:
            database.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.OperationalError as error:
        if is_lock_timeout(error):
            raise RestoreError(
                f"{target} is in use; stop the service and its worker, then restore again"
            ) from None
    except sqlite3.DatabaseError:
        pass  # a damaged database may be the reason for the restore


def _is_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC


def _swap(new: Path, target: Path) -> Path | None:
    previous = target.with_name(f"{target.name}.before-{utcnow():%Y-%m-%dT%H-%M-%SZ}")
    existed = target.exists()
    # An old -wal would corrupt the new database.
    for ending in ("", *_SQLITE_SUFFIXES):
        if (old := Path(f"{target}{ending}")).exists():
            old.rename(f"{previous}{ending}")
    new.rename(target)
    sync(target.parent)
    return previous if existed else None
