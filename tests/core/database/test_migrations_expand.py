"""Migrations leave the release before at work: they add first, and drop a release later."""

import contextlib
import re

import pytest
from alembic.script import ScriptDirectory
from flask_migrate import upgrade

from app import create_app
from tests.support.revisions import revisions
from tests.support.server import ROOT

CONTRACTS = re.compile(
    r"\bDROP (TABLE|COLUMN|CONSTRAINT|INDEX)|\bRENAME\b|\bSET NOT NULL|\bALTER COLUMN \S+ TYPE"
    r"|\bADD COLUMN (?!.* DEFAULT ).*NOT NULL|\bADD CONSTRAINT",
    re.IGNORECASE,
)


def statements_of(revision, path):
    """Return what the upgrade to a revision says to PostgreSQL, as text, without a database."""
    script = ScriptDirectory(str(ROOT / "migrations")).get_revision(revision)
    app = create_app(database_url="postgresql+psycopg://x@127.0.0.1:1/x")
    before = script.down_revision or "base"
    with app.app_context(), path.open("w") as output, contextlib.redirect_stdout(output):
        upgrade(revision=f"{before}:{revision}", sql=True)
    return script.longdoc, path.read_text()


@pytest.mark.parametrize("revision", revisions())
def test_a_migration_that_removes_says_which_release_stopped_using_it(revision, tmp_path):
    doc, statements = statements_of(revision, tmp_path / "statements.sql")
    assert re.search("CREATE (TABLE|INDEX)|ALTER TABLE", statements)
    breaks = CONTRACTS.search(statements)
    assert breaks is None or "Contract:" in doc, f"{breaks[0]}: see docs/developing/migrations.md"


@pytest.mark.parametrize(
    ("statement", "breaks"),
    [
        ("ALTER TABLE accounts DROP COLUMN tier", True),
        ("ALTER TABLE accounts RENAME tier TO plan", True),
        ("ALTER TABLE accounts ALTER COLUMN tier SET NOT NULL", True),
        ("ALTER TABLE accounts ALTER COLUMN tier TYPE TEXT", True),
        ("ALTER TABLE accounts ADD COLUMN colour VARCHAR(20) NOT NULL", True),
        ("ALTER TABLE accounts ADD COLUMN colour VARCHAR(20) DEFAULT 'x' NOT NULL", False),
        ("ALTER TABLE accounts ADD COLUMN colour VARCHAR(20)", False),
        ("CREATE TABLE colours (id INTEGER NOT NULL)", False),
    ],
)
def test_statements_that_break_the_release_before_are_recognized(statement, breaks) -> None:
    assert (CONTRACTS.search(statement) is not None) == breaks
