"""Points of a table that a person appends to a monitor, and what the form says about them."""

import datetime as dt

import pytest
from flask import Flask

from app.watching.monitors.queries import monitor_queries
from tests.support.members import Browser, text_of

FIRST = dt.date(2026, 1, 1)
HEADER = "date,sales"
DAYS = [f"{FIRST + dt.timedelta(day)},{100 + day % 7}" for day in range(70)]


@pytest.fixture(autouse=True)
def context(app: Flask):
    with app.app_context():
        yield


@pytest.fixture
def sales(admin: Browser) -> str:
    """Return the path of a monitor that has learned from the first sixty days."""
    table = "\n".join([HEADER, *DAYS[:60]])
    done = admin.post("/account/new-monitor", {"name": "sales", "table": table})
    assert done.status_code == 303
    return "/account/monitors/sales/points"


def append(admin: Browser, path: str, *rows: str, **answers: str):
    return admin.post(path, {"table": "\n".join([HEADER, *rows])} | answers)


def last_day() -> str:
    return monitor_queries.get_monitor(1, "sales").last_point.timestamp[:10]


def test_the_newest_day_of_a_table_is_appended_and_judged(admin: Browser, sales: str) -> None:
    done = append(admin, sales, DAYS[60])
    assert done.location == "/account/monitors/sales?done=points-appended"
    assert last_day() == "2026-03-02"
    assert "Points appended" in text_of(admin.get(done.location))


def test_a_table_that_grows_is_appended_whole_again_and_a_gap_stays_one(
    admin: Browser, sales: str
) -> None:
    assert append(admin, sales, *DAYS[:62], *DAYS[63:]).location.endswith("points-appended")
    assert (last_day(), monitor_queries.get_monitor(1, "sales").points) == ("2026-03-11", 69)


@pytest.mark.parametrize(
    ("row", "done"), [(DAYS[59], "points-known"), ("2026-03-01,7", "points-differ")]
)
def test_points_that_the_monitor_has_stay_as_they_are(
    admin: Browser, sales: str, row: str, done: str
) -> None:
    before = monitor_queries.get_monitor(1, "sales")
    assert append(admin, sales, row).location.endswith(f"done={done}")
    after = monitor_queries.get_monitor(1, "sales")
    assert (after.points, after.last_point) == (before.points, before.last_point)


@pytest.mark.parametrize("rows", [["no table at all"], [], ["2026-03-02T07:30:00,105"]])
def test_errors_of_a_pasted_table_are_beside_it_and_nothing_is_stored(
    admin: Browser, sales: str, rows: list[str]
) -> None:
    page = append(admin, sales, *rows)
    assert page.status_code == 400
    assert 'id="table-error"' in page.text
    assert all(row in page.text for row in rows)
    assert monitor_queries.get_monitor(1, "sales").points == 60


def test_several_pasted_series_open_a_question(admin: Browser, sales: str) -> None:
    table = "\n".join(["date,north,south", *(f"{day},7" for day in DAYS[58:62])])
    page = admin.post(sales, {"table": table})
    assert "Which series is watched?" in text_of(page)
    done = admin.post(sales, {"table": table, "answer_series": "1 north"})
    assert done.status_code == 303
    assert last_day() == "2026-03-03"
