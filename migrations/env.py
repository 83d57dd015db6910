"""Alembic's environment: the application's engine and models, on SQLite and PostgreSQL."""

import click
from alembic import context
from alembic.util import CommandError
from sqlalchemy import Engine, NullPool, create_engine
from sqlalchemy.exc import DBAPIError

from app.core.database import db
from app.core.database.engine import prepare_engine
from app.core.database.revisions import newer_schema_problem
from app.ops.all_models import Base

LOCK_WAIT_SECONDS = 300  # while another node migrates a large SQLite file
MIGRATION_LOCK = 0x666F7265  # an arbitrary number that nothing else in this database locks


def migration_engine() -> Engine:
    """Return an engine without the timeouts of requests: a migration may take long."""
    is_sqlite = db.engine.dialect.name == "sqlite"
    options = {"connect_args": {"timeout": LOCK_WAIT_SECONDS}} if is_sqlite else {}
    engine = create_engine(db.engine.url, poolclass=NullPool, **options)
    if is_sqlite:
        prepare_engine(engine)
    return engine


def migrate() -> None:
    """Run the requested migrations on the application's database, in one transaction."""
    if context.is_offline_mode():
        options = {"url": db.engine.url, "literal_binds": True}
        run(options)
        return
    if given := context.config.attributes.get("connection"):  # of `db move`, in its transaction
        run({"connection": given})
        return
    with migration_engine().connect() as connection:
        # Alembic would commit after each migration on SQLite, and other nodes could run in between.
        connection.begin()
        try:
            run({"connection": connection})
        except CommandError as error:
            raise CommandError(newer_schema_problem(connection) or str(error)) from error
        connection.commit()
        command = click.get_current_context(silent=True)
        if command and command.info_name == "upgrade":
            current = context.get_context().get_current_revision()
            click.echo(f"The database is at revision {current}.")


def run(options: dict) -> None:
    """Configure Alembic with ``options`` and migrate."""
    context.configure(
        target_metadata=Base.metadata,
        compare_type=True,
        include_name=lambda name, kind, _parents: kind != "table" or name in Base.metadata.tables,
        **options,
    )
    with context.begin_transaction():
        wait_for_other_nodes()
        context.run_migrations()


def wait_for_other_nodes() -> None:
    """Let one node migrate at a time; nodes that waited find nothing left to do."""
    if not context.is_offline_mode() and context.get_bind().dialect.name == "postgresql":
        context.get_bind().exec_driver_sql(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")


try:
    migrate()
except DBAPIError as error:
    # Flask-Migrate prints a RuntimeError as one line and exits with a nonzero status.
    problem = str(error.orig).strip().split("\n")[0]
    raise RuntimeError(f"the database cannot be migrated: {problem}") from error
