"""What is stored of an append, on each kind of database."""

import pytest

from app.monitors.reading import get_monitor
from tests.monitors.feeding import ACCOUNT, NAME, make, points, send, waves

KEPT = 60


@pytest.fixture
def settings():
    return {"monitor_points_kept": KEPT}


@pytest.fixture
def database_url(each_database):
    return each_database


def test_points_that_come_one_by_one_leave_the_newest():
    make()
    send(range(58), waves(58))
    for place in range(58, 64):
        send([place], [waves(64)[place]])
        kept = [point.cursor for point in points()]
        assert kept == list(range(max(0, place + 1 - KEPT), place + 1))
        assert get_monitor(ACCOUNT, NAME).points == len(kept)
