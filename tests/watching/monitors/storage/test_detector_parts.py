"""A packed detector in parts: joined they are equal, and only changed parts are returned."""

import pytest

from app.watching.monitors.storage.detector_parts import PART_BYTES, changed_parts, split_detector


@pytest.mark.parametrize("length", [0, 1, PART_BYTES, PART_BYTES + 1, 3 * PART_BYTES])
@pytest.mark.parametrize("database", ["postgresql", "sqlite"])
def test_the_parts_joined_are_the_detector(length, database) -> None:
    packed = bytes(index % 251 for index in range(length))
    assert b"".join(split_detector(packed, database)) == packed


def test_postgresql_has_parts_and_sqlite_one() -> None:
    packed = bytes(3 * PART_BYTES + 7)
    assert [len(part) for part in split_detector(packed, "postgresql")] == [*[PART_BYTES] * 3, 7]
    assert split_detector(packed, "sqlite") == [packed]


@pytest.mark.parametrize(
    ("before", "after", "numbers"),
    [
        ([], [], []),
        ([], [b"a", b"b"], [0, 1]),
        ([b"a", b"b"], [b"a", b"b"], []),
        ([b"a", b"b", b"c"], [b"a", b"x", b"c"], [1]),
        ([b"a", b"b"], [b"a", b"bc", b"d"], [1, 2]),
        ([b"a", b"b", b"c"], [b"x"], [0]),
    ],
)
def test_parts_that_are_new_or_differ_are_written_and_no_others(before, after, numbers) -> None:
    assert changed_parts(before, after) == numbers
