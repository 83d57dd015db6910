"""A command's transaction: what goes wrong in it is one line on stderr."""

import contextlib
from collections.abc import Iterator

import click
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.orm import Session

from app.accounts.management import AccountError
from app.database import db
from app.database.revisions import unfit_schema


@contextlib.contextmanager
def transaction() -> Iterator[Session]:
    """Give a session whose work is committed at the end, or one clear line and nothing done.

    Raises:
        click.ClickException: The database cannot be used, or it has another schema than this code.
    """
    try:
        with Session(db.engine, expire_on_commit=False) as session, session.begin():
            problem = unfit_schema(session.connection())
            if problem is not None:
                raise click.ClickException(problem)
            yield session
    except AccountError as error:
        raise click.ClickException(str(error)) from None
    except SQLAlchemyError as error:
        raise click.ClickException(_database_problem(error)) from None


def _database_problem(error: SQLAlchemyError) -> str:
    cause = str(error.orig if isinstance(error, DBAPIError) else error).strip().split("\n")[0]
    return f"the database cannot be used: {cause}"
