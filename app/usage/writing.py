"""Writing what has been counted: a few upserts, a transaction every few seconds and process."""

from typing import Any

from sqlalchemy import Column, Dialect, Engine, Table, bindparam, func
from sqlalchemy.dialects import postgresql, sqlite

from app.database.statements import Prepared, once_for_each_kind, transaction
from app.usage.tally import Model, Tally, by_model

# In one transaction: SQLite's only writer has them done in about 3 ms, and requests then have
# their turn. Few processes count more in five seconds.
MOST_ROWS = 500


def write(engine: Engine, tally: Tally) -> None:
    """Add what ``tally`` holds to the database; what has been added is no longer in it.

    Where a connection dies at the very commit nobody can tell whether that was done, and the rows
    of that transaction may be added twice.

    Raises:
        sqlalchemy.exc.SQLAlchemyError: The database failed; the rest is still in ``tally``.
    """
    places = tally.places()
    for first in range(0, len(places), MOST_ROWS):
        some = places[first : first + MOST_ROWS]
        batches = []
        for model, keys in by_model(some).items():
            statement, names = _adding(engine.dialect, model)
            rows = tally.rows[model]
            batches.append(
                (statement, [dict(zip(names, (*key, *rows[key]), strict=True)) for key in keys])
            )
        with transaction(engine) as writes:
            for statement, values in batches:
                writes.run_many(statement, values)
        tally.forget(some)


@once_for_each_kind
def _adding(dialect: Dialect, model: Model) -> tuple[Prepared, list[str]]:
    """The statement that adds to a row, which it makes if missing, and the names of its values."""
    table: Table = model.__table__  # type: ignore[assignment]
    insert: Any = sqlite.insert if dialect.name == "sqlite" else postgresql.insert
    inserting = insert(table).values({column.name: bindparam(column.name) for column in table.c})
    key = list(table.primary_key.columns)
    changed = {
        column.name: _together(dialect, column, inserting.excluded[column.name])
        for column in table.c
        if column not in key
    }
    adding = inserting.on_conflict_do_update(index_elements=key, set_=changed)
    return Prepared(adding, dialect), table.c.keys()


def _together(dialect: Dialect, stored: Column[Any], new: Any) -> Any:
    """Return what a column holds after ``new`` has been added to what is stored."""
    is_sqlite = dialect.name == "sqlite"
    if stored.name == "first_seen":
        return (func.min if is_sqlite else func.least)(stored, new)
    if stored.name == "last_seen":
        return (func.max if is_sqlite else func.greatest)(stored, new)
    return stored + new
