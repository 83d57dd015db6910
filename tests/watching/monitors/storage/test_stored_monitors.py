"""The stored result of an append, on each kind of database."""

import pytest
from sqlalchemy import delete, func, insert, select, text, update

from app.core.database import db
from app.watching.monitors.judging.event_ledger import EventLedger
from app.watching.monitors.queries.monitor_queries import get_monitor
from app.watching.monitors.storage.detector_parts import PART_BYTES
from app.watching.monitors.storage.row_conversion import (
    EVENT_COLUMNS,
    EVENTS,
    MONITORS,
    PARTS,
    STATES,
    event_of,
)
from app.watching.monitors.storage.stored_monitors import NewestState, read_stored
from tests.support.databases import ON_POSTGRESQL
from tests.support.statements import Asked, record
from tests.support.watching import write
from tests.watching.monitors.feeding import ACCOUNT, NAME, NOW, history, make, points, send, waves

KEPT_POINTS = 60
LEARNED = 400
pytestmark = pytest.mark.usefixtures("each_database")


@pytest.fixture
def settings():
    return {"monitor_points_kept": KEPT_POINTS}


def stored_detector():
    return read_stored(ACCOUNT, NAME).detector


def write_detector(stored, packed):
    """Write another detector as an append does; return whether it was stored."""
    learning = (stored.is_learning, stored.learning_reason)
    newest = NewestState(stored.newest_index, NOW, *learning, None, packed)
    ledger = EventLedger(stored.revision, NOW, stored.settings)
    return write(stored, stored.grid, [], newest, ledger)


def state_columns():
    with db.engine.connect() as connection:
        return connection.scalars(select(STATES.c.state)).all()


def store_as_release_1_1(packed, parts=()) -> None:
    """Store a detector as that release does, beside the parts of newer code."""
    with db.engine.begin() as connection:
        monitor_id = connection.scalar(select(MONITORS.c.id).where(MONITORS.c.name == NAME))
        connection.execute(delete(PARTS).where(PARTS.c.monitor_id == monitor_id))
        for part in parts:
            connection.execute(insert(PARTS).values(part._asdict()))
        change = update(STATES).where(STATES.c.monitor_id == monitor_id)
        connection.execute(change.values(state=packed, revision=STATES.c.revision + 1))


def test_points_that_come_one_by_one_leave_the_newest() -> None:
    make()
    send(range(58), waves(58))
    for index in range(58, 64):
        send([index], [waves(64)[index]])
        kept = [point.index for point in points()]
        assert kept == list(range(max(0, index + 1 - KEPT_POINTS), index + 1))
        assert get_monitor(ACCOUNT, NAME).points == len(kept)


@pytest.mark.parametrize("batch", [1, 3])
def test_a_detector_judges_on_from_what_an_append_has_stored(batch) -> None:
    make("whole")
    whole = send(range(LEARNED), waves(LEARNED), "whole")
    make()
    send(range(LEARNED - 30), waves(LEARNED)[: LEARNED - 30])
    for first in range(LEARNED - 30, LEARNED, batch):
        last = send(range(first, first + batch), waves(LEARNED)[first : first + batch])
    assert last.points == whole.points[-batch:]
    assert stored_detector() == read_stored(ACCOUNT, "whole").detector


@pytest.mark.parametrize(
    "lengths", [(5 * PART_BYTES, 2 * PART_BYTES + 7), (7, 3 * PART_BYTES), (0, 7), (7, 0)]
)
def test_a_detector_of_another_length_replaces_the_whole_previous_one(lengths) -> None:
    make()
    send([0], [1.0])
    for length, byte in zip(lengths, (b"a", b"b"), strict=True):
        assert write_detector(read_stored(ACCOUNT, NAME), byte * length)
        assert stored_detector() == byte * length


def test_a_writer_that_was_late_changes_no_part() -> None:
    make()
    send([0], [1.0])
    late = read_stored(ACCOUNT, NAME)
    send([1], [2.0])
    before = stored_detector()
    assert not write_detector(late, b"late")
    assert stored_detector() == before


def test_the_detector_of_release_1_1_is_taken_over_by_the_next_append() -> None:
    make("whole")
    whole = send(range(LEARNED), waves(LEARNED), "whole")
    make()
    send(range(LEARNED - 1), waves(LEARNED)[:-1])
    store_as_release_1_1(stored_detector())
    assert send([LEARNED - 1], waves(LEARNED)[-1:]).points == whole.points[-1:]
    assert state_columns() == [b"", b""]


def test_detectors_that_a_node_of_release_1_1_stores_count() -> None:
    make()
    send(range(LEARNED - 1), waves(LEARNED)[:-1])
    with db.engine.connect() as connection:
        older = connection.execute(select(PARTS)).all()
    send([LEARNED - 1], waves(LEARNED)[-1:])
    newer = stored_detector()
    store_as_release_1_1(newer, older)
    assert stored_detector() == newer
    assert write_detector(read_stored(ACCOUNT, NAME), newer)
    assert state_columns() == [b""]
    assert stored_detector() == newer


def test_a_history_is_stored_in_parts() -> None:
    make(history=history(LEARNED))
    assert state_columns() == [None]
    with db.engine.connect() as connection:
        size = connection.scalar(select(func.sum(func.length(PARTS.c.packed))))
    assert len(stored_detector()) == size


@ON_POSTGRESQL
def test_an_append_writes_only_the_parts_that_it_changes() -> None:
    make()
    send(range(LEARNED), waves(LEARNED))
    newest = "SELECT count(*) FROM monitor_detectors WHERE xmin = (SELECT xmin FROM monitor_states)"
    send([LEARNED], waves(LEARNED + 1)[-1:])
    with db.engine.connect() as connection:
        written = connection.scalar(text(newest))
        parts = connection.scalar(select(func.count()).select_from(PARTS))
    assert 0 < written <= 2 < parts - 2


@ON_POSTGRESQL
def test_an_append_of_a_point_is_two_round_trips(app) -> None:
    recorded = record(db.engine)
    make()
    for index in range(30):
        recorded.clear()
        send([index], [10.0])
    assert recorded.asked() == Asked(2, 2)


def test_an_event_is_the_same_whatever_the_order_of_its_columns() -> None:
    make(history=history(240))
    send([0, 1, 2], [60.0, 60.0, 10.0])
    reordered = select(*reversed(EVENT_COLUMNS)).order_by(EVENTS.c.revision.desc())
    with db.engine.connect() as connection:
        rows = connection.execute(reordered).all()
    assert rows
    for row in rows:
        event = event_of(row)
        assert (event.kind, event.start_index, event.peak_index) == (
            row.kind,
            row.start_index,
            row.peak_index,
        )
        assert vars(event) == row._asdict()
