"""``forecast-service backups``: copies of the database."""

import contextlib
import getpass
import os
import pwd
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import click
from sqlalchemy import URL

from app.core.database import db
from app.core.database.backups import SETTINGS_ENDING, BackupError, back_up, remove_old_backups
from app.core.database.restore import (
    Migrate,
    RestoreError,
    discard_sqlite,
    make_migrator,
    prepare_sqlite,
    restore_seconds,
    swap_sqlite,
)
from app.core.database.restore_postgresql import restore_postgresql
from app.core.settings_file import replace_value
from app.core.unprivileged import SharedFolderError, WorkError, open_regular, run_as, user_of
from app.ops.cli.parameters import OneLineGroup
from app.ops.cli.privileges import USER, settings_path

EXPECTED_ERRORS = (BackupError, OSError)
MAX_CREATE_SECONDS = 24 * 3600.0  # the nightly copy is then still running when the next one begins
MAX_SWAP_SECONDS = 60.0  # it renames files, and waits for the disk

backups = OneLineGroup("backups", help="Copies of the database.")


@backups.command("create")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--keep", type=click.IntRange(1), help="Keep this many copies in FOLDER and remove older ones."
)
def create_backup(folder: Path, keep: int | None) -> None:
    """Copy the database into FOLDER, which is made, while the service keeps running.

    A machine's settings file is copied beside it: its SECRETS_KEY decrypts secrets of the database.
    """
    url, settings = db.engine.url, settings_path()

    def copy() -> str:
        _make_folder(folder)
        has_settings = os.access(settings, os.R_OK)  # by `flask`, others back up other databases
        made = back_up(url, folder, Path(settings) if has_settings else None)
        removed = [] if keep is None else remove_old_backups(folder, keep)
        size = made.stat().st_size
        beside = f", with the settings in {made.stem}{SETTINGS_ENDING}" if has_settings else ""
        return f"Copied to {made} ({size:,} bytes){beside}; {len(removed)} old copies removed."

    try:
        user = user_of(Path(url.database or "")) if _is_sqlite(url) else None
        user = user or user_of(folder)
        said = copy() if user is None else run_as(user, copy, MAX_CREATE_SECONDS, EXPECTED_ERRORS)
    except (*EXPECTED_ERRORS, WorkError, SharedFolderError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(said)


def _is_sqlite(url: URL) -> bool:
    return url.get_backend_name() == "sqlite"


def _make_folder(folder: Path) -> None:
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


CODE = Path(__file__).parents[3]
UNITS = (
    "forecast-service.socket",
    "forecast-service.service",
    "forecast-service-worker.service",
)


@backups.command("restore")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--into", metavar="NAME", help="PostgreSQL: restore into this empty database.")
@click.option(
    "--forget-credentials",
    is_flag=True,
    help="Remove credentials of sources that SECRETS_KEY does not decrypt.",
)
def restore_backup(file: Path, into: str | None, forget_credentials: bool) -> None:
    """Put FILE, which `backups create` has made, in the place of the database.

    FILE is checked and migrated first, and SECRETS_KEY must decrypt its secrets. Only then the
    units are stopped, and started again. The database before is kept under another name. Keys that
    were revoked since are accepted again.
    """
    url = db.engine.url
    before = ""
    options = ["--forget-credentials"] if forget_credentials else []
    migrate = make_migrator([sys.executable, "-m", "app.ops.cli"], CODE, *options)
    db.engine.dispose()
    try:
        with _open_copy(file) as copy:
            if _is_sqlite(url):
                if into:
                    raise RestoreError("--into is for PostgreSQL, and DATABASE_URL is SQLite")
                before = _restore_sqlite(url, copy, file, migrate)
            else:
                restored = restore_postgresql(
                    url, copy, file, migrate, into=into, as_user=_as_service_user()
                )
                _use_database(restored)
    except (RestoreError, WorkError, SharedFolderError, OSError) as error:
        raise click.ClickException(str(error)) from None
    click.echo("Keys that were revoked since the copy work again.")
    audit = "forecast-service keys audit"
    if before:
        click.echo(f"The database before lists them:\nDATABASE_URL=sqlite:///{before} {audit}")
    elif not _is_sqlite(url):
        click.echo(f"`{audit}` with DATABASE_URL set to the database before lists them.")


def _open_copy(file: Path) -> BinaryIO:
    try:
        return open_regular(file)
    except OSError as error:
        raise RestoreError(f"{file} cannot be read: {error.strerror}") from None


def _restore_sqlite(url: URL, copy: BinaryIO, file: Path, migrate: Migrate) -> str:
    """Restore a copy; return where the database before is, empty if there was none.

    The service runs until the copy is checked and migrated. Root gives itself up for all that is in
    the folder of the database, which the service's user may change meanwhile.
    """
    user = user_of(Path(url.database or ""))
    seconds = restore_seconds(os.fstat(copy.fileno()).st_size)

    def prepare() -> str:
        prepare_sqlite(url, copy, file, migrate)
        return ""

    def swap() -> str:
        return str(swap_sqlite(url) or "")

    def discard() -> str:
        discard_sqlite(url)
        return ""

    try:
        run_as(user, prepare, seconds, [RestoreError])
        with _stop_units():
            before = run_as(user, swap, MAX_SWAP_SECONDS, [RestoreError])
    finally:
        run_as(user, discard, MAX_SWAP_SECONDS, EXPECTED_ERRORS)
    kept = f" The database before is {before}." if before else ""
    click.echo(f"Restored {url.database}.{kept}")
    return before


@contextlib.contextmanager
def _stop_units() -> Iterator[None]:
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


def _use_database(restored: URL) -> None:
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
