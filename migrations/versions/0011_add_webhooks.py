"""Add webhooks as a resource of their own, and messages that name one

Revision: 0011, after: 0010
It only adds tables: code of 0010 keeps working, with the columns of webhooks in ``monitors`` and
the messages in ``webhook_deliveries``, which a later revision drops. The webhook of each monitor
becomes one named after the monitor.
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade():
    """Create the tables, with the webhooks of the monitors."""
    op.create_table(
        "webhooks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("url", sa.String(2000), nullable=False),
        sa.Column("format", sa.String(10), nullable=False),
        sa.Column("secret", sa.String(100)),
        sa.Column("former_secret", sa.String(100)),
        sa.Column("former_secret_ends_at", sa.DateTime(timezone=True)),
        sa.Column("is_managed", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_webhooks"),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_webhooks_account_id_accounts"
        ),
        sa.UniqueConstraint("account_id", "name", name="uq_webhooks_account_id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "monitor_webhooks",
        sa.Column("monitor_id", sa.Integer(), nullable=False),
        sa.Column("webhook_id", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("monitor_id", name="pk_monitor_webhooks"),
        sa.ForeignKeyConstraint(
            ["monitor_id"],
            ["monitors.id"],
            name="fk_monitor_webhooks_monitor_id_monitors",
            ondelete="CASCADE",
        ),
        _of_webhook("monitor_webhooks"),
    )
    op.create_index("ix_monitor_webhooks_webhook_id", "monitor_webhooks", ["webhook_id"])
    op.create_table(
        "deliveries",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("webhook_id", sa.Integer(), nullable=False),
        sa.Column("subject", sa.String(100), nullable=False),
        sa.Column("message_id", sa.String(40), nullable=False),
        sa.Column("type", sa.String(20), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_attempt_at", sa.DateTime(timezone=True)),
        sa.Column("leased_until", sa.DateTime(timezone=True)),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("attempted_at", sa.DateTime(timezone=True)),
        sa.Column("last_status", sa.Integer()),
        sa.Column("last_problem", sa.String(200)),
        sa.Column("delivered_at", sa.DateTime(timezone=True)),
        sa.Column("failed_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("id", name="pk_deliveries"),
        _of_webhook("deliveries"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_deliveries_attempted_at", "deliveries", ["webhook_id", "attempted_at"])
    op.create_index("ix_deliveries_subject", "deliveries", ["subject", "id"])
    is_pending = sa.text("next_attempt_at IS NOT NULL")
    op.create_index(
        "ix_deliveries_pending",
        "deliveries",
        ["webhook_id", "next_attempt_at", "id"],
        sqlite_where=is_pending,
        postgresql_where=is_pending,
    )
    _copy_webhooks()


def _of_webhook(table):
    """Return the foreign key that deletes a table's rows with their webhook."""
    return sa.ForeignKeyConstraint(
        ["webhook_id"],
        ["webhooks.id"],
        name=f"fk_{table}_webhook_id_webhooks",
        ondelete="CASCADE",
    )


def _copy_webhooks():
    """Copy the webhooks of the monitors."""
    op.execute(
        "INSERT INTO webhooks (account_id, name, url, format, secret, former_secret,"
        " former_secret_ends_at, is_managed, created_at) SELECT account_id, name, webhook_url,"
        " 'standard', webhook_secret, former_webhook_secret, former_secret_ends_at, TRUE,"
        " created_at FROM monitors WHERE webhook_url IS NOT NULL AND webhook_secret IS NOT NULL"
    )
    op.execute(
        "INSERT INTO monitor_webhooks (monitor_id, webhook_id) SELECT monitors.id, webhooks.id"
        " FROM monitors JOIN webhooks ON webhooks.account_id = monitors.account_id"
        " AND webhooks.name = monitors.name"
    )


def downgrade():
    """Drop the tables; monitors keep what of their webhooks code of 0010 knows."""
    for table in ("deliveries", "monitor_webhooks", "webhooks"):
        op.drop_table(table)
