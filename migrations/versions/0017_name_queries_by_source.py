"""Add the names that queries have in their paths, unique per source

Revision: 0017, after: 0016
It only adds a column: code of 0016 keeps working, and knows a query by its name in the account.
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

TABLE, COLUMN = "source_queries", "path_name"


def upgrade():
    """Add the column; null is the name in the account."""
    op.add_column(TABLE, sa.Column(COLUMN, sa.String(40)))


def downgrade():
    """Drop the column."""
    op.drop_column(TABLE, COLUMN)
