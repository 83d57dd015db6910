"""Errors of monitors."""

from app.timeseries.calendar.defects import SeriesDefects
from app.timeseries.calendar.frequency import UNITS, Frequency
from app.watching.monitors.settings.monitor_settings import GridSettings


class PointErrors(SeriesDefects):
    """Points that the monitor cannot accept, by index; nothing of the append is stored."""


class NoSuchMonitorError(Exception):
    """The account has no monitor with this name."""


class FedMonitorError(Exception):
    """The monitor is fed by ``query``, so clients cannot change it."""

    def __init__(self, query: str) -> None:
        super().__init__(f"the monitor is fed by the query {query!r}")


class GridFixedError(Exception):
    """The frequency or step of a monitor that has points cannot change from ``fixed``."""

    def __init__(self, fixed: GridSettings) -> None:
        super().__init__(
            f"the monitor has points every {fixed.step} of its data_frequency "
            f"{fixed.data_frequency}, which cannot change"
        )
        self.fixed = fixed


class ShortUnitError(Exception):
    """The step of a new monitor is as long as a unit, ``longer``, and so belongs to that."""

    def __init__(self, frequency: Frequency, step: int, longer: Frequency) -> None:
        self.step = step
        noun, longer_noun = UNITS[frequency].noun, UNITS[longer].noun
        super().__init__(
            f"invalid frequency: {step} {noun}s are 1 {longer_noun}, which is {longer}, not "
            f"{frequency}; send data_frequency {longer} and step 1"
        )


class BusyMonitorError(Exception):
    """Other writers were first until the time limit; nothing was stored."""

    def __init__(self) -> None:
        super().__init__("other writers of the monitor were always first")
