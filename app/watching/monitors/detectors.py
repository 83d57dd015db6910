"""Restore the detector of a monitor from its stored state."""

from app.anomalies.streaming.detector import StreamDetector
from app.watching.monitors.fitting import steps_kept
from app.watching.monitors.grid import MonitorGrid
from app.watching.monitors.tables import Stored


def detector_of(stored: Stored, grid: MonitorGrid) -> tuple[StreamDetector, bool]:
    """Return the detector of a monitor, and whether its state is from another release.

    Then it is fitted anew from the points kept before it judges the next one. No event is open.
    """
    settings = (grid.periods, stored.settings.false_alarm_rate, stored.settings.direction)
    if not stored.detector:
        return StreamDetector(*settings), False
    try:
        return StreamDetector.from_bytes(stored.detector, *settings), False
    except ValueError:
        return StreamDetector.resumed(*settings, steps=steps_kept(stored.id)), True
