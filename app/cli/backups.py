"""``forecast-service backups``: copies of the database."""

import contextlib
import getpass
import os
import pwd
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from sqlalchemy import URL

from app.cli.parameters import OneLineGroup
from app.cli.privileges import USER, settings_path
from app.database import db
from app.database.backups import BackupError, back_up, remove_old
from app.database.restore import RestoreError, migrate_by, restore_postgresql, restore_sqlite
from app.settings_file import replace_value

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


CODE = Path(__file__).parents[2]
UNITS = (
    "forecast-service.socket",
    "forecast-service.service",
    "forecast-service-worker.service",
)


@backups.command("restore")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--into", metavar="NAME", help="PostgreSQL: restore into this empty database.")
def restore_backup(file: Path, into: str | None) -> None:
    """Put FILE, which `backups create` has made, in the place of the database.

    FILE is checked and migrated first, the units are stopped meanwhile, and the database before is
    kept under another name. Keys that were revoked since are accepted again.
    """
    url = db.engine.url
    before = None
    db.engine.dispose()
    migrate = migrate_by([sys.executable, "-m", "app.cli"], CODE)
    try:
        if url.get_backend_name() == "sqlite":
            if into:
                raise RestoreError("--into is for PostgreSQL, and DATABASE_URL is SQLite")
            with _stopped():
                before = restore_sqlite(url, file, migrate)
            kept = f" The database before is {before}." if before else ""
            click.echo(f"Restored {url.database}.{kept}")
        else:
            restored = restore_postgresql(url, file, migrate, into=into, as_user=_as_service_user())
            _use(restored)
    except RestoreError as error:
        raise click.ClickException(str(error)) from None
    click.echo("Keys that were revoked since the copy work again.")
    audit = "forecast-service keys audit"
    if before:
        click.echo(f"The database before lists them:\nDATABASE_URL=sqlite:///{before} {audit}")
    elif url.get_backend_name() != "sqlite":
        click.echo(f"`{audit}` with DATABASE_URL set to the database before lists them.")


@contextlib.contextmanager
def _stopped() -> Iterator[None]:
    """Stop the units that run for a block, if systemd has any, and start them afterwards."""
    is_set_up = Path(settings_path()).is_file()  # else the units are of another database
    running = [unit for unit in UNITS if is_set_up and _systemctl("is-active", unit)]
    if running and not _systemctl("stop", *running):
        raise RestoreError("the service is running; restore as root, which stops and starts it")
    try:
        yield
    finally:
        if running and not _systemctl("start", *running):
            click.echo(f"systemd could not start {' '.join(running)} again.", err=True)


def _systemctl(*words: str) -> bool:
    try:
        done = subprocess.run(["systemctl", *words], capture_output=True, check=False)
    except FileNotFoundError:
        return False
    return done.returncode == 0


def _as_service_user() -> tuple[str, ...]:
    """Return what runs a program as the service's user, whom PostgreSQL knows; root it does not."""
    try:
        pwd.getpwnam(USER)
    except KeyError:
        return ()
    return ("runuser", "-u", USER, "--") if os.geteuid() == 0 else ()


def _use(restored: URL) -> None:
    """Let the service use the restored database, or say how."""
    path = Path(settings_path())
    if not path.is_file() or not os.access(path, os.W_OK):
        click.echo(
            f"Restored into the database {restored.database}. Put that name into DATABASE_URL, and "
            "restart the service."
        )
        return
    replace_value(path, "DATABASE_URL", restored.render_as_string(hide_password=False))
    if _systemctl("is-active", UNITS[1]):
        _systemctl("restart", *UNITS[1:])
    click.echo(
        f"Restored into the database {restored.database}, which {path} has now. The database "
        "before is as it was."
    )
