"""One file with a copy of the database and the settings, to move to another machine.

It is a tar file with two members: ``environment``, then ``database.db`` or ``database.dump``. An
archive to restore is untrusted: only plain headers, as `write_archive` writes them, are read, no
tar extensions, and no name in it is used as a path.
"""

import contextlib
import errno
import io
import os
import shutil
import sqlite3
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import URL

from app.ops.database.backups import BackupError, copy_database, sync
from app.ops.database.postgresql_programs import ProgramError
from app.ops.database.restore import CHUNK_BYTES, DISK_PER_COPY, RestoreError

_SETTINGS_MEMBER = "environment"
_BACKENDS_BY_MEMBER = {"database.db": "sqlite", "database.dump": "postgresql"}
MAX_SETTINGS_BYTES = 64 * 2**10  # a file with all settings and a comment on each has about 12 KiB
# The settings parser takes quadratic time: 1 s for a file of such lines.
_MAX_LINE_BYTES = 4096
_BOUNDS = f"{MAX_SETTINGS_BYTES:,} bytes and {_MAX_LINE_BYTES:,} in a line are allowed"
UNPACK_FOLDER = Path("/var/tmp")  # on a disk, as /tmp may be in memory


def write_archive(url: URL, settings: Path, file: Path) -> None:
    """Copy the database at ``url`` and the settings file into the new file ``file``.

    Raise BackupError if the file exists or cannot be written, or the database cannot be read.
    """
    part = file.with_name(f"{file.name}.part")
    try:
        content = settings.read_bytes()
        if not _is_bounded(content):
            raise BackupError(f"{settings} is too long: {_BOUNDS}")
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode=0o600)
        with os.fdopen(descriptor, "wb") as opened:
            try:
                part.unlink(missing_ok=True)  # left by a command that was killed
                copy_database(url, part)
                _write_members(opened, content, url.get_backend_name(), part)
            except BaseException:
                file.unlink(missing_ok=True)
                raise
            finally:
                part.unlink(missing_ok=True)
        sync(file)
        sync(file.parent)
    except FileExistsError:
        raise BackupError(f"{file} exists; name a new file") from None
    except (OSError, sqlite3.Error, ProgramError) as error:
        raise BackupError(f"no copy was made: {error}") from None


def _write_members(file: BinaryIO, settings: bytes, backend: str, database: Path) -> None:
    name = next(name for name, stored in _BACKENDS_BY_MEMBER.items() if stored == backend)
    with (
        tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as tar,
        database.open("rb") as copy,
    ):
        for member, size, content in (
            (_SETTINGS_MEMBER, len(settings), io.BytesIO(settings)),
            (name, database.stat().st_size, copy),
        ):
            header = tarfile.TarInfo(member)
            header.size = size
            header.mode = 0o600
            tar.addfile(header, content)


@dataclass(frozen=True)
class Archive:
    """The content of an archive: settings, and the copy of the database in an unnamed file.

    ``backend`` is ``sqlite`` or ``postgresql``.
    """

    settings: str
    backend: str
    copy: BinaryIO


def is_archive(file: BinaryIO, path: Path) -> bool:
    """Return whether an open file starts with the header of an archive.

    Raise RestoreError if it cannot be read.
    """
    header = _read(file, tarfile.BLOCKSIZE, path)
    file.seek(0)
    try:
        tarfile.TarInfo.frombuf(header, "utf-8", "replace")
    except tarfile.HeaderError:
        return False
    return True


def unpack_archive(file: BinaryIO, path: Path) -> Archive:
    """Read an archive.

    Raise RestoreError if it is truncated, has members that `write_archive` does not write, or the
    disk is full.
    """
    settings = _read_header(file, path)
    if settings.name != _SETTINGS_MEMBER:
        raise _foreign_error(path)
    content = _read(file, min(settings.size, MAX_SETTINGS_BYTES + 1), path)
    if not _is_bounded(content):
        raise RestoreError(f"the settings in {path} are too long: {_BOUNDS}")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise RestoreError(f"the settings in {path}: {error}") from None
    file.seek(_next_block(file.tell()))
    database = _read_header(file, path)
    copy_begin = file.tell()
    file.seek(_next_block(copy_begin + database.size))
    end = _read(file, tarfile.BLOCKSIZE, path)
    file.seek(copy_begin)
    if database.name not in _BACKENDS_BY_MEMBER or end.strip(b"\0"):
        raise _foreign_error(path)
    return Archive(
        text, _BACKENDS_BY_MEMBER[database.name], _unpack_copy(file, database.size, path)
    )


def _is_bounded(settings: bytes) -> bool:
    lines = settings.splitlines()
    return (
        len(settings) <= MAX_SETTINGS_BYTES and max(map(len, lines), default=0) <= _MAX_LINE_BYTES
    )


def _read_header(file: BinaryIO, path: Path) -> tarfile.TarInfo:
    """Read the header of a member, and check that the file has its complete content."""
    try:
        member = tarfile.TarInfo.frombuf(_read(file, tarfile.BLOCKSIZE, path), "utf-8", "replace")
    except tarfile.HeaderError:
        raise _foreign_error(path) from None
    if member.type != tarfile.REGTYPE:
        raise _foreign_error(path)
    if not 0 <= member.size <= os.fstat(file.fileno()).st_size - file.tell():
        raise RestoreError(f"{path} is cut off; copy it again from the other machine")
    return member


def _foreign_error(path: Path) -> RestoreError:
    return RestoreError(
        f"{path} is not as `backups create --everything` makes it, of the settings, a copy of the "
        "database and nothing else: copy it again from the other machine"
    )


def _next_block(offset: int) -> int:
    return offset + -offset % tarfile.BLOCKSIZE


def _unpack_copy(file: BinaryIO, size: int, path: Path) -> BinaryIO:
    if shutil.disk_usage(UNPACK_FOLDER).free < DISK_PER_COPY * size:
        raise RestoreError(f"the disk of {UNPACK_FOLDER} is full; free space on it")
    copy = tempfile.TemporaryFile(dir=UNPACK_FOLDER)  # noqa: SIM115 - the caller closes it
    bytes_left = size
    try:
        while bytes_left > 0 and (chunk := _read(file, min(bytes_left, CHUNK_BYTES), path)):
            bytes_left -= copy.write(chunk)
        copy.flush()
    except (OSError, RestoreError) as error:
        with contextlib.suppress(OSError):  # what is buffered is written again
            copy.close()
        if isinstance(error, RestoreError):
            raise
        remedy = "; free space on it" if error.errno == errno.ENOSPC else ""
        problem = f"the copy cannot be unpacked to {UNPACK_FOLDER}: {error}{remedy}"
        raise RestoreError(problem) from None
    copy.seek(0)
    return copy


def _read(file: BinaryIO, size: int, path: Path) -> bytes:
    try:
        return file.read(size)
    except OSError as error:
        raise RestoreError(f"{path} cannot be read: {error.strerror}") from None
