"""Who looks at accounts keeps nobody from calling the service."""

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select

from app.core.database.engine import read_session
from app.identity.accounts.models import ApiKey
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
