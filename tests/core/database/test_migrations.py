"""Migrations on SQLite and PostgreSQL: up, down, with data, and true to the models."""

import datetime as dt

import pytest
from alembic.script import ScriptDirectory
from flask_migrate import check, downgrade, stamp, upgrade
from sqlalchemy import Column, MetaData, String, inspect, select, text

from app.core.api_keys import generate_key, hash_key
from app.core.database import Base, db
from app.core.database.revisions import known_revisions
from app.identity.accounts.models import Account, ApiKey
from tests.support import revisions as revision_data
from tests.support.cli import run, run_json
from tests.support.databases import ON_POSTGRESQL
from tests.support.keys import make_account, post, record_of, remaining_requests, verify
from tests.support.revisions import PACKED, UNUSED, columns_of, fill, revisions, rows_of
from tests.support.server import ROOT

OLDEST_SERVED = "0005"  # its columns are a part of every request
TABLES = set().union(*revision_data.TABLES.values())


@pytest.fixture
def database_url(databases):
    """A database that no migration has touched."""
    return databases.empty()


@pytest.fixture
def context(app):
    """An application on the empty database, as the commands see it."""
    with app.app_context():
        yield app


def tables():
    return set(inspect(db.engine).get_table_names()) - {"alembic_version"}


def structure():
    """Return everything about the schema that a database can show."""
    inspector = inspect(db.engine)
    columns = inspector.get_multi_columns()
    keys = inspector.get_multi_pk_constraint()
    named = (
        inspector.get_multi_foreign_keys(),
        inspector.get_multi_unique_constraints(),
        inspector.get_multi_indexes(),
    )
    return {
        table: (
            [
                (column["name"], str(column["type"]), column["nullable"])
                for column in columns[table]
            ],
            keys[table],
            *(sorted(item["name"] for item in items[table]) for items in named),
        )
        for table in columns
    }


def content():
    """Return what the tables of accounts and keys hold."""
    with db.engine.connect() as connection:
        return [
            connection.execute(select(model.__table__).order_by(model.id)).all()
            for model in (Account, ApiKey)
        ]


def test_migrations_are_configured_in_every_locale() -> None:
    # Alembic reads the file in the encoding of the locale: ASCII with LC_ALL=C.
    (ROOT / "migrations/alembic.ini").read_text(encoding="ascii")


def test_revisions_have_one_head_and_one_base() -> None:
    scripts = ScriptDirectory(str(ROOT / "migrations"))
    assert len(scripts.get_heads()) == 1
    assert len(scripts.get_bases()) == 1


def test_the_names_of_the_files_are_the_revisions_that_alembic_knows() -> None:
    scripts = ScriptDirectory(str(ROOT / "migrations"))
    known = known_revisions()
    assert [*known] == sorted(script.revision for script in scripts.walk_revisions())
    assert known[-1] == scripts.get_current_head()


def test_the_first_migration_creates_everything_and_the_default_account(context) -> None:
    upgrade(revision=revisions()[0])
    assert tables() == revision_data.TABLES[revisions()[0]]
    with db.engine.connect() as connection:
        (account,) = connection.execute(text("SELECT name, tier FROM accounts")).all()
    assert tuple(account) == ("default", None)


def test_an_upgrade_says_which_revision_the_database_has(app) -> None:
    for _ in range(2):
        assert run(app, "db", "upgrade") == f"The database is at revision {revisions()[-1]}.\n"


def test_the_default_account_has_a_time_of_creation_that_can_be_read(context) -> None:
    upgrade()
    with db.engine.connect() as connection:
        created_at = connection.scalar(select(Account.created_at))
    assert abs(dt.datetime.now(dt.UTC) - created_at) < dt.timedelta(minutes=5)


def test_the_schema_is_that_of_the_models(context) -> None:
    upgrade()
    assert tables() == TABLES == set(Base.metadata.tables) | UNUSED
    check()


def test_a_model_without_its_migration_fails_db_check(context, monkeypatch, caplog) -> None:
    upgrade()
    drifted = MetaData(naming_convention=Base.metadata.naming_convention)
    for table in Base.metadata.tables.values():
        table.to_metadata(drifted)
    drifted.tables["accounts"].append_column(Column("colour", String(20)))
    monkeypatch.setattr(Base, "metadata", drifted)
    result = context.test_cli_runner().invoke(args=["db", "check"])
    assert result.exit_code != 0
    assert "colour" in caplog.text


def test_db_check_is_clean_as_a_command(context) -> None:
    upgrade()
    result = context.test_cli_runner().invoke(args=["db", "check"])
    assert result.exit_code == 0, result.output


def test_all_the_way_down_works_with_keys_accounts_and_counters(context, client, make_key) -> None:
    upgrade()
    make_account(context, "acme", "free")
    post(client, make_key(account_name="acme"))
    downgrade(revision="base")
    assert tables() == set()
    upgrade()
    assert tables() == TABLES
    assert verify(client, make_key()).status_code == 200


def test_an_upgrade_of_a_database_in_use_keeps_keys_usage_and_counts(context, client, make_key):
    upgrade()
    key = make_key("read", label="batch")
    post(client, key)
    before = content()
    upgrade()
    assert content() == before
    assert remaining_requests(client, key) == 49
    assert record_of(context, key).usage_count == 2


def test_every_revision_keeps_its_rows_and_goes_down_and_up(context) -> None:
    # One database for all: to begin each revision at an empty one takes three times as long.
    for revision in revisions():
        upgrade(revision=revision)
        fill_anew(revision)
        schema = structure()
        downgrade(revision="-1")
        upgrade(revision="+1")
        assert structure() == schema, revision
        before = fill_anew(revision)
        assert all(before.values()), "every table of a revision needs rows here"
        assert_an_upgrade_and_the_way_back_keep(before, revision, context)
    check()
    downgrade(revision="base")
    assert tables() == set()


def assert_an_upgrade_and_the_way_back_keep(before, revision, context) -> None:
    """What a revision has stays as it is, and its keys can be managed by this release."""
    columns = columns_of(before)
    upgrade()
    assert read_rows(revision, columns) == before, revision
    assert_keys_and_accounts_can_be_managed(context)
    managed = read_rows(revision, columns)
    downgrade(revision=revision)
    assert read_rows(revision, columns) == managed, revision


def fill_anew(revision):
    """Replace the rows of another revision by the rows of this one, and return them."""
    remove_rows()
    with db.engine.begin() as connection:
        fill(connection, revision)
        return rows_of(connection, revision)


def remove_rows() -> None:
    """Leave only the default account in the database."""
    in_order = [name for name, _ in inspect(db.engine).get_sorted_table_and_fkc_names() if name]
    with db.engine.begin() as connection:
        for table in reversed([name for name in in_order if name != "alembic_version"]):
            kept = " WHERE id <> 1" if table == "accounts" else ""
            connection.execute(text(f"DELETE FROM {table}{kept}"))


def read_rows(revision, columns):
    with db.engine.connect() as connection:
        return rows_of(connection, revision, columns)


def assert_keys_and_accounts_can_be_managed(context) -> None:
    if db.engine.dialect.name == "postgresql":  # which was not asked for the ids of these rows
        with db.engine.begin() as connection:
            for table in ("api_keys", "audit_events"):
                connection.execute(text(f"SELECT setval('{table}_id_seq', 100)"))
    (old,) = (row for row in run_json(context, "keys", "list") if row["id"] == 70)
    assert (old["state"], old["usage_count"], old["shared_usage_count"]) == (
        "expired",
        *[5_000_000_000] * 2,
    )
    run(context, "keys", "rotate", "71")
    run(context, "accounts", "set-tier", "acme", "standard")
    assert [event["action"] for event in run_json(context, "keys", "audit")][-3:] == [
        "key rotated",
        "key created",
        "tier changed",
    ]


def test_the_code_serves_before_and_after_later_tables_are_added_under_it(context, client) -> None:
    upgrade(revision=OLDEST_SERVED)
    key = generate_key()
    with db.engine.begin() as connection:
        fill(connection, OLDEST_SERVED)
        connection.execute(
            text("UPDATE api_keys SET key_hash = :hash WHERE id = 71"), {"hash": hash_key(key)}
        )
    assert verify(client, key).status_code == 200
    upgrade()
    assert verify(client, key).status_code == 200
    downgrade(revision=OLDEST_SERVED)
    assert verify(client, key).status_code == 200
    assert record_of(context, key).usage_count == 3


@ON_POSTGRESQL
def test_the_audit_is_added_without_waiting_for_a_transaction_on_the_other_tables(context) -> None:
    upgrade(revision="0001")
    with db.engine.begin() as connection:  # a migration that waits fails, instead of for ever
        name = db.engine.url.database
        connection.execute(text(f"ALTER DATABASE {name} SET lock_timeout = '2s'"))
    with db.engine.connect() as busy:
        busy.execute(text("UPDATE accounts SET tier = 'free'"))
        busy.execute(text("LOCK TABLE api_keys"))
        upgrade(revision="0002")
        busy.rollback()


def test_windows_in_one_row_are_added_without_waiting_for_servers_that_count(context, databases):
    upgrade(revision="0002")
    with db.engine.begin() as connection:
        fill(connection, "0002")
    with db.engine.connect() as server:
        if db.engine.dialect.name == "postgresql":  # SQLite has one writer at a time
            server.execute(text("UPDATE rate_limit_counters SET used = used + 1"))
        upgrade(revision="0003")
        server.rollback()


def test_counts_go_along_into_one_row_and_back(context, client, make_key) -> None:
    upgrade()
    key = make_key("read")
    for _ in range(3):
        post(client, key)
    downgrade(revision="0002")
    with db.engine.connect() as connection:
        counts = connection.execute(
            text("SELECT seconds, used FROM rate_limit_counters WHERE owner LIKE 'key:%'")
        ).all()
    assert sorted(map(tuple, counts)) == [(60, 3), (3_600, 3), (86_400, 3)]
    upgrade()
    assert remaining_requests(client, key) == 47


def test_detectors_in_parts_go_back_into_their_states(context) -> None:
    upgrade()
    with db.engine.begin() as connection:
        fill(connection, "0008")
        connection.execute(
            text("UPDATE monitor_states SET state = :state WHERE monitor_id = 71"),
            {"state": b"stored by 0007 since"},
        )
    downgrade(revision="0007")
    with db.engine.connect() as connection:
        states = connection.execute(text("SELECT state FROM monitor_states ORDER BY monitor_id"))
        assert [bytes(row.state) for row in states] == [2 * PACKED, b"stored by 0007 since"]


def test_events_and_monitors_from_before_alerts_are_alerts_of_the_usual_severity(context) -> None:
    upgrade(revision="0008")
    with db.engine.begin() as connection:
        fill(connection, "0008")
    upgrade()
    with db.engine.connect() as connection:
        events = connection.execute(text("SELECT is_alert, is_withheld FROM monitor_events"))
        assert [tuple(map(bool, row)) for row in events] == [(True, False)]
        settings = connection.execute(
            text("SELECT alert_severity, alert_min_deviation, muted_until FROM monitors")
        )
        assert set(map(tuple, settings)) == {(50.0, 0.0, None)}


def test_a_migration_that_fails_leaves_nothing_half_done(context) -> None:
    with db.engine.begin() as connection:
        connection.execute(text("CREATE TABLE rate_limit_counters (of_somebody_else INTEGER)"))
    with pytest.raises(SystemExit):
        upgrade()
    assert tables() == {"rate_limit_counters"}


def test_foreign_tables_in_the_database_stay(context) -> None:
    with db.engine.begin() as connection:
        connection.execute(text("CREATE TABLE of_somebody_else (id INTEGER)"))
    upgrade()
    check()
    downgrade(revision="base")
    assert tables() == {"of_somebody_else"}


def test_the_look_up_of_a_key_uses_an_index(context) -> None:
    upgrade()
    unique = inspect(db.engine).get_unique_constraints("api_keys")
    assert ["key_hash"] in [constraint["column_names"] for constraint in unique]


def test_a_stamp_on_its_own_is_not_taken_for_a_schema(context) -> None:
    stamp()
    assert tables() == set()
    with pytest.raises(SystemExit):
        check()
