"""``forecast-service backups restore``: replaces the database with a copy."""

import contextlib
import os
import pwd
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import BinaryIO

import click
from flask.cli import with_appcontext
from sqlalchemy import URL

from app.core.database import db, utcnow
from app.core.settings import SETTINGS
from app.ops.cli import CODE_FOLDER
from app.ops.database.archive import is_archive, unpack_archive
from app.ops.database.backups import is_sqlite
from app.ops.database.postgresql_programs import last_line
from app.ops.database.restore import (
    Migrate,
    RestoreError,
    discard_sqlite,
    prepare_sqlite,
    restore_seconds,
    swap_sqlite,
)
from app.ops.database.restore_postgresql import restore_postgresql
from app.ops.privileges import SERVICE_USER, settings_path, writable_settings_path
from app.ops.settings_file import SettingsMove, move_settings, replace_or_restore, replace_value
from app.ops.systemd_units import SERVICE_UNIT, WORKER_UNIT, running_units, systemctl
from app.ops.unprivileged import SharedFolderError, WorkError, open_regular, run_as, user_of

_AUDIT = "forecast-service keys audit"
_MAX_SWAP_SECONDS = 60.0  # the swap renames files, and waits for the disk


@click.command("restore")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--into", metavar="NAME", help="PostgreSQL: restore into this empty database.")
@click.option(
    "--forget-credentials",
    is_flag=True,
    help="Remove credentials of sources that SECRETS_KEY does not decrypt.",
)
@with_appcontext
def restore_backup(file: Path, into: str | None, forget_credentials: bool) -> None:
    """Replace the database with FILE, which `backups create` has made.

    FILE is checked and migrated first, and SECRETS_KEY must decrypt its secrets. Only then are the
    units stopped, and started again afterwards. The previous database is kept under another name.
    Keys that were revoked since the copy work again.

    A FILE made by --everything also has settings, which replace those of this machine, except
    DATABASE_URL and variables of libraries, such as proxies. The previous ones are kept.
    """
    url = db.engine.url
    if into and is_sqlite(url):
        raise click.ClickException("--into is for PostgreSQL, and DATABASE_URL is SQLite")
    restore = _restore_sqlite if is_sqlite(url) else partial(_restore_postgresql, into)
    options = ["--forget-credentials"] if forget_credentials else []
    db.engine.dispose()
    try:
        copy, settings = _open_copy(file, url)
        with copy:
            migrate = make_migrator(_environment(settings), *options)
            audit_hint = restore(url, copy, file, migrate, settings)
    except (RestoreError, WorkError, SharedFolderError, OSError) as error:
        raise click.ClickException(str(error)) from None
    click.echo("Keys that were revoked since the copy work again.")
    if audit_hint:
        click.echo(audit_hint)


def _open_copy(file: Path, url: URL) -> tuple[BinaryIO, SettingsMove | None]:
    """Open a copy of the database, and the settings, if the file has them.

    Raise RestoreError if the file cannot be read, or does not match this machine.
    """
    try:
        opened = open_regular(file)
    except OSError as error:
        raise RestoreError(f"{file} cannot be read: {error.strerror}") from None
    if not is_archive(opened, file):
        return opened, None
    with opened:
        path = writable_settings_path()
        if path is None:
            raise RestoreError(
                f"{file} has settings, and {settings_path()} does not exist or may be written by "
                "root only; install the service and restore as root, or take the database out of "
                "FILE with `tar` and restore that"
            )
        archive = unpack_archive(opened, file)
    if archive.backend != url.get_backend_name():
        raise RestoreError(
            f"{file} has a copy from {archive.backend}, and the database of this machine is "
            f"{url.get_backend_name()}; set DATABASE_URL in {path} to a database of the same kind"
        )
    try:
        return archive.copy, move_settings(Path(path), archive.settings, f"the settings in {file}")
    except ValueError as error:
        raise RestoreError(str(error)) from None


def _environment(settings: SettingsMove | None) -> dict[str, str]:
    """Return the environment variables with which the secrets of a copy are decrypted."""
    if settings is None:
        return {}
    return {setting.name: settings.values.get(setting.name, "") for setting in SETTINGS.values()}


def make_migrator(settings: Mapping[str, str], *check_options: str) -> Migrate:
    """Return a function that migrates a database, and checks its secrets by ``check_options``.

    ``settings`` are added to the environment of this process.
    """

    def run(url: URL, problem: str, *arguments: str) -> None:
        command = [sys.executable, "-m", "app.ops.cli", *arguments]
        database = {"DATABASE_URL": url.render_as_string(hide_password=False)}
        environ = os.environ | settings | database
        result = subprocess.run(
            command, cwd=CODE_FOLDER, env=environ, capture_output=True, text=True, check=False
        )
        if result.returncode != 0:
            reason = last_line(result.stderr).removeprefix("Error: ")
            raise RestoreError(f"{problem}: {reason}")

    def migrate(url: URL) -> None:
        run(url, "the copy could not be migrated", "db", "upgrade")
        run(url, "nothing was restored", "sources", "check-secrets", *check_options)

    return migrate


def _restore_sqlite(
    url: URL, copy: BinaryIO, file: Path, migrate: Migrate, settings: SettingsMove | None
) -> str:
    """Restore a copy; return how to list its revoked keys, empty if there was no database before.

    The service runs until the copy is checked and migrated. Root works in the folder of the
    database as the service's user, who can change that folder during the restore.
    """
    user = user_of(Path(url.database or ""))
    seconds = restore_seconds(os.fstat(copy.fileno()).st_size)

    prepare = partial(prepare_sqlite, url, copy, file, migrate)
    try:
        run_as(user, prepare, seconds, [RestoreError])
        with _stop_units(), _install_settings(settings):
            before = run_as(user, partial(swap_sqlite, url), _MAX_SWAP_SECONDS, [RestoreError])
    finally:
        run_as(user, partial(discard_sqlite, url), _MAX_SWAP_SECONDS, [OSError])
    if not before:
        click.echo(f"Restored {url.database}.")
        return ""
    click.echo(f"Restored {url.database}. The previous database is {before}.")
    return f"The previous database lists them:\nDATABASE_URL=sqlite:///{before} {_AUDIT}"


def _restore_postgresql(
    into: str | None,
    url: URL,
    copy: BinaryIO,
    file: Path,
    migrate: Migrate,
    settings: SettingsMove | None,
) -> str:
    """Restore a copy ``into`` a database, by default a new one; return how to list revoked keys."""
    restored = restore_postgresql(
        url, copy, file, migrate, into=into, as_user=_service_user_prefix()
    )
    with _install_settings(settings):
        _switch_service(restored)
    return f"`{_AUDIT}` with DATABASE_URL set to the previous database lists them."


@contextlib.contextmanager
def _stop_units() -> Iterator[None]:
    """Stop the running units, if any, during a block, and start them afterwards."""
    running = running_units()
    if running and not systemctl("stop", *running):
        raise RestoreError("the service is running; restore as root, which stops and starts it")
    try:
        yield
    finally:
        if running and not systemctl("start", *running):
            click.echo(f"systemd could not start {' '.join(running)} again.", err=True)


@contextlib.contextmanager
def _install_settings(settings: SettingsMove | None) -> Iterator[None]:
    """Replace the settings of this machine; restore them if the block fails."""
    if settings is None:
        yield
        return
    path = Path(settings_path())
    before = path.with_name(f"{path.name}.before-{utcnow():%Y-%m-%dT%H-%M-%SZ}")
    with replace_or_restore(path, settings.content, before):
        yield
    dropped = ", ".join(settings.dropped) or "nothing"
    click.echo(
        f"{path} has the settings of the other machine, except {dropped}. The previous ones are in "
        f"{before}.\nNext: `forecast-service setup`, which renders nginx's site for them."
    )


def _service_user_prefix() -> tuple[str, ...]:
    """Return a command prefix to run programs as the service's user, as PostgreSQL rejects root."""
    try:
        pwd.getpwnam(SERVICE_USER)
    except KeyError:
        return ()
    return ("runuser", "-u", SERVICE_USER, "--") if os.geteuid() == 0 else ()


def _switch_service(restored: URL) -> None:
    """Make the service use the restored database, or say how."""
    path = writable_settings_path()
    if path is None:
        click.echo(
            f"Restored into the database {restored.database}. Put that name into DATABASE_URL, and "
            "restart the service."
        )
        return
    replace_value(Path(path), "DATABASE_URL", restored.render_as_string(hide_password=False))
    if systemctl("is-active", SERVICE_UNIT):
        systemctl("restart", SERVICE_UNIT, WORKER_UNIT)
    click.echo(
        f"Restored into the database {restored.database}, now set in {path}. The previous "
        "database is unchanged."
    )
