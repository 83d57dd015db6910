"""The database that appends are measured on: its monitors are what the service would have made."""

import numpy as np
import pytest

from app.timeseries.calendar.timestamps import parse_timestamps
from app.watching.monitors.queries.monitor_queries import read_points
from benchmarks.monitors.fill import POINTS_OF, WRITERS, body, fill
from tests.support.keys import record_of
from tests.support.watching import append


@pytest.fixture
def filled_database(database_url, monkeypatch):
    monkeypatch.setitem(POINTS_OF, "full", 400)
    return fill(database_url, 3, 2)


def test_a_copy_continues_where_the_points_that_it_was_filled_with_end(
    app, filled_database
) -> None:
    target = filled_database.full[2]
    account = record_of(app, target.key).account_id
    sent = body(target.position, 1)
    with app.app_context():
        appended = append(
            account, target.name, parse_timestamps(sent["timestamps"]), np.array(sent["values"])
        )
        stored = read_points(account, target.name, None, 1_000, False).items
    assert [str(point.status) for point in appended.points] == ["judged"]
    assert [point.timestamp for point in stored] == body(0, 401)["timestamps"]
    assert stored[-1] == appended.points[0]


def test_the_monitors_that_are_measured_have_their_points(filled_database) -> None:
    assert (len(filled_database.full), len(filled_database.writers)) == (3, WRITERS)
    assert filled_database.state_bytes > 2_000
    assert filled_database.bytes_of_monitor > 2_000
    assert filled_database.bytes_of_point > 40
