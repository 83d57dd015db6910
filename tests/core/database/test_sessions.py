"""Who looks at accounts keeps nobody from calling the service."""

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select, update
from sqlalchemy.exc import InternalError

from app.core.database.engine import read_session
from app.identity.accounts.models import ApiKey
from tests.support.databases import ON_POSTGRESQL
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


@ON_POSTGRESQL
@pytest.mark.usefixtures("each_database")
def test_a_connection_for_reading_cannot_write(app: Flask) -> None:
    with (
        app.app_context(),
        read_session() as session,
        pytest.raises(InternalError, match="read-only transaction"),
    ):
        session.execute(update(ApiKey).values(usage_count=7))
