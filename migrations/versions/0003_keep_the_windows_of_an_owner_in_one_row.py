"""Keep the windows of an owner in one row

Revision: 0003, after: 0002
It adds a table and fills it from `rate_limit_counters`, which is only read, so no server waits.
That table is kept for servers of the previous release, which use it until they are restarted; a
later revision drops it.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

SLOTS = {1: 60, 2: 3_600, 3: 86_400}

COUNTERS = sa.table(
    "rate_limit_counters",
    sa.column("owner"),
    sa.column("seconds"),
    sa.column("used"),
    sa.column("resets_at"),
)


def upgrade():
    """Create the table of windows and copy the counts into it."""
    slots = [
        sa.Column(f"{name}_{slot}", kind, nullable=False)
        for slot in SLOTS
        for name, kind in (("used", sa.BigInteger()), ("ends", sa.Double()))
    ]
    windows = op.create_table(
        "rate_limit_windows",
        sa.Column("owner", sa.String(100), nullable=False),
        *slots,
        sa.Column("last_end", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("owner", name="pk_rate_limit_windows"),
    )
    op.create_index("ix_rate_limit_windows_last_end", "rate_limit_windows", ["last_end"])
    window_columns = [
        sa.func.coalesce(sa.func.max(sa.case((COUNTERS.c.seconds == seconds, column))), 0)
        for seconds in SLOTS.values()
        for column in (COUNTERS.c.used, COUNTERS.c.resets_at)
    ]
    rows = sa.select(COUNTERS.c.owner, *window_columns, sa.func.max(COUNTERS.c.resets_at))
    op.execute(windows.insert().from_select(windows.c.keys(), rows.group_by(COUNTERS.c.owner)))


def downgrade():
    """Copy the counts back and drop the table of windows."""
    op.execute(sa.delete(COUNTERS))
    for slot, seconds in SLOTS.items():
        windows = sa.table(
            "rate_limit_windows",
            sa.column("owner"),
            sa.column(f"used_{slot}"),
            end := sa.column(f"ends_{slot}"),
        )
        rows = sa.select(
            windows.c.owner, sa.literal(seconds), windows.c[f"used_{slot}"], end
        ).where(end > 0)
        op.execute(COUNTERS.insert().from_select(COUNTERS.c.keys(), rows))
    op.drop_table("rate_limit_windows")
