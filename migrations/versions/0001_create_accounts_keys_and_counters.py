"""Create accounts, keys and counters, and the account `default`

Revision: 0001, after: nothing
"""

import datetime as dt

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade():
    """Create everything; the account `default` has no tier."""
    accounts = op.create_table(
        "accounts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("tier", sa.String(20)),
        sa.Column("per_minute", sa.Integer()),
        sa.Column("per_hour", sa.Integer()),
        sa.Column("per_day", sa.Integer()),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_accounts"),
        sa.UniqueConstraint("name", name="uq_accounts_name"),
    )
    op.create_table(
        "api_keys",
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
    )
    op.create_index("ix_api_keys_account_id", "api_keys", ["account_id"])
    op.create_table(
        "rate_limit_counters",
        sa.Column("owner", sa.String(100), nullable=False),
        sa.Column("seconds", sa.Integer(), nullable=False),
        sa.Column("used", sa.BigInteger(), nullable=False),
        sa.Column("resets_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "seconds", name="pk_rate_limit_counters"),
    )
    op.create_index("ix_rate_limit_counters_resets_at", "rate_limit_counters", ["resets_at"])
    op.bulk_insert(accounts, [{"name": "default", "created_at": dt.datetime.now(dt.UTC)}])


def downgrade():
    """Drop everything, keys included."""
    op.drop_table("rate_limit_counters")
    op.drop_table("api_keys")
    op.drop_table("accounts")
