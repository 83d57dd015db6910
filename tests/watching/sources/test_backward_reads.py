"""Parts of a history, the newest first."""

from collections.abc import Callable

import pytest

from app.core.http.errors import ResponseTooLargeError
from app.watching.sources import backward_reads
from app.watching.sources.backward_reads import HistorySteps, read_backwards, series_count_problem

STEPS = HistorySteps(step_count=23, end=6_000, step=60)


@pytest.fixture(autouse=True)
def small_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backward_reads, "MAX_SAMPLES", 20)


def test_the_parts_cover_each_step_once_from_the_newest_back() -> None:
    parts = list(read_backwards(lambda first, last: (first, last), STEPS, series=2))
    assert [part.positions for part in parts] == [slice(13, 23), slice(3, 13), slice(0, 3)]
    assert [part.response for part in parts] == [(5_460, 6_000), (4_860, 5_400), (4_680, 4_800)]
    assert [part.first for part in parts] == [5_460, 4_860, 4_680]
    assert [part.is_newest for part in parts] == [True, False, False]


@pytest.mark.parametrize(("series", "width"), [(0, 20), (1, 20), (1_000, 5)])
def test_a_request_never_has_fewer_steps_than_show_that_a_series_has_ended(
    series: int, width: int
) -> None:
    newest = next(read_backwards(lambda *_: None, STEPS, series))
    assert newest.positions == slice(23 - width, 23)


def reject_beyond(steps: int, requested: list[int]) -> Callable[[int, int], None]:
    def read(first: int, last: int) -> None:
        requested.append((last - first) // STEPS.step + 1)
        if requested[-1] > steps:
            raise ResponseTooLargeError("too large")

    return read


def test_a_response_that_is_too_large_is_halved_from_then_on() -> None:
    requested: list[int] = []
    parts = list(read_backwards(reject_beyond(5, requested), STEPS, series=1, may_halve=True))
    assert requested == [20, 10, 5, 5, 5, 5, 3]
    assert sum(part.positions.stop - part.positions.start for part in parts) == STEPS.step_count


@pytest.mark.parametrize(("may_halve", "requested"), [(False, [20]), (True, [20, 10, 5])])
def test_a_response_too_large_for_the_smallest_request_is_an_error(
    requested: list[int], *, may_halve: bool
) -> None:
    seen: list[int] = []
    with pytest.raises(ResponseTooLargeError):
        list(read_backwards(reject_beyond(0, seen), STEPS, series=1, may_halve=may_halve))
    assert seen == requested


def test_too_many_series_are_counted_and_the_limit_is_named() -> None:
    assert series_count_problem(12_345, 1_000, "of its max_series") == (
        "the query returns 12,345 series, more than the 1,000 of its max_series"
    )
