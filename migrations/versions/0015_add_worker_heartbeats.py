"""Add the heartbeat of workers

Revision: 0015, after: 0014
It only adds a table: code of 0014 keeps working.
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

TABLE = "worker_heartbeats"


def upgrade():
    """Add the table, empty."""
    op.create_table(
        TABLE,
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("beaten_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=f"pk_{TABLE}"),
    )


def downgrade():
    """Drop the table."""
    op.drop_table(TABLE)
