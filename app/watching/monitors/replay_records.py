"""What a replay returns, without the detector, which only engine processes load."""

from dataclasses import dataclass, field

from app.watching.monitors.monitor_records import EventRecord, Point


@dataclass
class Replay:
    """What a monitor would have said: a verdict for each point, and events, oldest first.

    ``alerted_at`` has the timestamps of the points at which events became alerts, by the event's
    id.
    """

    points: list[Point] = field(default_factory=list)
    events: list[EventRecord] = field(default_factory=list)
    alerted_at: dict[int, str] = field(default_factory=dict)

    @property
    def alerts(self) -> list[EventRecord]:
        return [event for event in self.events if event.is_alert]
