"""Add how long and how far an event deviates before it is an alert, and labels of alerts

Revision: 0014, after: 0013
It only adds columns with defaults: code of 0013 keeps working.
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

ALERT_TABLES = ("monitors", "source_queries")
LABEL_TABLES = ("sources", "source_queries")


def upgrade():
    """Add the columns."""
    for table in ALERT_TABLES:
        op.add_column(
            table, sa.Column("alert_for", sa.Integer(), nullable=False, server_default="1")
        )
        op.add_column(
            table, sa.Column("alert_min_relative", sa.Double(), nullable=False, server_default="0")
        )
    for table in LABEL_TABLES:
        op.add_column(table, sa.Column("labels", sa.Text(), nullable=False, server_default="{}"))
    op.add_column("monitor_events", sa.Column("expected", sa.Double()))


def downgrade():
    """Drop the columns."""
    op.drop_column("monitor_events", "expected")
    for table in LABEL_TABLES:
        op.drop_column(table, "labels")
    for table in ALERT_TABLES:
        for name in ("alert_min_relative", "alert_for"):
            op.drop_column(table, name)
