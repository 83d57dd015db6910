"""Add which Alertmanagers of a source fail

Revision: 0016, after: 0015
It only adds a column with a default: code of 0015 keeps working.
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

TABLE, COLUMN = "sources", "alertmanager_problems"


def upgrade():
    """Add the column."""
    op.add_column(TABLE, sa.Column(COLUMN, sa.Text(), nullable=False, server_default="{}"))


def downgrade():
    """Drop the column."""
    op.drop_column(TABLE, COLUMN)
