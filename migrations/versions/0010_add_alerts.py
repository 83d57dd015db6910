"""Add the settings of alerts, which events are alerts, and why monitors learn

Revision: 0010, after: 0009
It only adds columns with defaults, and an index: code of 0009 keeps working. All events of that
code were sent, so all are alerts.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

INDEX = "ix_monitor_events_withheld"


def added():
    """Return the new columns by table."""
    return {
        "monitors": [
            sa.Column("alert_severity", sa.Double(), nullable=False, server_default="50"),
            sa.Column("alert_min_deviation", sa.Double(), nullable=False, server_default="0"),
            sa.Column("muted_until", sa.DateTime(timezone=True)),
        ],
        "monitor_states": [
            sa.Column("learning_reason", sa.String(7), nullable=False, server_default="new"),
        ],
        "monitor_events": [
            sa.Column("deviation", sa.Double()),
            sa.Column("is_alert", sa.Boolean(), nullable=False, server_default=sa.true()),
            sa.Column("is_withheld", sa.Boolean(), nullable=False, server_default=sa.false()),
        ],
    }


def upgrade():
    """Add the columns and the index."""
    for table, columns in added().items():
        for column in columns:
            op.add_column(table, column)
    condition = sa.column("is_withheld", sa.Boolean())
    op.create_index(
        INDEX,
        "monitor_events",
        ["monitor_id"],
        sqlite_where=condition,
        postgresql_where=condition,
    )


def downgrade():
    """Drop the index and the columns."""
    op.drop_index(INDEX, "monitor_events")
    for table, columns in added().items():
        for column in columns:
            op.drop_column(table, column.name)
