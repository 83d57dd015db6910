"""Restore the detector of a monitor from its stored state."""

from app.anomalies.streaming.detector import StreamDetector
from app.watching.monitors.fitting import stored_step_count
from app.watching.monitors.grid import MonitorGrid
from app.watching.monitors.tables import StoredMonitor


def restore_detector(stored: StoredMonitor, grid: MonitorGrid) -> tuple[StreamDetector, bool]:
    """Return the detector of a monitor, and whether its state is from another release.

    Then it is fitted anew from the points kept before it judges the next one. No event is open.
    """
    settings = (grid.periods, stored.settings.false_alarm_rate, stored.settings.direction)
    if not stored.detector:
        return StreamDetector(*settings), False
    try:
        return StreamDetector.from_bytes(stored.detector, *settings), False
    except ValueError:
        return StreamDetector.from_steps(*settings, steps=stored_step_count(stored.id)), True
