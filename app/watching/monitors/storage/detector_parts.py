"""A packed detector in parts, so that an append writes only those that it changes.

A row of ``monitor_detectors`` is a part. Most of a detector stays the same from one point to the
next; parts are compared byte by byte.
"""

from collections.abc import Sequence

# The size of a part in PostgreSQL, which writes a changed row whole.
# A page of 8 KiB has room for ten rows of this size, and the table's fillfactor leaves room for
# four: the new version of a row is stored next to the old one, and a later one replaces a dead
# version. This needs neither VACUUM nor a new entry in the index. The table only grows while a
# transaction elsewhere sees the old versions; larger rows would leave less room.
PART_BYTES = 720


def split_detector(packed: bytes, database: str) -> list[bytes]:
    """Return the parts of a packed detector; joined they are the same bytes.

    SQLite writes only the pages that differ, however long a row is: there is one part.
    """
    size = PART_BYTES if database == "postgresql" else max(1, len(packed))
    return [packed[start : start + size] for start in range(0, len(packed), size)]


def changed_parts(before: Sequence[bytes], after: Sequence[bytes]) -> list[int]:
    """Return the numbers of the parts in ``after`` that are new or differ from ``before``."""
    count = len(before)
    return [
        number for number, part in enumerate(after) if number >= count or part != before[number]
    ]
