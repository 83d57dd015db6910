"""``flask backups``: copies of the database."""

from pathlib import Path

import click

from app.cli.parameters import OneLineGroup
from app.database import db
from app.database.backups import BackupError, back_up, remove_old

backups = OneLineGroup("backups", help="Copies of the database.")


@backups.command("create")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--keep", type=click.IntRange(1), help="Keep this many copies in FOLDER and remove older ones."
)
def create_backup(folder: Path, keep: int | None) -> None:
    """Copy the database into FOLDER while the service keeps running."""
    try:
        copy = back_up(db.engine.url, folder)
        removed = [] if keep is None else remove_old(folder, keep)
    except (BackupError, OSError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(
        f"Copied to {copy} ({copy.stat().st_size:,} bytes); {len(removed)} old copies removed."
    )
