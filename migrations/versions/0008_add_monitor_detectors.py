"""Add the parts of monitors' detectors

Revision: 0008, after: 0007
It only adds a table: code of 0007 keeps working. A detector stays in `monitor_states.state` until
the first append by newer code, which leaves that column empty. Code of 0007 then learns the newest
points again, as it does with every state that it cannot read.
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

STATES = sa.table("monitor_states", sa.column("monitor_id"), sa.column("state", sa.LargeBinary()))
PARTS = sa.table(
    "monitor_detectors",
    sa.column("monitor_id"),
    sa.column("part"),
    sa.column("packed", sa.LargeBinary()),
)
# Each append makes a row of `monitor_states` obsolete. The table is small, so a VACUUM is cheap.
AUTOVACUUM = {"autovacuum_vacuum_scale_factor": 0, "autovacuum_vacuum_threshold": 1_000}


def upgrade():
    """Create the table, empty."""
    op.create_table(
        "monitor_detectors",
        sa.Column("monitor_id", sa.Integer(), nullable=False),
        sa.Column("part", sa.SmallInteger(), nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("monitor_id", "part", name="pk_monitor_detectors"),
        sa.ForeignKeyConstraint(
            ["monitor_id"],
            ["monitors.id"],
            name="fk_monitor_detectors_monitor_id_monitors",
            ondelete="CASCADE",
        ),
        # Room for a new version of each row in its page: see
        # `app/watching/monitors/storage/detector_parts.py`.
        postgresql_with={"fillfactor": 60},
    )
    if op.get_context().dialect.name == "postgresql":
        # Floating-point numbers hardly compress, and trying takes longer than writing them.
        op.execute("ALTER TABLE monitor_detectors ALTER COLUMN packed SET STORAGE PLAIN")
        given = {
            prefix + name: value for prefix in ("", "toast.") for name, value in AUTOVACUUM.items()
        }
        parameters = ", ".join(f"{name} = {value}" for name, value in given.items())
        op.execute(f"ALTER TABLE monitor_states SET ({parameters})")


def downgrade():
    """Join the parts, one monitor at a time, and drop the table."""
    connection = op.get_bind()
    monitors = connection.scalars(sa.select(PARTS.c.monitor_id).distinct()).all()
    for monitor_id in monitors:
        of_monitor = PARTS.c.monitor_id == monitor_id
        parts = connection.scalars(
            sa.select(PARTS.c.packed).where(of_monitor).order_by(PARTS.c.part)
        )
        # A state that code of 0007 has stored since is newer.
        is_older = sa.func.length(sa.func.coalesce(STATES.c.state, b"")) == 0
        connection.execute(
            sa.update(STATES)
            .where(STATES.c.monitor_id == monitor_id, is_older)
            .values(state=b"".join(parts))
        )
    op.drop_table("monitor_detectors")
    if op.get_context().dialect.name == "postgresql":
        given = ", ".join(prefix + name for prefix in ("", "toast.") for name in AUTOVACUUM)
        op.execute(f"ALTER TABLE monitor_states RESET ({given})")
