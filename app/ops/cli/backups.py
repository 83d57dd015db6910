"""``forecast-service backups``: copies of the database."""

import getpass
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click
from sqlalchemy import URL

from app.core.database import db
from app.ops.cli.groups import OneLineGroup, WrongOptionError
from app.ops.cli.restore import restore_backup
from app.ops.database.archive import write_archive
from app.ops.database.backups import (
    SETTINGS_SUFFIX,
    BackupError,
    back_up,
    is_sqlite,
    remove_old_backups,
)
from app.ops.privileges import settings_path
from app.ops.unprivileged import SharedFolderError, WorkError, run_as, user_of
from app.timeseries.seconds import DAY_SECONDS
from app.timeseries.words import count_of

_EXPECTED_ERRORS = (BackupError, OSError)
_MAX_CREATE_SECONDS = float(DAY_SECONDS)  # the interval of nightly copies

backups = OneLineGroup("backups", help="Copies of the database.")
backups.add_command(restore_backup)


@backups.command("create")
@click.argument("folder", required=False, type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--keep", type=click.IntRange(1), help="Keep this many copies in FOLDER and remove older ones."
)
@click.option(
    "--everything",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Copy the database and the settings into this new file, to move to another machine.",
)
def create_backup(folder: Path | None, keep: int | None, everything: Path | None) -> None:
    """Copy the database into FOLDER, which is created, while the service keeps running.

    The settings file is copied, too, as its SECRETS_KEY decrypts secrets in the database.
    """
    url = db.engine.url
    copy: Callable[[], str]
    if everything is not None and folder is None and keep is None:
        target = everything.parent
        copy = partial(_copy_everything, url, everything)
    elif folder is not None and everything is None:
        target = folder
        copy = partial(_copy_into, url, folder, keep)
    else:
        raise WrongOptionError("give FOLDER, perhaps with --keep, or only --everything FILE")
    try:
        user = user_of(Path(url.database or "")) if is_sqlite(url) else None
        user = user or user_of(target)
        message = (
            copy() if user is None else run_as(user, copy, _MAX_CREATE_SECONDS, _EXPECTED_ERRORS)
        )
    except (*_EXPECTED_ERRORS, WorkError, SharedFolderError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(message)


def _copy_into(url: URL, folder: Path, keep: int | None) -> str:
    settings = settings_path()
    _create_folder(folder)
    has_settings = os.access(settings, os.R_OK)  # not if `flask` is run for another database
    backup = back_up(url, folder, Path(settings) if has_settings else None)
    removed = [] if keep is None else remove_old_backups(folder, keep)
    size = backup.stat().st_size
    settings_note = f", with the settings in {backup.stem}{SETTINGS_SUFFIX}" if has_settings else ""
    removed_note = f"{count_of(len(removed), 'old copy')} removed"
    return f"Copied to {backup} ({size:,} bytes){settings_note}; {removed_note}."


def _copy_everything(url: URL, file: Path) -> str:
    settings = Path(settings_path())
    if not settings.is_file():
        raise BackupError(
            f"this machine has no settings file {settings}; copy the database into a folder, and "
            "keep the settings of the environment yourself"
        )
    _check_writable(file.parent)
    write_archive(url, settings, file)
    return (
        f"Copied the database and {settings} to {file} ({file.stat().st_size:,} bytes).\n"
        "All secrets can be decrypted with it: remove it when the other machine serves."
    )


def _create_folder(folder: Path) -> None:
    """Create ``folder``, private to its owner, unless it exists.

    Raise BackupError if this user cannot create it, or cannot write into it.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        user = getpass.getuser()
        problem = f"the user {user} cannot make {folder}: {error.strerror}; name another folder"
        raise BackupError(problem) from None
    _check_writable(folder)


def _check_writable(folder: Path) -> None:
    if not os.access(folder, os.W_OK | os.X_OK):
        user = getpass.getuser()
        raise BackupError(
            f"the user {user} may not write into {folder}; give it to that user, or name another "
            "folder"
        )
