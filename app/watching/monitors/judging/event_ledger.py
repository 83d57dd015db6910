"""The events of a monitor during an append: they open, change and close, and messages are sent."""

import datetime as dt
from dataclasses import dataclass, replace

from app.anomalies.results import SEVERITY_DECIMALS, CloseReason, EventUpdate, Stage
from app.delivery.formats.types import MessageType
from app.watching.monitors.judging.grid import MonitorGrid
from app.watching.monitors.settings.monitor_records import (
    LIMIT_KINDS,
    EventRecord,
    MonitorEventKind,
)
from app.watching.monitors.settings.monitor_settings import MonitorSettings
from app.watching.monitors.settings.states import State


@dataclass
class StoredEvent:
    """A row of ``monitor_events`` without the monitor.

    ``peak_index`` of an event ``limit_ahead`` is the step at which the limit is reached.
    """

    id: int
    revision: int
    kind: str
    direction: str | None
    start_index: int
    peak_index: int
    severity: float
    opened_at: dt.datetime
    deviation: float | None
    expected: float | None
    end_index: int | None = None
    closed_as: str | None = None
    closed_at: dt.datetime | None = None
    is_alert: bool = False
    is_withheld: bool = False

    @property
    def is_open(self) -> bool:
        return self.closed_at is None

    @property
    def shown_severity(self) -> float:
        return round(self.severity, SEVERITY_DECIMALS)

    def is_above_thresholds(self, settings: MonitorSettings) -> bool:
        """Return whether its severity, as shown, and its deviation are enough for an alert."""
        if self.kind in (MonitorEventKind.OVERDUE, MonitorEventKind.LIMIT_REACHED):
            return True
        is_far = self.deviation is None or self.deviation >= max(
            settings.alert_min_deviation, settings.alert_min_relative * abs(self.expected or 0.0)
        )
        return is_far and self.shown_severity >= settings.alert_severity

    def to_record(self, grid: MonitorGrid) -> EventRecord:
        end = self.start_index if self.end_index is None else self.end_index
        start, peak, last = grid.timestamps([self.start_index, self.peak_index, end])
        is_ahead = self.kind == MonitorEventKind.LIMIT_AHEAD
        return EventRecord(
            id=self.id,
            cursor=self.revision,
            kind=self.kind,
            direction=self.direction,
            start=start,
            end=None if self.end_index is None else last,
            peak_timestamp=start if is_ahead else peak,
            reached_at=peak if is_ahead else None,
            severity=self.shown_severity,
            deviation=self.deviation,
            is_alert=self.is_alert,
            closed_as=self.closed_as,
            opened_at=self.opened_at,
            closed_at=self.closed_at,
        )


@dataclass(frozen=True)
class EventMessage:
    """A message about an event: the event and the monitor's state as of its point."""

    type: MessageType
    event: StoredEvent
    state: State


class EventLedger:
    """Records the events of one append, and decides which messages are sent.

    An event's ``id`` is the revision at which it opened, its ``revision`` that at which it last
    opened, became an alert or closed. So what happened to it is read from them: it opened in this
    append if its id is above the revision that was read, and in the current point if above the one
    at the last `finish`.

    Args:
        revision: The monitor's revision before the append.
        now: The time of the append.
        settings: Which events are alerts, and whether the monitor is muted.
        anomaly: The detector's open event, if any.
        overdue: The open event for overdue points, if any.
        limit: The open event about the limit, if any and if the limit is evaluated.

    Attributes:
        messages: What is sent, in this order.
    """

    def __init__(
        self,
        revision: int,
        now: dt.datetime,
        settings: MonitorSettings,
        *,
        anomaly: StoredEvent | None = None,
        overdue: StoredEvent | None = None,
        limit: StoredEvent | None = None,
    ) -> None:
        self._revision_read = self._revision_at_finish = self._revision = revision
        self.now = now
        self._settings = settings
        self._is_muted = settings.is_muted(now)
        self.anomaly_event, self.overdue_event, self.limit_event = anomaly, overdue, limit
        self.messages: list[EventMessage] = []
        # The events that opened or changed, by id: in the whole append, and since `finish`.
        self._changes: dict[int, StoredEvent] = {}
        self._unfinished: dict[int, StoredEvent] = {}
        # The newest index at which the detector's event deviates; None before a point.
        self._newest_deviating: int | None = None

    @property
    def revision(self) -> int:
        """The monitor's revision after the append."""
        return max(self._revision, self._revision_read + 1)

    @property
    def has_changes(self) -> bool:
        return bool(self._changes)

    @property
    def opened(self) -> list[StoredEvent]:
        """The new events, oldest first."""
        return [event for event in self._changes.values() if event.id > self._revision_read]

    @property
    def changed(self) -> list[StoredEvent]:
        """The existing events that have changed."""
        return [event for event in self._changes.values() if event.id <= self._revision_read]

    @property
    def reported(self) -> list[StoredEvent]:
        """The events that opened, became alerts or closed, in this order, each once."""
        events = [event for event in self._changes.values() if event.revision > self._revision_read]
        return sorted(events, key=lambda event: event.revision)

    def record_update(
        self,
        update: EventUpdate,
        index: int,
        previous: int | None,
        deviation: float = 0.0,
        expected: float | None = None,
    ) -> None:
        """Record a change of the detector's event at the point ``index``, after ``previous``.

        ``deviation`` is the distance of the point from its ``expected`` value; 0 without a point.
        """
        event = self.anomaly_event
        self._newest_deviating = index - update.steps_since_end
        if event is None:
            if update.stage is not Stage.CLOSED:
                self.anomaly_event = self._open(
                    update.kind,
                    start=index - update.steps_since_start,
                    peak=index,
                    direction=update.direction,
                    severity=update.severity,
                    deviation=deviation,
                    expected=expected,
                )
            return
        event.kind, event.direction, event.severity = update.kind, update.direction, update.severity
        if update.stage is Stage.CLOSED:
            last = index if previous is None else previous
            end = min(index - update.steps_since_end, last)
            self._close(event, update.close_reason or CloseReason.ENDED, end)
            self.anomaly_event = None
            return
        if not update.steps_since_peak:
            event.peak_index, event.deviation, event.expected = index, deviation, expected
        self._mark_changed(event)

    def end_anomaly(self, index: int, close_reason: str = CloseReason.ENDED) -> None:
        """Close the event under way at ``index``: the detector dropped it, or points are absent."""
        self._close(self.anomaly_event, close_reason, index)
        self.anomaly_event = None

    def end_overdue(self, index: int) -> None:
        """Close the event for overdue points, if open: a point arrived at ``index``."""
        self._close(self.overdue_event, CloseReason.ENDED, index - 1)
        self.overdue_event = None

    def open_overdue(self, index: int) -> None:
        """Open an event for overdue points; the first missing one is at ``index``."""
        self.overdue_event = self._open(MonitorEventKind.OVERDUE, start=index, peak=index)

    def open_limit(
        self, kind: str, index: int, direction: str, probability: float, reached_index: int
    ) -> None:
        """Open an event about the limit, seen at ``index``, the newest point.

        ``direction`` is the side; ``reached_index`` is that at which the limit is reached.
        """
        self.limit_event = self._open(
            kind, start=index, peak=reached_index, direction=direction, severity=100 * probability
        )

    def update_limit(self, probability: float, reached_index: int | None) -> None:
        """Record the newest forecast of an open event ``limit_ahead``."""
        if self.limit_event is not None:
            self.limit_event.severity = 100 * probability
            if reached_index is not None:
                self.limit_event.peak_index = reached_index
            self._mark_changed(self.limit_event)

    def end_limit(self, close_reason: str, index: int) -> None:
        """Close the event about the limit, if one is open, with the point at ``index``."""
        self._close(self.limit_event, close_reason, index)
        self.limit_event = None

    def resume_withheld(self, withheld: list[StoredEvent]) -> None:
        """Decide again about events with a withheld message."""
        for event in withheld:
            self._mark_changed(event)

    def finish(self, state: State) -> None:
        """Decide which messages to send about events changed since the last call.

        Called after each point, so that the messages do not depend on how points are split over
        appends. ``state`` is the monitor's state after the point.
        """
        for event in self._unfinished.values():
            self._finish_event(event, state)
        self._unfinished = {}
        self._revision_at_finish = self._revision

    def _finish_event(self, event: StoredEvent, state: State) -> None:
        was_alert = event.is_alert
        event.is_withheld = False
        is_enough = event.is_above_thresholds(self._settings) and self._has_minimum_duration(event)
        if not was_alert and not is_enough:
            return
        if self._is_muted:
            # The opening of an open event is due, or the closing of one whose opening was sent.
            event.is_withheld = not was_alert if event.is_open else was_alert
            return
        if not was_alert:
            event.is_alert = True
            if event.revision <= self._revision_at_finish:  # not opened or closed by this point
                self._advance_revision(event)
            self._queue_message(MessageType.OPENED, event, state)
        if not event.is_open:
            self._queue_message(MessageType.CLOSED, event, state)

    def _has_minimum_duration(self, event: StoredEvent) -> bool:
        last = self._newest_deviating if event.end_index is None else event.end_index
        if last is None or event.kind in (MonitorEventKind.OVERDUE, *LIMIT_KINDS):
            return True
        return last - event.start_index + 1 >= self._settings.alert_for

    def _queue_message(self, message_type: MessageType, event: StoredEvent, state: State) -> None:
        self.messages.append(EventMessage(message_type, replace(event), state))

    def _open(
        self,
        kind: str,
        *,
        start: int,
        peak: int,
        direction: str | None = None,
        severity: float = 0.0,
        deviation: float | None = None,
        expected: float | None = None,
    ) -> StoredEvent:
        event = StoredEvent(
            id=self._revision + 1,
            revision=self._revision + 1,
            kind=kind,
            direction=direction,
            start_index=start,
            peak_index=peak,
            severity=severity,
            opened_at=self.now,
            deviation=deviation,
            expected=expected,
        )
        self._advance_revision(event)
        self._mark_changed(event)
        return event

    def _close(self, event: StoredEvent | None, close_reason: str, end: int) -> None:
        if event is not None:
            event.end_index = max(event.start_index, end)
            event.closed_as = close_reason
            event.closed_at = self.now
            self._advance_revision(event)
            self._mark_changed(event)

    def _advance_revision(self, event: StoredEvent) -> None:
        """Give the event a new revision, its cursor: it opened, became an alert or closed."""
        self._revision += 1
        event.revision = self._revision

    def _mark_changed(self, event: StoredEvent) -> None:
        self._changes[event.id] = event
        self._unfinished[event.id] = event
