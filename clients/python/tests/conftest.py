"""Fixtures of the client's tests: one live service for all of them."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from app.core.settings import SETTINGS
from app.identity.accounts.permissions import Permission
from forecast_client import ForecastClient
from forecast_client.settings import KEY_VARIABLE, URL_VARIABLE
from scripted import CLIENTS, Scripted, Step
from tests.support.databases import SqliteDatabases
from tests.support.keys import new_key
from tests.support.server import Server, run_server


@dataclass(frozen=True)
class Service:
    """A live service, and a key that may do everything."""

    server: Server
    key: str

    @property
    def url(self) -> str:
        """The address of the service."""
        return self.server.url

    def new_key(self, per_minute: int = 1_000_000, *permissions: Permission) -> str:
        """Create a key of a new account."""
        database = self.server.environ["DATABASE_URL"]
        return new_key(database, per_minute, permissions or [*Permission])


@pytest.fixture(scope="session", autouse=True)
def clean_environment() -> None:
    """Hide the settings of the shell that runs the tests from the service and the clients."""
    for name in (URL_VARIABLE, KEY_VARIABLE, *(setting.name for setting in SETTINGS.values())):
        os.environ.pop(name, None)
    os.environ["FLASK_SKIP_DOTENV"] = "1"


@pytest.fixture(scope="session")
def service(clean_environment: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("service")
    databases = SqliteDatabases(folder)
    with run_server(folder, databases.migrated(), WEB_CONCURRENCY="1") as live:
        yield Service(live, new_key(live.environ["DATABASE_URL"], permissions=[*Permission]))


@pytest.fixture
def client(service: Service) -> Iterator[ForecastClient]:
    with ForecastClient(service.url, service.key) as connected:
        yield connected


@pytest.fixture(params=CLIENTS)
def scripted(request: pytest.FixtureRequest) -> Callable[..., Scripted]:
    """Return a function that makes a client on a service that plays steps; once for each kind."""

    def make(*steps: Step, **options: Any) -> Scripted:
        return Scripted(request.param, steps, options)

    return make
