"""Fixtures of the whole suite: databases, an application, a client, keys, real servers."""

import asyncio
import gc
import inspect
import os

for _library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, settings
from sqlalchemy import Engine
from sqlalchemy.orm import Session
from xdist.remote import Producer
from xdist.workermanage import WorkerController

from app import create_app
from app.api.service import Service
from app.core.database import db
from app.core.database import engine as database_engine
from app.core.settings import SETTINGS
from app.forecasting import attempt
from app.identity.accounts.accounts import get_account
from app.identity.accounts.keys import create_key
from app.identity.accounts.permissions import parse_permissions
from app.identity.members import passwords
from tests.delivery.deliveries import engine_of
from tests.support import preloaded_programs
from tests.support.api import Api
from tests.support.applications import SharedRule, SharedTemplates, create_engine
from tests.support.databases import POSTGRESQL, PostgresqlDatabases, SqliteDatabases
from tests.support.keys import ACTOR
from tests.support.programs import add_to_file, count_missing, in_ci, summary
from tests.support.scheduling import Scheduling, import_in_turn, sort_key_of
from tests.support.services import postgresql, redis_server

MakeKey = Callable[..., str]

# A mistake in our own code fails tests, instead of making a forecast slightly worse.
attempt.FATAL_ERRORS += (AssertionError, AttributeError, ImportError, NameError, TypeError)

# How long examples take to make says more about the machine than about the code. CI uses fixed
# examples, so that a change fails only for what it changes; new ones are tried by developers, and
# as many as is Hypothesis' default by `make soak`.
settings.register_profile(
    "any machine",
    deadline=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=in_ci(),
)
settings.register_profile(
    "thorough", settings.get_profile("any machine"), max_examples=100, derandomize=False
)
settings.load_profile("any machine")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Collect without garbage collection, which would take half of the time."""
    config = session.config
    gc.disable()
    try:
        if hasattr(config, "workerinput"):
            process = int(config.workerinput["workerid"].removeprefix("gw"))
            import_in_turn(config.args, process, config.workerinput["workercount"])
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with what takes longest, where tests run side by side."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: sort_key_of(item.nodeid))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    """Run what shares a server or a browser in one process."""
    return Scheduling(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_configure_node(node: WorkerController) -> None:
    """Load the libraries of servers once, where tests run side by side."""
    node.workerinput["loaded"] = preloaded_programs.share()


def pytest_configure(config: pytest.Config) -> None:
    """Fork the programs of this process from the one that has loaded their libraries."""
    if hasattr(config, "workerinput"):
        preloaded_programs.socket_path = config.workerinput["loaded"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests were skipped for each missing program, in all runs of `make test`."""
    skipped = terminalreporter.stats.get("skipped", [])
    counts = count_missing(str(report.longrepr) for report in skipped)
    if file := os.environ.get("SKIPPED_TESTS"):
        counts = add_to_file(counts, Path(file))
    for line in summary(counts):
        terminalreporter.write_line(line, yellow=True)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine in a loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


@pytest.fixture(scope="module", autouse=True)
def frozen_heap() -> None:
    """Keep garbage collection from pausing clients that measure time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def clean_environment() -> None:
    """No setting of the shell that runs the tests reaches the application."""
    for setting in SETTINGS.values():
        os.environ.pop(setting.name, None)
    os.environ["FLASK_SKIP_DOTENV"] = "1"
    os.environ["FORECAST_SERVICE_SETTINGS"] = ""  # nor a settings file of this machine
    os.environ["FLASK_APP"] = "wsgi:app"  # what .flaskenv says, which is skipped with .env


@pytest.fixture(scope="session", autouse=True)
def cheap_passwords() -> None:
    """Hashing a password takes next to nothing."""
    passwords.hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.fixture(scope="session", autouse=True)
def shared_compilations() -> None:
    """Paths, templates and statements are compiled once, not by every application."""
    database_engine.create_engine = create_engine
    Service.url_rule_class = SharedRule
    Service.jinja_options = {"bytecode_cache": SharedTemplates()}


@pytest.fixture(scope="session")
def sqlite_databases(tmp_path_factory: pytest.TempPathFactory) -> SqliteDatabases:
    return SqliteDatabases(tmp_path_factory.mktemp("sqlite"))


@pytest.fixture(scope="session")
def postgresql_databases() -> Iterator[PostgresqlDatabases]:
    with postgresql() as server:
        yield PostgresqlDatabases(server)


@pytest.fixture(params=["sqlite", POSTGRESQL])
def databases(request: pytest.FixtureRequest) -> SqliteDatabases | PostgresqlDatabases:
    """Both kinds of database, one after the other."""
    return request.getfixturevalue(f"{request.param}_databases")


@pytest.fixture
def each_database(databases: SqliteDatabases | PostgresqlDatabases) -> Iterator[str]:
    """The URL of a database as the migrations leave it, of both kinds one after the other."""
    with databases.lend() as url:
        yield url


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with redis_server(tmp_path_factory.mktemp("redis") / "data") as url:
        yield url


@pytest.fixture
def database_url(request: pytest.FixtureRequest, sqlite_databases: SqliteDatabases) -> str:
    """A migrated database; of both kinds, one after the other, for tests that use the fixture."""
    is_of_each = "each_database" in request.fixturenames
    return request.getfixturevalue("each_database") if is_of_each else sqlite_databases.migrated()


@pytest.fixture
def settings() -> dict[str, object]:
    """Settings that a test module wants different."""
    return {}


@pytest.fixture
def has_dashboard() -> bool:
    """Whether the application has the dashboard; its routes are a third of what a start takes."""
    return False


@pytest.fixture
def app(database_url: str, has_dashboard: bool, settings: dict[str, object]) -> Iterator[Flask]:
    app = create_app(database_url=database_url, **{"account_dashboard": has_dashboard} | settings)
    app.testing = False  # an unexpected error must become the envelope here too
    yield app
    with app.app_context():
        db.engine.dispose()


@pytest.fixture
def engine(app: Flask) -> Engine:
    """The application's way to its database."""
    return engine_of(app)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def make_key(app: Flask) -> MakeKey:
    """Create keys: ``make_key("read", "write", account_name="acme")``."""

    def make(*permissions: str, account_name: str = "default", **options: Any) -> str:
        with app.app_context(), Session(db.engine) as session, session.begin():
            granted = parse_permissions(permissions or ("read",))
            return create_key(
                session, ACTOR, get_account(session, account_name).id, granted, **options
            ).key

    return make


@pytest.fixture
def key(make_key: MakeKey) -> str:
    """A key that may read and write, of the account without a tier."""
    return make_key("read", "write")


@pytest.fixture
def server_folder(tmp_path: Path) -> Path:
    """Where a real server keeps its log."""
    return tmp_path


@pytest.fixture
def isolated_api(app: Flask, key: str) -> Api:
    """A caller of an application of this test only, with a key of the ordinary limits."""
    return Api(app, key)
