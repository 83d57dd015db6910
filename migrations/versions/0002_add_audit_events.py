"""Add the audit trail of accounts and keys

Revision: 0002, after: 0001
It only adds a table without foreign keys: nothing is locked, and code of 0001 keeps working.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade():
    """Create the table of events, empty."""
    op.create_table(
        "audit_events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("os_user", sa.String(100), nullable=False),
        sa.Column("sudo_user", sa.String(100)),
        sa.Column("host", sa.String(100), nullable=False),
        sa.Column("action", sa.String(20), nullable=False),
        sa.Column("account", sa.String(100), nullable=False),
        sa.Column("key_id", sa.Integer()),
        sa.Column("prefix", sa.String(16)),
        sa.Column("detail", sa.String(500), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit_events"),
    )


def downgrade():
    """Drop the events; accounts and keys do not change."""
    op.drop_table("audit_events")
