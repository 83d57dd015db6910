"""Packages of later releases, made from the built one: a newer release, and two that are broken."""

import re
import subprocess
from pathlib import Path

MIGRATION = '''"""Add a column to the accounts, as a later release may."""
import sqlalchemy as sa
from alembic import op

revision, down_revision = "9999", "{head}"

def upgrade():
    with op.batch_alter_table("accounts") as table:
        table.add_column(sa.Column("of_the_machine_test", sa.Integer(), server_default="7"))
'''


# What the release that is never ready changes: the module of /readyz, and how long a package waits.
READINESS, CHECKED = "app/api/health/routes.py", "    failures = _run_checks(checks)\n"
PATIENCE = "ready_seconds=60"


def make_variants(package: Path, folder: Path) -> dict[str, Path]:
    """Make the packages ``newer``, ``ends`` (at its start) and ``unready`` (503 of /readyz)."""
    tree = folder / "tree"
    subprocess.run(["dpkg-deb", "--raw-extract", str(package), str(tree)], check=True)
    control = (tree / "DEBIAN/control").read_text()
    (site,) = tree.glob("opt/forecast-service/packaged/.venv/lib/python3*/site-packages")

    def build(name: str, number: int) -> Path:
        version = re.sub(r"^(Version: [^~]+)", rf"\1+{number}.{name}", control, flags=re.MULTILINE)
        (tree / "DEBIAN/control").write_text(version)
        path = folder / f"{name}.deb"
        # Not compressed: it is read once.
        words = ["dpkg-deb", "--root-owner-group", "-Znone", "--build", str(tree), str(path)]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        return path

    head = max(path.name[:4] for path in (site / "migrations/versions").glob("[0-9]*.py"))
    migration = site / "migrations/versions/9999_of_the_machine_test.py"
    migration.write_text(MIGRATION.format(head=head))
    made = {"newer": build("newer", 1)}

    config = site / "app/ops/server/config.py"
    sound = config.read_text()
    config.write_text(f'{sound}\nraise SystemExit("this release is broken")\n')
    made["ends"] = build("ends", 2)
    config.write_text(sound)

    _replace(site / READINESS, CHECKED, f'{CHECKED}    failures[DATABASE] = "broken"\n')
    _replace(tree / "DEBIAN/postinst", PATIENCE, "ready_seconds=3")
    made["unready"] = build("unready", 3)
    return made


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1, f"{path} has {old!r} {text.count(old)} times"
    path.write_text(text.replace(old, new))
