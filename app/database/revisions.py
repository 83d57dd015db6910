"""Compare the schema revision of a database with those that this code knows."""

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
    """Return a message if newer code has migrated the database, else None."""
    known = {script.revision for script in _scripts().walk_revisions()}
    unknown = _revisions(connection) - known
    if not unknown:
        return None
    return (
        f"the database is newer than this code, which does not know revision {min(unknown)}; "
        "run the release that migrated it"
    )


def unfit_schema(connection: Connection) -> str | None:
    """Return why this code cannot work with the schema of the database, else None."""
    if _revisions(connection) == set(_scripts().get_heads()):
        return None
    return newer_schema(connection) or (
        "the database is not migrated; run `flask db upgrade` first"
    )


def startup_problem() -> str | None:
    """Return why a server cannot start with the application's database, else None.

    An unavailable database may recover, and one migrated by newer code still works with this code:
    neither prevents the start. No connection is left open, so that processes can be forked.
    """
    try:
        with db.engine.connect() as connection:
            return None if newer_schema(connection) else unfit_schema(connection)
    except SQLAlchemyError:
        return None
    finally:
        db.engine.dispose()
