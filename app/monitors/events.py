"""The events of a monitor during an append: which opened, changed and closed."""

import datetime as dt
from dataclasses import dataclass

from app.anomalies.streaming.verdict import Closing, EventNews, Stage
from app.monitors.grid import Grid
from app.monitors.records import OVERDUE, EventRecord


@dataclass
class Event:
    """A row of ``monitor_events`` without the monitor."""

    id: int
    revision: int
    kind: str
    direction: str | None
    start_place: int
    end_place: int | None
    peak_place: int
    severity: float
    closed_as: str | None
    opened_at: dt.datetime
    closed_at: dt.datetime | None

    def record(self, grid: Grid) -> EventRecord:
        """Return the event in its public form."""
        end = self.start_place if self.end_place is None else self.end_place
        start, peak, last = grid.timestamps([self.start_place, self.peak_place, end])
        return EventRecord(
            id=self.id,
            cursor=self.revision,
            kind=self.kind,
            direction=self.direction,
            start=start,
            end=None if self.end_place is None else last,
            peak_timestamp=peak,
            severity=self.severity,
            closed_as=self.closed_as,
            opened_at=self.opened_at,
            closed_at=self.closed_at,
        )


class Ledger:
    """Keeps the events of one append.

    Args:
        revision: The monitor's revision before the append.
        under_way: The detector's open event, if any.
        overdue: The open event for overdue points, if any.
        now: The time of the append.

    Attributes:
        opened: New events, oldest first.
        changed: Existing events that have changed.
        told: Events that opened or closed, in this order, each once.
    """

    def __init__(
        self, revision: int, under_way: Event | None, overdue: Event | None, now: dt.datetime
    ) -> None:
        self._before = self._revision = revision
        self.now = now
        self.under_way, self.overdue = under_way, overdue
        self.opened: list[Event] = []
        self.changed: list[Event] = []
        self.told: list[Event] = []

    @property
    def revision(self) -> int:
        """The monitor's revision after the append."""
        return max(self._revision, self._before + 1)

    def hear(self, news: EventNews, place: int, previous: int | None) -> None:
        """Record a change of the detector's event.

        Args:
            news: The change at ``place``.
            place: The place of the point.
            previous: The place of the point before it.
        """
        event = self.under_way
        if event is None:
            if news.stage is not Stage.CLOSED:
                self._open(news, place)
            return
        event.kind, event.direction, event.severity = news.kind, news.direction, news.severity
        if news.stage is Stage.CLOSED:
            last = place if previous is None else previous
            end = max(event.start_place, min(place - news.ended, last))
            event.peak_place = min(max(event.start_place, place - news.peak), end)
            self._close(event, news.closing or Closing.ENDED, end)
            self.under_way = None
            return
        event.peak_place = place - news.peak
        self._note(event)

    def end_under_way(self, place: int) -> None:
        """Close an event that the detector no longer knows, with the point at ``place``."""
        if self.under_way is not None:
            self._close(self.under_way, Closing.ENDED, max(self.under_way.start_place, place))
            self.under_way = None

    def end_overdue(self, place: int) -> None:
        """Close the event for overdue points, if open: a point arrived at ``place``."""
        if self.overdue is not None:
            self._close(self.overdue, Closing.ENDED, max(self.overdue.start_place, place - 1))
            self.overdue = None

    def open_overdue(self, place: int) -> None:
        """Open an event for overdue points; the first missing one is at ``place``."""
        self.overdue = self._opened(OVERDUE, None, place, place, 0.0)

    def _open(self, news: EventNews, place: int) -> None:
        start, peak = place - news.started, place - news.peak
        self.under_way = self._opened(news.kind, news.direction, start, peak, news.severity)

    def _opened(
        self, kind: str, direction: str | None, start: int, peak: int, severity: float
    ) -> Event:
        self._revision += 1
        number, now = self._revision, self.now
        event = Event(number, number, kind, direction, start, None, peak, severity, None, now, None)
        self.opened.append(event)
        self.told.append(event)
        return event

    def _close(self, event: Event, closing: Closing, end: int) -> None:
        self._revision += 1
        event.revision = self._revision
        event.end_place, event.closed_as, event.closed_at = end, closing, self.now
        self._note(event)
        if event in self.told:
            self.told.remove(event)
        self.told.append(event)

    def _note(self, event: Event) -> None:
        if not any(event is each for each in (*self.opened, *self.changed)):
            self.changed.append(event)
