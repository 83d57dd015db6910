"""Pages about the worker's tasks say when no worker runs, and since when."""

import datetime as dt

import pytest
from flask import Flask
from sqlalchemy import update

from app.core.database import db, utcnow
from app.delivery.heartbeat import record_heartbeat
from app.delivery.models import WorkerHeartbeat
from tests.support.members import Browser, text_of

PAGES = ("", "/monitors", "/sources", "/webhooks")


@pytest.mark.parametrize("path", PAGES)
def test_a_page_says_that_no_worker_runs_until_one_does(
    app: Flask, viewer: Browser, path: str
) -> None:
    assert "No worker runs yet" in text_of(viewer.get(f"/account{path}"))
    with app.app_context():
        record_heartbeat(db.engine)
    assert "No worker" not in text_of(viewer.get(f"/account{path}"))


def test_a_page_says_since_when_no_worker_has_run(app: Flask, viewer: Browser) -> None:
    stopped = utcnow() - dt.timedelta(hours=3)
    with app.app_context():
        record_heartbeat(db.engine)
        with db.engine.begin() as connection:
            connection.execute(update(WorkerHeartbeat).values(beaten_at=stopped))
    assert f"No worker has run since {stopped.day} {stopped:%b %Y, %H:%M} UTC" in text_of(
        viewer.get("/account/monitors")
    )
