"""Connections that wait are ended when their time is over, the first first."""

import pytest

from app.server.waiting import Waiting


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, as its only item."""
    now = [100.0]
    monkeypatch.setattr("app.server.waiting.time.monotonic", lambda: now[0])
    return now


def test_each_waits_from_its_own_arrival_and_no_longer_for_arriving_again(clock) -> None:
    waiting = Waiting(10)
    waiting.add("a")
    clock[0] += 6
    waiting.add("b")
    waiting.add("a")
    assert waiting.take_overdue() == []
    clock[0] += 4
    assert waiting.take_overdue() == ["a"]
    clock[0] += 6
    assert waiting.take_overdue() == ["b"]
    assert waiting.take_overdue() == []


def test_who_has_gone_is_not_overdue(clock) -> None:
    waiting = Waiting(10)
    waiting.add("a")
    waiting.discard("a")
    waiting.discard("never there")
    clock[0] += 11
    assert waiting.take_overdue() == []


def test_when_the_worker_stops_nobody_waits_longer_than_it_allows(clock) -> None:
    waiting = Waiting(10)
    waiting.add("nearly over")
    clock[0] += 9
    waiting.add("just come")
    waiting.hurry(2)
    waiting.add("too late")
    clock[0] += 1
    assert waiting.take_overdue() == ["nearly over"]
    clock[0] += 1
    assert waiting.take_overdue() == ["just come", "too late"]
