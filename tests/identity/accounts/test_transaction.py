"""Who looks at accounts keeps nobody from calling the service."""

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select

from app.identity.accounts.models import ApiKey
from app.identity.accounts.transaction import (
    DatabaseBusyError,
    DatabaseRestartedError,
    read_session,
    transaction,
)
from tests.support.faults import busy_error, interrupted
from tests.support.keys import post

USES = select(func.sum(ApiKey.usage_count))


def test_a_key_is_accepted_and_counted_while_somebody_reads(
    app: Flask, client: FlaskClient, key: str
) -> None:
    with app.app_context(), read_session() as session:
        assert session.scalar(USES) == 0
        assert post(client, key).status_code == 400
    with app.app_context(), read_session() as session:
        assert session.scalar(USES) == 1


def test_a_restart_during_a_change_is_distinguished_from_other_failures(app: Flask) -> None:
    with app.app_context(), pytest.raises(DatabaseRestartedError), transaction():
        raise interrupted()


def test_a_busy_database_is_distinguished_from_one_that_fails(app: Flask) -> None:
    with app.app_context(), pytest.raises(DatabaseBusyError), transaction():
        raise busy_error()
