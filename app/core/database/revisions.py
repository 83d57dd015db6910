"""Compare the schema revision of a database with those that this code knows.

Alembic runs the migrations, but is not imported here: their file names are enough.
"""

from functools import cache
from pathlib import Path

from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from app.core.database import db

# Next to the package, both in a checkout and where a wheel is installed.
MIGRATIONS = Path(__file__).parents[3] / "migrations"
# The start of the message; `app/ops/setup/service.py` and `deploy/deb/postinst` search for it.
NEWER_SCHEMA_PROBLEM = "the database is newer than this code"


def startup_problem() -> str | None:
    """Return why a server cannot start with the application's database, else None.

    An unavailable database may recover, and one migrated by newer code still works with this code:
    neither prevents the start. No connection is left open, so that processes can be forked.
    """
    try:
        with db.engine.connect() as connection:
            revisions = _stored_revisions(connection)
            return None if _unknown_revisions(revisions) else _problem_of(revisions)
    except SQLAlchemyError:
        url = db.engine.url
        folder = Path(url.database or "").parent
        if url.get_backend_name() == "sqlite" and not folder.is_dir():
            return f"DATABASE_URL: the folder {folder} does not exist"
        return None
    finally:
        db.engine.dispose()


def schema_problem(connection: Connection) -> str | None:
    """Return why this code cannot work with the schema of the database, else None."""
    return _problem_of(_stored_revisions(connection))


def newer_schema_problem(connection: Connection) -> str | None:
    """Return a message if newer code has migrated the database, else None."""
    revisions = _stored_revisions(connection)
    return _problem_of(revisions) if _unknown_revisions(revisions) else None


def _problem_of(revisions: set[str]) -> str | None:
    if revisions == {known_revisions()[-1]}:
        return None
    if unknown := _unknown_revisions(revisions):
        return (
            f"{NEWER_SCHEMA_PROBLEM}, which does not know revision {min(unknown)}; "
            "run the release that migrated it"
        )
    return "the database is not migrated; run `forecast-service db upgrade` first"


def _unknown_revisions(revisions: set[str]) -> set[str]:
    return revisions - {*known_revisions()}


def _stored_revisions(connection: Connection) -> set[str]:
    if not inspect(connection).has_table("alembic_version"):
        return set()
    return set(connection.scalars(text("SELECT version_num FROM alembic_version")))


@cache
def known_revisions() -> tuple[str, ...]:
    """Return the revisions that this code has, oldest first: the numbers in the file names."""
    files = MIGRATIONS.glob("versions/[0-9]*.py")
    return tuple(sorted(path.name.partition("_")[0] for path in files))
