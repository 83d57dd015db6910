"""Copies of the database that DATABASE_URL names, made while the service goes on.

A copy is the state of one moment, checked, and readable by its owner alone: it holds no key, but
the hashes of all. `docs/running/backups.md` says how one is restored.
"""

import contextlib
import os
import sqlite3
import subprocess
from pathlib import Path

from sqlalchemy import URL

from app.database import utcnow

PREFIX = "forecast-service-"
WAIT_SECONDS = 30


class BackupError(Exception):
    """There is no new copy, and no file is left of it; the text is one line that says why."""


def back_up(url: URL, folder: Path) -> Path:
    """Copy the database of ``url`` to a new file in ``folder``; return its path.

    Raises:
        BackupError: The database cannot be read, or the folder not written.
    """
    sqlite = url.get_backend_name() == "sqlite"
    ending = "db" if sqlite else "dump"
    target = folder / f"{PREFIX}{utcnow():%Y-%m-%dT%H-%M-%SZ}.{ending}"
    part = target.with_suffix(".part")
    try:
        os.close(os.open(part, os.O_CREAT | os.O_EXCL, mode=0o600))
        try:
            (_copy_sqlite if sqlite else _dump_postgresql)(url, part)
            _sync(part)
            part.rename(target)
            _sync(folder)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except (OSError, sqlite3.Error) as error:
        raise BackupError(f"no copy was made: {error}") from None
    return target


def remove_old(folder: Path, keep: int) -> list[Path]:
    """Remove all copies in ``folder`` but the ``keep`` newest; return those removed."""
    copies = sorted(path for path in folder.glob(f"{PREFIX}*") if path.suffix in (".db", ".dump"))
    old = copies[: max(0, len(copies) - keep)]
    for path in old:
        path.unlink()
    return old


def _copy_sqlite(url: URL, part: Path) -> None:
    # One read transaction: writers go on beside it. SQLite's own backup would start anew whenever
    # another process writes.
    source = f"file:{url.database}?mode=rw"  # no new file where there is none
    with contextlib.closing(sqlite3.connect(source, timeout=WAIT_SECONDS, uri=True)) as database:
        database.execute("VACUUM INTO ?", (str(part),))
    with contextlib.closing(sqlite3.connect(part)) as copy:
        (verdict,) = copy.execute("PRAGMA integrity_check").fetchone()
    if verdict != "ok":
        raise BackupError(f"the copy is damaged, and so may the database be: {verdict}")


def _dump_postgresql(url: URL, part: Path) -> None:
    # By the environment: a command line can be read by every user of the machine.
    where = {
        "PGHOST": url.host,
        "PGPORT": str(url.port) if url.port else None,
        "PGUSER": url.username,
        "PGPASSWORD": url.password,
        "PGDATABASE": url.database,
        **{f"PG{name.upper()}": str(value) for name, value in url.query.items()},
    }
    environ = os.environ | {name: value for name, value in where.items() if value}
    _run(["pg_dump", "--format=custom", "--no-owner", f"--file={part}"], environ)
    _run(["pg_restore", "--list", str(part)], environ)


def _run(command: list[str], environ: dict[str, str]) -> None:
    try:
        subprocess.run(
            command,
            env=environ,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
    except FileNotFoundError:
        problem = f"{command[0]} is not installed (Debian: apt-get install postgresql-client)"
        raise BackupError(problem) from None
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise BackupError(f"{command[0]} failed: {last}") from None


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
