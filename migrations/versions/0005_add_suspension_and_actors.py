"""Add the suspension of accounts, and keys and members as actors of the audit trail

Revision: 0005, after: 0004
It only adds columns and an index: code of 0004 keeps working. On SQLite it rebuilds accounts and
keys, so that ids of deleted rows are never reused, as on PostgreSQL.
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

ADDED = {
    "accounts": [("suspended_at", sa.DateTime(timezone=True))],
    "api_keys": [("suspended_at", sa.DateTime(timezone=True))],
    "audit_events": [
        ("member", sa.String(254)),
        ("by_key_id", sa.Integer()),
        ("by_prefix", sa.String(16)),
        ("address", sa.String(45)),
    ],
}


def upgrade():
    """Add the columns, empty: no account is suspended."""
    # First, so that keys are locked only briefly. No request of 0004 writes events.
    op.create_index("ix_audit_events_account_id", "audit_events", ["account", "id"])
    if op.get_context().dialect.name == "sqlite":
        _rebuild_table("accounts", _accounts())
        # Deleting a row searches for rows that refer to it: without an index, in the whole table.
        op.create_index("ix_for_now", "api_keys", ["successor_id"])
        _rebuild_table("api_keys", _api_keys())
        op.create_index("ix_api_keys_account_id", "api_keys", ["account_id"])
    for table, columns in ADDED.items():
        for name, kind in columns:
            op.add_column(table, sa.Column(name, kind))


def _rebuild_table(table, definition):
    """Replace a table with one whose ids are never reused.

    Foreign keys to its rows are checked at the end, when they exist again.
    """
    op.execute("PRAGMA defer_foreign_keys = ON")
    op.execute(f"CREATE TEMPORARY TABLE kept AS SELECT * FROM {table}")
    op.drop_table(table)
    op.create_table(table, *definition, sqlite_autoincrement=True)
    names = ", ".join(each.name for each in definition if isinstance(each, sa.Column))
    op.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM kept")
    op.execute("DROP TABLE kept")


def _accounts():
    return [
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("tier", sa.String(20)),
        sa.Column("per_minute", sa.Integer()),
        sa.Column("per_hour", sa.Integer()),
        sa.Column("per_day", sa.Integer()),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_accounts"),
        sa.UniqueConstraint("name", name="uq_accounts_name"),
    ]


def _api_keys():
    return [
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("successor_id", sa.Integer()),
        sa.Column("lineage", sa.String(32), nullable=False),
        sa.Column("prefix", sa.String(16), nullable=False),
        sa.Column("key_hash", sa.String(64), nullable=False),
        sa.Column("label", sa.String(200), nullable=False),
        sa.Column("permissions", sa.String(64), nullable=False),
        sa.Column("usage_count", sa.BigInteger(), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True)),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True)),
        sa.Column("grace_ends_at", sa.DateTime(timezone=True)),
        sa.Column("revoked_at", sa.DateTime(timezone=True)),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_api_keys_account_id_accounts"
        ),
        sa.ForeignKeyConstraint(
            ["successor_id"], ["api_keys.id"], name="fk_api_keys_successor_id_api_keys"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_api_keys"),
        sa.UniqueConstraint("key_hash", name="uq_api_keys_key_hash"),
    ]


def downgrade():
    """Drop the columns: accounts are no longer suspended, and events lose their actors."""
    op.drop_index("ix_audit_events_account_id", "audit_events")
    for table, columns in ADDED.items():
        for name, _kind in columns:
            op.drop_column(table, name)
