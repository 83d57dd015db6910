"""``forecast-service backups``: copies of the database."""

import getpass
import os
from pathlib import Path

import click

from app.cli.parameters import OneLineGroup
from app.database import db
from app.database.backups import BackupError, back_up, remove_old

backups = OneLineGroup("backups", help="Copies of the database.")


@backups.command("create")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--keep", type=click.IntRange(1), help="Keep this many copies in FOLDER and remove older ones."
)
def create_backup(folder: Path, keep: int | None) -> None:
    """Copy the database into FOLDER, which is made, while the service keeps running."""
    try:
        _make(folder)
        copy = back_up(db.engine.url, folder)
        removed = [] if keep is None else remove_old(folder, keep)
    except (BackupError, OSError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(
        f"Copied to {copy} ({copy.stat().st_size:,} bytes); {len(removed)} old copies removed."
    )


def _make(folder: Path) -> None:
    """Make ``folder``, for its owner alone; it may exist.

    Raises:
        BackupError: This user may not make it, or not write into it.
    """
    user = getpass.getuser()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        problem = f"the user {user} cannot make {folder}: {error.strerror}; name another folder"
        raise BackupError(problem) from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise BackupError(f"the user {user} may not write into {folder}; give it to that user")
