"""Write the counts: a few upserts in one transaction per process every few seconds."""

from typing import Any

from sqlalchemy import Column, Dialect, Engine, Executable, bindparam, func
from sqlalchemy.dialects import postgresql, sqlite

from app.identity.usage.tally import Tally, UsageModel, group_by_model

# Rows per transaction: they take SQLite, with its single writer, about 3 ms, so requests do not
# wait. Few processes count more in five seconds.
MAX_ROWS_PER_TRANSACTION = 500


def write_tally(engine: Engine, tally: Tally) -> None:
    """Move the counts in ``tally`` to the database.

    If a connection is lost during the commit, its result is unknown, and the rows of that
    transaction may be added twice. Raise SQLAlchemyError if the database fails; the rest is then
    still in ``tally``.
    """
    row_keys = tally.row_keys()
    for first in range(0, len(row_keys), MAX_ROWS_PER_TRANSACTION):
        batch = row_keys[first : first + MAX_ROWS_PER_TRANSACTION]
        with engine.begin() as connection:
            for model, keys in group_by_model(batch).items():
                names = model.__table__.c.keys()
                rows = tally.rows[model]
                values = [dict(zip(names, (*key, *rows[key]), strict=True)) for key in keys]
                connection.execute(_upsert(engine.dialect, model), values)
        tally.discard(batch)


def _upsert(dialect: Dialect, model: UsageModel) -> Executable:
    table = model.__table__
    insert: Any = sqlite.insert if dialect.name == "sqlite" else postgresql.insert
    insert_rows = insert(table).values({column.name: bindparam(column.name) for column in table.c})
    key = list(table.primary_key.columns)
    changed = {
        column.name: _merged_value(dialect, column, insert_rows.excluded[column.name])
        for column in table.c
        if column not in key
    }
    return insert_rows.on_conflict_do_update(index_elements=key, set_=changed)


def _merged_value(dialect: Dialect, stored: Column[Any], new: Any) -> Any:
    is_sqlite = dialect.name == "sqlite"
    if stored.name == "first_seen":
        return (func.min if is_sqlite else func.least)(stored, new)
    if stored.name == "last_seen":
        return (func.max if is_sqlite else func.greatest)(stored, new)
    return stored + new
