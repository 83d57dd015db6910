"""Copies of the database in DATABASE_URL, made while the service is running.

A copy is a consistent, verified snapshot that only its owner can read. It contains the hashes of
all keys, but no keys.
"""

import contextlib
import os
import sqlite3
import time
from pathlib import Path

from sqlalchemy import URL

from app.core.database import utcnow
from app.core.files import replace_file
from app.ops.database.postgresql_programs import ProgramError, libpq_environment, run_program
from app.timeseries.seconds import DAY_SECONDS

_PREFIX = "forecast-service-"
SETTINGS_SUFFIX, _PART_SUFFIX = ".environment", ".part"
_LOCK_SECONDS = 30
_MAX_CREATE_SECONDS = DAY_SECONDS  # an older partial file was left by a backup that was killed


class BackupError(Exception):
    """No copy was made, and no partial file is left; the message is one line."""


def back_up(url: URL, folder: Path, settings: Path | None) -> Path:
    """Copy the database at ``url`` to a new file in ``folder``; return its path.

    ``settings`` is a file to copy as well, if any: it has the key of encrypted columns. Raise
    BackupError if the database cannot be read, or the folder cannot be written.
    """
    suffix = "db" if is_sqlite(url) else "dump"
    target = folder / f"{_PREFIX}{utcnow():%Y-%m-%dT%H-%M-%SZ}.{suffix}"
    part, settings_copy = target.with_suffix(_PART_SUFFIX), target.with_suffix(SETTINGS_SUFFIX)
    try:
        copy_database(url, part)
        try:
            if settings is not None:
                content = settings.read_text(encoding="utf-8")
                replace_file(settings_copy, content, 0o600, lambda _new: None)
            part.rename(target)
            sync(folder)
        except BaseException:
            part.unlink(missing_ok=True)
            settings_copy.unlink(missing_ok=True)
            raise
    except (OSError, UnicodeDecodeError, sqlite3.Error, ProgramError) as error:
        raise BackupError(f"no copy was made: {error}") from None
    return target


def is_sqlite(url: URL) -> bool:
    """Return whether the database at ``url`` is a file."""
    return url.get_backend_name() == "sqlite"


def copy_database(url: URL, target: Path) -> None:
    """Copy the database at ``url`` to the new file ``target``, readable only by this user.

    Raise BackupError if the copy is damaged; OSError, sqlite3.Error or ProgramError.
    """
    os.close(os.open(target, os.O_CREAT | os.O_EXCL, mode=0o600))
    try:
        (_copy_sqlite if is_sqlite(url) else _dump_postgresql)(url, target)
        sync(target)
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def remove_old_backups(folder: Path, keep: int) -> list[Path]:
    """Delete all copies in ``folder`` except the ``keep`` newest; return those deleted.

    A copy of the settings is deleted with its database's, and so are partial files of backups
    that were killed.
    """
    copies = sorted(path for path in folder.glob(f"{_PREFIX}*") if path.suffix in (".db", ".dump"))
    old = copies[: max(0, len(copies) - keep)]
    for path in old:
        path.unlink()
    kept_names = {path.stem for path in copies[len(old) :]}
    for path in folder.glob(f"{_PREFIX}*{SETTINGS_SUFFIX}"):
        if path.stem not in kept_names:
            path.unlink()
    for path in folder.glob(f"{_PREFIX}*{_PART_SUFFIX}"):
        if path.stat().st_mtime < time.time() - _MAX_CREATE_SECONDS:
            path.unlink()
    return old


def sync(path: Path) -> None:
    """Flush a file or folder to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _copy_sqlite(url: URL, part: Path) -> None:
    # One read transaction, which does not block writers. SQLite's backup API would restart whenever
    # another process writes.
    source = f"file:{url.database}?mode=rw"  # do not create a missing file
    with contextlib.closing(sqlite3.connect(source, timeout=_LOCK_SECONDS, uri=True)) as database:
        database.execute("VACUUM INTO ?", (str(part),))
    with contextlib.closing(sqlite3.connect(part)) as copy:
        (verdict,) = copy.execute("PRAGMA integrity_check").fetchone()
    if verdict != "ok":
        raise BackupError(f"the copy is damaged, and perhaps the database too: {verdict}")


def _dump_postgresql(url: URL, part: Path) -> None:
    environ = libpq_environment(url)
    run_program(["pg_dump", "--format=custom", "--no-owner", f"--file={part}"], environ)
    run_program(["pg_restore", "--list", str(part)], environ)
