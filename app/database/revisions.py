"""Which revision of the schema a database has, against those that this code knows."""

from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from flask import current_app
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from app.database import db


def _scripts() -> ScriptDirectory:
    return ScriptDirectory(current_app.extensions["migrate"].directory)


def _revisions(connection: Connection) -> set[str]:
    return set(MigrationContext.configure(connection).get_current_heads())


def newer_schema(connection: Connection) -> str | None:
    """Return what to say of a database that newer code has migrated; None when it is not."""
    known = {script.revision for script in _scripts().walk_revisions()}
    unknown = _revisions(connection) - known
    if not unknown:
        return None
    return (
        f"the database is newer than this code: its revision {min(unknown)} is unknown here; "
        "run the release that migrated it"
    )


def unfit_schema(connection: Connection) -> str | None:
    """Return why this code cannot work with the schema of the database; None when it can."""
    if _revisions(connection) == set(_scripts().get_heads()):
        return None
    return newer_schema(connection) or (
        "the database is not migrated; run `flask db upgrade` first"
    )


def startup_problem() -> str | None:
    """Return why a server should not start on the application's database; None when it can.

    A database that is away may come back, and one that newer code has migrated still serves this
    code: neither stops the start. No connection is left open, so that processes may be forked.
    """
    try:
        with db.engine.connect() as connection:
            return None if newer_schema(connection) else unfit_schema(connection)
    except SQLAlchemyError:
        return None
    finally:
        db.engine.dispose()
