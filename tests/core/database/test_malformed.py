"""Malformed rows are skipped, counted and logged once; other failures are not taken for them."""

import json
import logging
import re
import time

import pytest
from sqlalchemy.exc import DataError, OperationalError

from app.core.database import malformed
from app.core.database.malformed import (
    MAX_SKIPPED,
    log_malformed,
    skipped_rows,
    translate_row_errors,
)


@pytest.fixture
def rows(app):
    with app.app_context():
        yield skipped_rows("notes")


def skip(rows, number) -> None:
    with rows.skip_if_malformed(number):
        raise KeyError("ak_secret")


def test_a_row_is_left_out_and_logged_once_without_its_text(rows, caplog) -> None:
    for _ in range(3):
        skip(rows, 7)
    skip(rows, 8)
    assert rows.ids() == [7, 8]
    assert rows.count == 2
    records = [record.fields for record in caplog.records]
    assert [(record["table"], record["row"], record["count"]) for record in records] == [
        ("notes", 7, 1),
        ("notes", 8, 2),
    ]
    assert re.fullmatch(r"KeyError in .* > test_malformed\.py:\d+ skip", records[0]["problem"])
    assert {record.levelno for record in caplog.records} == {logging.ERROR}


def test_a_bug_is_logged_with_its_trace_and_skips_the_row(rows, caplog) -> None:
    for _ in range(3):
        with rows.skip_if_failing(7):
            raise KeyError("a bug")
    assert rows.ids() == [7]
    (record,) = caplog.records
    assert record.msg == "a row is skipped: unexpected error"
    assert record.exc_info[0] is KeyError
    assert record.fields == {"table": "notes", "row": 7}


def run_statement() -> None:
    """Fail as SQLAlchemy does, whose errors quote the driver's and have it as their cause."""
    try:
        raise ValueError("DETAIL: Failing row contains (ak_secret)")
    except ValueError as error:
        raise DataError("UPDATE notes", {}, error) from error


def test_an_unexpected_error_of_the_database_is_logged_without_its_text(rows, caplog) -> None:
    with rows.skip_if_failing(7):
        run_statement()
    (record,) = caplog.records
    assert (record.msg, record.exc_info) == ("a row is skipped: unexpected error", None)
    problem = record.fields["problem"]
    assert re.fullmatch(r"DataError in .* > test_malformed\.py:\d+ run_statement", problem)
    assert "ak_secret" not in str(vars(record))


def test_of_an_error_of_the_database_the_calls_of_the_service_are_logged(caplog) -> None:
    def read() -> None:
        run_statement()

    try:
        read()
    except DataError as error:
        log_malformed("notes", 7, error)
    problem = caplog.records[0].fields["problem"]
    assert re.fullmatch(
        r"DataError in .*test_malformed\.py:\d+ read > test_malformed\.py:\d+ run_statement",
        problem,
    )


def test_an_error_of_reading_within_a_longer_use_is_of_the_row(rows, caplog) -> None:
    @translate_row_errors()
    def read() -> None:
        raise KeyError("ak_secret")

    with rows.skip_if_failing(7):
        read()
    (record,) = caplog.records
    assert record.exc_info is None
    assert re.fullmatch(r"KeyError in .* > test_malformed\.py:\d+ read", record.fields["problem"])


def test_the_log_shows_the_way_to_an_error_in_a_library(rows, caplog) -> None:
    with rows.skip_if_malformed(7):
        json.loads("[")
    problem = caplog.records[0].fields["problem"]
    assert problem.startswith("JSONDecodeError in ")
    assert " > test_malformed.py:" in problem
    assert problem.endswith("raw_decode")


def test_a_row_is_read_again_later_as_somebody_may_have_mended_it(rows, monkeypatch) -> None:
    skip(rows, 7)
    later = time.monotonic() + malformed.SKIP_SECONDS + 1
    monkeypatch.setattr(malformed.time, "monotonic", lambda: later)
    assert rows.ids() == []


def test_any_number_of_malformed_rows_takes_bounded_memory(rows, caplog) -> None:
    caplog.set_level(logging.CRITICAL)
    for number in range(MAX_SKIPPED + 10):
        skip(rows, number)
    assert len(rows.ids()) == MAX_SKIPPED
    assert MAX_SKIPPED + 9 in rows.ids()


@pytest.mark.parametrize("error", [OperationalError("", {}, Exception()), RuntimeError()])
def test_a_failure_of_the_database_or_a_bug_is_not_the_row_s(rows, error) -> None:
    with pytest.raises(type(error)), rows.skip_if_malformed(7):
        raise error
    assert rows.ids() == []
