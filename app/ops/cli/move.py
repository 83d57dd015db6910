"""``forecast-service db move``: from SQLite to PostgreSQL, with all rows."""

import json
import sys
from pathlib import Path

import alembic.command
import click
from flask import current_app
from flask.cli import with_appcontext
from sqlalchemy import URL, Connection, make_url

from app.core.database import db
from app.core.database.revisions import MIGRATIONS
from app.core.setting_parsers import parse_database_url
from app.ops.database.backups import is_sqlite
from app.ops.privileges import writable_settings_path
from app.ops.settings_file import replace_value
from app.ops.systemd_units import ALL_UNITS, running_units
from app.ops.unprivileged import SharedFolderError, WorkError, run_as, user_of
from app.timeseries.seconds import DAY_SECONDS
from app.timeseries.words import count_of

_MAX_MOVE_SECONDS = float(DAY_SECONDS)  # 4 billion rows, at 50,000 a second


@click.command("move")
@click.argument("url")
@with_appcontext
def move(url: str) -> None:
    """Move all rows from SQLite to the empty PostgreSQL database at URL.

    URL is as in DATABASE_URL, or - to read it from standard input, as other users see command
    lines. Stop the service first: the command is rejected while systemd runs one of its units, or
    while any process has the SQLite file open. It makes the schema in the target, copies all rows,
    compares the number in each table, and then writes URL into the settings file. If it fails, the
    target is as empty as before. The SQLite file stays.
    """
    typed_url = sys.stdin.readline().strip() if url == "-" else url
    source = db.engine.url
    try:
        target = make_url(parse_database_url(typed_url))
    except ValueError as error:
        raise click.ClickException(f"the target: {error}") from None
    if not is_sqlite(source) or is_sqlite(target):
        raise click.ClickException(
            "only a SQLite database is moved, to PostgreSQL; DATABASE_URL is "
            f"{source.get_backend_name()}, and the target {target.get_backend_name()}"
        )
    if running := running_units():
        raise click.ClickException(
            f"systemd runs {running[0]}; stop the service with `systemctl stop "
            f"{' '.join(ALL_UNITS)}`, then move again"
        )
    counts = _move(source, target)
    for name, number in counts.items():
        click.echo(f"{number:12,} {name}")
    click.echo(f"Moved {count_of(sum(counts.values()), 'row')}. {source.database} is as before.")
    _save_database_url(typed_url, target)


def _move(source: URL, target: URL) -> dict[str, int]:
    """Move as the owner of the database, as PostgreSQL rejects root."""
    from app.ops.database.move import MoveError, move_database

    def work() -> str:
        return json.dumps(move_database(source, target, _migrate))

    try:
        user = user_of(Path(source.database or ""))
        counts: dict[str, int] = json.loads(run_as(user, work, _MAX_MOVE_SECONDS, [MoveError]))
    except (WorkError, SharedFolderError, OSError) as error:
        raise click.ClickException(f"nothing was moved: {error}") from None
    return counts


def _migrate(connection: Connection) -> None:
    from app.ops.database.move import MoveError

    config = current_app.extensions["migrate"].migrate.get_config(str(MIGRATIONS))
    config.attributes["connection"] = connection
    try:
        alembic.command.upgrade(config, "head")
    except RuntimeError as error:
        raise MoveError(str(error)) from None


def _save_database_url(typed_url: str, target: URL) -> None:
    """Write the target into the settings file, or say what to write."""
    if path := writable_settings_path():
        try:
            replace_value(Path(path), "DATABASE_URL", typed_url)
        except OSError as error:
            problem = f"all rows are moved, but DATABASE_URL in {path} is as before: {error}"
            raise click.ClickException(problem) from None
        click.echo(
            f"{path} has the new DATABASE_URL. Start the service: `systemctl start "
            f"{' '.join(ALL_UNITS)}`."
        )
        return
    redacted_url = target.render_as_string(hide_password=True)
    click.echo(f"Set this, with the password, and start the service:\nDATABASE_URL={redacted_url}")
