"""Add since when the evaluations of a limit fail

Revision: 0018, after: 0017
It only adds a column: code of 0017 keeps working.
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

TABLE, COLUMN = "monitor_limits", "failing_since"


def upgrade():
    """Add the column; null: the newest evaluation succeeded."""
    op.add_column(TABLE, sa.Column(COLUMN, sa.DateTime(timezone=True)))


def downgrade():
    """Drop the column."""
    op.drop_column(TABLE, COLUMN)
