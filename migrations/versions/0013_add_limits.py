"""Add limits of monitors and queries, which are announced ahead of time

Revision: 0013, after: 0012
It only adds a table and columns without a default: code of 0012 keeps working.
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

TABLE = "monitor_limits"
TABLES_WITH_LIMIT = ("monitors", "source_queries")


def upgrade():
    """Add the columns and the table, empty."""
    for table in TABLES_WITH_LIMIT:
        op.add_column(table, sa.Column("limit", sa.Text()))
    op.create_table(
        TABLE,
        sa.Column("monitor_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("place", sa.BigInteger()),
        sa.Column("low_evaluations", sa.SmallInteger(), nullable=False),
        sa.Column("probability", sa.Double()),
        sa.Column("direction", sa.String(4)),
        sa.Column("reached_place", sa.BigInteger()),
        sa.PrimaryKeyConstraint("monitor_id", name=f"pk_{TABLE}"),
        sa.ForeignKeyConstraint(
            ["monitor_id"],
            ["monitors.id"],
            name=f"fk_{TABLE}_monitor_id_monitors",
            ondelete="CASCADE",
        ),
    )
    op.create_index(f"ix_{TABLE}_due_at", TABLE, ["due_at"])


def downgrade():
    """Drop the table and the columns."""
    op.drop_table(TABLE)
    for table in TABLES_WITH_LIMIT:
        op.drop_column(table, "limit")
