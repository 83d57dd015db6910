"""Add usage over time: calls by hour and day, by key, outcome, address and failure

Revision: 0007, after: 0006
It only adds tables: code of 0006 keeps working.
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade():
    """Create the tables, empty: earlier calls are only in the usage counts of keys."""
    _create("usage_hours", "hour", _key_id(), _endpoint(), _small("status_class"))
    for table, period in (("account_hours", "hour"), ("account_days", "day")):
        _create(table, period, _endpoint(), _small("status"), _small("latency_bucket"))
    _create("key_days", "day", _key_id(), numbers=("calls", "errors"))
    field = sa.Column("field", sa.String(100), nullable=False)
    _create("failure_days", "day", _endpoint(), _small("status"), field, _key_id())
    op.create_table(
        "key_addresses",
        sa.Column("account_id", sa.Integer(), nullable=False),
        _key_id(),
        sa.Column("address", sa.String(45), nullable=False),
        sa.Column("first_seen", sa.BigInteger(), nullable=False),
        sa.Column("last_seen", sa.BigInteger(), nullable=False),
        sa.Column("calls", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "key_id", "address", name="pk_key_addresses"),
        sqlite_with_rowid=False,
    )


def _create(table, period, *others, numbers=("calls",)):
    """Create a table of numbers by account, hour or day, and ``others``."""
    key = [
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column(period, sa.BigInteger(), nullable=False),
        *others,
    ]
    op.create_table(
        table,
        *key,
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in numbers),
        sa.PrimaryKeyConstraint(*(column.name for column in key), name=f"pk_{table}"),
        sqlite_with_rowid=False,
    )


def _key_id():
    return sa.Column("key_id", sa.Integer(), nullable=False)


def _endpoint():
    return sa.Column("endpoint", sa.String(100), nullable=False)


def _small(name):
    return sa.Column(name, sa.SmallInteger(), nullable=False)


def downgrade():
    """Drop usage over time; the usage counts of keys are kept."""
    for table in (
        "key_addresses",
        "failure_days",
        "key_days",
        "account_days",
        "account_hours",
        "usage_hours",
    ):
        op.drop_table(table)
