"""Add sources: servers with Prometheus' API whose queries feed monitors

Revision: 0012, after: 0011
It only adds tables and columns: code of 0011 keeps working.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade():
    """Create the tables, empty."""
    op.add_column("monitors", sa.Column("fed_by", sa.String(100)))
    op.add_column(
        "monitor_states",
        sa.Column("is_absent", sa.Boolean(), server_default=sa.false(), nullable=False),
    )
    op.create_table(
        "sources",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("url", sa.String(2000), nullable=False),
        sa.Column("authorization_type", sa.String(10)),
        sa.Column("credentials", sa.Text()),
        sa.Column("tenant", sa.String(150)),
        sa.Column("alertmanagers", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sources"),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_sources_account_id_accounts"
        ),
        sa.UniqueConstraint("account_id", "name", name="uq_sources_account_id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "source_queries",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("history", sa.Integer(), nullable=False),
        sa.Column("delay", sa.Integer(), nullable=False),
        sa.Column("max_series", sa.Integer(), nullable=False),
        sa.Column("false_alarm_rate", sa.Double(), nullable=False),
        sa.Column("direction", sa.String(4), nullable=False),
        sa.Column("alert_severity", sa.Double(), nullable=False),
        sa.Column("alert_min_deviation", sa.Double(), nullable=False),
        sa.Column("muted_until", sa.DateTime(timezone=True)),
        sa.Column("webhook_id", sa.Integer()),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("next_poll_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("leased_until", sa.DateTime(timezone=True)),
        sa.Column("lease", sa.Integer(), nullable=False),
        sa.Column("fill_to", sa.BigInteger()),
        sa.Column("read_to", sa.BigInteger()),
        sa.Column("polled_at", sa.DateTime(timezone=True)),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("failing_since", sa.DateTime(timezone=True)),
        sa.Column("problem", sa.String(300)),
        sa.Column("series", sa.Integer(), nullable=False),
        sa.Column("fill_notices", sa.Text(), nullable=False),
        sa.Column("notices", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_source_queries"),
        sa.ForeignKeyConstraint(
            ["source_id"],
            ["sources.id"],
            name="fk_source_queries_source_id_sources",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_source_queries_account_id_accounts"
        ),
        sa.ForeignKeyConstraint(
            ["webhook_id"],
            ["webhooks.id"],
            name="fk_source_queries_webhook_id_webhooks",
            ondelete="SET NULL",
        ),
        sa.UniqueConstraint("account_id", "name", name="uq_source_queries_account_id"),
        sqlite_autoincrement=True,
    )
    for column in ("source_id", "webhook_id", "next_poll_at"):
        op.create_index(f"ix_source_queries_{column}", "source_queries", [column])
    op.create_table(
        "source_series",
        sa.Column("monitor_id", sa.Integer(), nullable=False),
        sa.Column("query_id", sa.Integer(), nullable=False),
        sa.Column("labels", sa.Text(), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("seen_to", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("monitor_id", name="pk_source_series"),
        sa.ForeignKeyConstraint(
            ["monitor_id"],
            ["monitors.id"],
            name="fk_source_series_monitor_id_monitors",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["query_id"],
            ["source_queries.id"],
            name="fk_source_series_query_id_source_queries",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_source_series_query_id", "source_series", ["query_id"])


def downgrade():
    """Drop the tables; what the queries fed stays as monitors that clients may feed."""
    for table in ("source_series", "source_queries", "sources"):
        op.drop_table(table)
    op.drop_column("monitor_states", "is_absent")
    op.drop_column("monitors", "fed_by")
