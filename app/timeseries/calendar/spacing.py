"""The step of a series along a time axis, and the entries that break it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.timeseries.calendar.axes import BusinessDayAxis, TimeAxis, most_common
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.types import IntArray

_BUSINESS_DAYS_PER_WEEK = 5
_MAX_STRIDES_TRIED = 3


@dataclass(frozen=True)
class Spacing:
    """The grid along ``axis`` that fits a series best.

    ``positions`` of the n entries have shape (n,); ``on_grid`` has the indices of the entries
    on the grid. ``stride`` is the step in positions.
    """

    axis: TimeAxis
    stride: int
    positions: IntArray
    on_grid: IntArray

    @property
    def last(self) -> int:
        """The position of the last entry on the grid."""
        return int(self.positions[self.on_grid[-1]])

    @cached_property
    def off_grid(self) -> IntArray:
        """The indices of the entries that are off the grid."""
        if self.on_grid.size == self.positions.size:
            return self.on_grid[:0]
        return np.delete(np.arange(self.positions.size), self.on_grid)

    @cached_property
    def gaps(self) -> IntArray:
        """The indices of the entries that follow a gap.

        If an entry off the grid is between two on it, that entry is the defect, not a gap.
        """
        is_adjacent = np.diff(self.on_grid) == 1
        steps = np.diff(self.positions[self.on_grid])
        return self.on_grid[1:][is_adjacent & (steps != self.stride)]

    @property
    def frequency(self) -> Frequency:
        """The longest unit that divides the step."""
        return self.axis.frequency_of(self.stride)

    @property
    def step(self) -> int:
        """The step in units of ``frequency``."""
        return self.stride // self.axis.units[self.frequency]

    @property
    def entry_count(self) -> int:
        """The number of grid entries from the first to the last entry on the grid."""
        return (self.last - int(self.positions[self.on_grid[0]])) // self.stride + 1

    @property
    def defect_count(self) -> int:
        """The number of entries that do not follow their predecessor by one step."""
        return self.gaps.size + self.off_grid.size

    @property
    def is_mostly_regular(self) -> bool:
        """Whether most entries follow their predecessor by one step."""
        return 2 * self.defect_count < self.positions.size - 1

    def is_regular(self, frequency: Frequency) -> bool:
        """Return whether all entries are on the grid and its step is one of ``frequency``.

        A step as long as a longer unit belongs to that unit: 60 minutes are Hours.
        """
        units = self.axis.units
        if self.off_grid.size or frequency not in units or self.stride % units[frequency]:
            return False
        return self.stride == units[frequency] or self.stride not in units.values()

    def __str__(self) -> str:
        return self.axis.describe(self.stride)


def measure_spacing(axis: TimeAxis, times: TimeArray, stride: int | None = None) -> Spacing | None:
    """Return the spacing of ``times``, which are strictly increasing, along ``axis``.

    Without ``stride``, the step in positions, it is the one of the most frequent differences that
    leaves the fewest defects. None if fewer than two entries are on the axis, or if the step is
    whole weeks of business days, which are weeks.
    """
    positions = axis.positions(times)
    indices = np.flatnonzero(axis.times(positions) == times)
    if indices.size < 2:
        return None
    strides = np.diff(positions[indices]) if stride is None else np.array([stride])
    if stride is None and (strides == strides[0]).all():
        best = Spacing(axis, int(strides[0]), positions, indices)
    else:
        best = _best_of_strides(axis, positions, indices, strides)
    in_weeks = isinstance(axis, BusinessDayAxis) and best.stride % _BUSINESS_DAYS_PER_WEEK == 0
    return None if in_weeks else best


def _best_of_strides(
    axis: TimeAxis, positions: IntArray, indices: IntArray, strides: IntArray
) -> Spacing:
    """Return the spacing with the fewest defects among the most frequent ``strides``."""
    distinct, counts = np.unique(strides, return_counts=True)
    candidates = distinct[np.argsort(-counts, kind="stable")[:_MAX_STRIDES_TRIED]].tolist()
    spacings = []
    for stride in candidates:
        phases = positions[indices] % stride
        spacings.append(Spacing(axis, stride, positions, indices[phases == most_common(phases)]))
    return min(spacings, key=lambda spacing: (spacing.defect_count, spacing.stride))
