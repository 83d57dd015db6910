"""Add monitors, their points and events, and the deliveries of webhooks

Revision: 0004, after: 0003
It only adds tables: code of 0003 keeps working.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade():
    """Create the tables, empty."""
    op.create_table(
        "monitors",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("data_frequency", sa.String(10), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("false_alarm_rate", sa.Double(), nullable=False),
        sa.Column("direction", sa.String(4), nullable=False),
        sa.Column("webhook_url", sa.String(2000)),
        sa.Column("webhook_secret", sa.String(100)),
        sa.Column("former_webhook_secret", sa.String(100)),
        sa.Column("former_secret_ends_at", sa.DateTime(timezone=True)),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_monitors"),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_monitors_account_id_accounts"
        ),
        sa.UniqueConstraint("account_id", "name", name="uq_monitors_account_id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "monitor_states",
        sa.Column("monitor_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("suffix", sa.String(6)),
        sa.Column("axis", sa.String(13)),
        sa.Column("anchor", sa.BigInteger()),
        sa.Column("day", sa.SmallInteger()),
        sa.Column("least_day", sa.SmallInteger()),
        sa.Column("second_of_day", sa.Integer()),
        sa.Column("newest_place", sa.BigInteger()),
        sa.Column("newest_at", sa.DateTime(timezone=True)),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("events", sa.Integer(), nullable=False),
        sa.Column("is_learning", sa.Boolean(), nullable=False),
        sa.Column("open_event_id", sa.BigInteger()),
        sa.Column("overdue_event_id", sa.BigInteger()),
        sa.Column("overdue_at", sa.DateTime(timezone=True)),
        sa.Column("state", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("monitor_id", name="pk_monitor_states"),
        _of_monitor("monitor_states"),
    )
    if op.get_context().dialect.name == "postgresql":
        # Floating-point numbers hardly compress, and trying takes longer than writing them.
        op.execute("ALTER TABLE monitor_states ALTER COLUMN state SET STORAGE EXTERNAL")
    needs_event = sa.text("overdue_event_id IS NULL AND overdue_at > newest_at")
    op.create_index(
        "ix_monitor_states_overdue_at",
        "monitor_states",
        ["overdue_at"],
        sqlite_where=needs_event,
        postgresql_where=needs_event,
    )
    op.create_table(
        "monitor_points",
        sa.Column("monitor_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.BigInteger(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("status", sa.String(8), nullable=False),
        sa.Column("is_anomaly", sa.Boolean(), nullable=False),
        sa.Column("expected", sa.Double()),
        sa.Column("lower_bound", sa.Double()),
        sa.Column("upper_bound", sa.Double()),
        sa.Column("p_value", sa.Double()),
        sa.Column("severity", sa.Double()),
        sa.PrimaryKeyConstraint("monitor_id", "place", name="pk_monitor_points"),
        _of_monitor("monitor_points"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "monitor_events",
        sa.Column("monitor_id", sa.Integer(), nullable=False),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("direction", sa.String(4)),
        sa.Column("start_place", sa.BigInteger(), nullable=False),
        sa.Column("end_place", sa.BigInteger()),
        sa.Column("peak_place", sa.BigInteger(), nullable=False),
        sa.Column("severity", sa.Double(), nullable=False),
        sa.Column("closed_as", sa.String(10)),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("monitor_id", "id", name="pk_monitor_events"),
        _of_monitor("monitor_events"),
    )
    op.create_index(
        "ix_monitor_events_monitor_id_revision",
        "monitor_events",
        ["monitor_id", "revision"],
        unique=True,
    )
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("monitor_id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sa.String(40), nullable=False),
        sa.Column("type", sa.String(20), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_attempt_at", sa.DateTime(timezone=True)),
        sa.Column("leased_until", sa.DateTime(timezone=True)),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("last_problem", sa.String(200)),
        sa.Column("delivered_at", sa.DateTime(timezone=True)),
        sa.Column("failed_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_deliveries"),
        _of_monitor("webhook_deliveries"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_webhook_deliveries_monitor_id", "webhook_deliveries", ["monitor_id"])
    op.create_index(
        "ix_webhook_deliveries_next_attempt_at", "webhook_deliveries", ["next_attempt_at"]
    )


def _of_monitor(table):
    """Return the foreign key that deletes a table's rows with their monitor."""
    return sa.ForeignKeyConstraint(
        ["monitor_id"],
        ["monitors.id"],
        name=f"fk_{table}_monitor_id_monitors",
        ondelete="CASCADE",
    )


def downgrade():
    """Drop monitors with all their data, and pending deliveries."""
    for table in (
        "webhook_deliveries",
        "monitor_events",
        "monitor_points",
        "monitor_states",
        "monitors",
    ):
        op.drop_table(table)
