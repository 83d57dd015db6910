"""A monitor created from a pasted table, and the questions of the form about it."""

import datetime as dt

import pytest
from flask import Flask

from app.timeseries.calendar.frequency import Frequency
from app.watching.monitors.queries import monitor_queries
from tests.support.members import Browser, text_of

NEW = "/account/new-monitor"
FORM = {"name": "sales", "data_frequency": "Minutes", "step": "1"}
FIRST = dt.date(2026, 1, 1)
DAYS = [f"{FIRST + dt.timedelta(day)},{100 + day % 7}" for day in range(60)]


@pytest.fixture(autouse=True)
def context(app: Flask):
    with app.app_context():
        yield


def make(admin: Browser, table: str, **answers: str):
    return admin.post(NEW, FORM | {"table": table} | answers)


def test_a_monitor_learns_from_a_table_and_takes_its_interval(admin: Browser) -> None:
    done = make(admin, "\n".join(["date,sales", *DAYS]))
    assert done.location == "/account/monitors/sales?done=monitor-created-with-history"
    assert "are its history and are not judged" in text_of(admin.get(done.location))
    monitor = monitor_queries.get_monitor(1, "sales")
    assert (monitor.settings.data_frequency, monitor.settings.step) == (Frequency.DAILY, 1)
    assert monitor.points == 60
    assert monitor.last_point.timestamp.startswith("2026-03-01")


def test_several_series_open_a_question_and_the_pasted_table_stays(admin: Browser) -> None:
    table = "\n".join(["date,north,south", *(f"{day},7" for day in DAYS)])
    page = make(admin, table)
    assert page.status_code == 400
    assert "Which series is watched?" in text_of(page)
    assert DAYS[-1] in page.text
    done = make(admin, table, answer_series="2 south")
    assert done.status_code == 303
    assert monitor_queries.get_monitor(1, "sales").last_point.value == 7


def test_an_answer_about_the_table_before_is_asked_again_or_not_needed(admin: Browser) -> None:
    several = "\n".join(["date,north,south", *(f"{day},7" for day in DAYS)])
    page = make(admin, several, answer_series="1 gone")
    assert (page.status_code, "Which series is watched?" in text_of(page)) == (400, True)
    single = "\n".join(["date,sales", *DAYS])
    assert make(admin, single, answer_series="2 south").status_code == 303


def test_only_the_first_fifty_of_many_series_are_offered(admin: Browser) -> None:
    header = ",".join(["date", *(f"s{n}" for n in range(1, 61))])
    page = make(admin, "\n".join([header, *(f"{day}{',7' * 59}" for day in DAYS)]))
    assert "(the first 50 of 60)" in text_of(page)
    assert ('value="50 s50"' in page.text, 'value="51 s51"' in page.text) == (True, False)


def test_missing_days_open_a_question(admin: Browser) -> None:
    table = "\n".join(["date,sales", *DAYS[:20], *DAYS[23:]])
    page = make(admin, table)
    assert page.status_code == 400
    assert 'name="answer_fill"' in page.text
    assert make(admin, table, answer_fill="linear").status_code == 303
    assert monitor_queries.get_monitor(1, "sales").points == 60


@pytest.mark.parametrize(
    ("table", "answers"),
    [
        ("no table at all", {}),
        ("\n".join(["date,sales", *DAYS[:5]]), {}),
        ("\n".join(["date,sales", *DAYS]), {"answer_fill": "sideways"}),
        ("\n".join(["date,sales", *DAYS]), {"answer_unknown": "x"}),
    ],
)
def test_errors_of_a_table_are_shown_beside_it(admin: Browser, table, answers) -> None:
    page = make(admin, table, **answers)
    assert page.status_code == 400
    assert 'id="table-error"' in page.text
    assert monitor_queries.list_states(1) == {}
