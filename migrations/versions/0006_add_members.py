"""Add members of accounts, their invitations, sessions and sign-ins under way

Revision: 0006, after: 0005
It only adds tables: code of 0005 keeps working.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade():
    """Create the tables, empty: nobody can sign in yet."""
    op.create_table(
        "members",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("email", sa.String(254), nullable=False),
        sa.Column("role", sa.String(10), nullable=False),
        sa.Column("password_hash", sa.String(200)),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_sign_in_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("id", name="pk_members"),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name="fk_members_account_id_accounts",
            ondelete="CASCADE",
        ),
        sa.UniqueConstraint("account_id", "email", name="uq_members_account_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_members_email", "members", ["email"])
    op.create_table(
        "invitations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("member_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("id", name="pk_invitations"),
        _of_member("invitations"),
        sa.UniqueConstraint("token_hash", name="uq_invitations_token_hash"),
    )
    op.create_index("ix_invitations_member_id", "invitations", ["member_id"])
    op.create_table(
        "sessions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("member_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("address", sa.String(45)),
        sa.Column("user_agent", sa.String(200), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
        _of_member("sessions"),
        sa.UniqueConstraint("token_hash", name="uq_sessions_token_hash"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_sessions_member_id", "sessions", ["member_id"])
    op.create_table(
        "sign_in_flows",
        sa.Column("state_hash", sa.String(64), nullable=False),
        sa.Column("nonce", sa.String(64), nullable=False),
        sa.Column("code_verifier", sa.String(128), nullable=False),
        sa.Column("account", sa.String(100)),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("state_hash", name="pk_sign_in_flows"),
    )
    op.create_index("ix_sign_in_flows_expires_at", "sign_in_flows", ["expires_at"])


def _of_member(table):
    """Return the foreign key that deletes a table's rows with their member."""
    return sa.ForeignKeyConstraint(
        ["member_id"], ["members.id"], name=f"fk_{table}_member_id_members", ondelete="CASCADE"
    )


def downgrade():
    """Drop members with their invitations, sessions and sign-ins."""
    for table in ("sign_in_flows", "sessions", "invitations", "members"):
        op.drop_table(table)
