"""Which regular step a series keeps along a ruler, and where it breaks."""

from dataclasses import dataclass

import numpy as np

from app.forecasting.calendar.frequency import Frequency
from app.forecasting.calendar.rulers import BUSINESS_DAYS, BusinessDayRuler, Ruler, most_common
from app.forecasting.types import IntArray

STEPS_TRIED = 3
NONE: IntArray = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Spacing:
    """The grid of one ``step`` along ``ruler`` that fits a series best.

    ``step`` and ``last`` (where the last entry on the grid is) are positions of the ruler.
    ``holes`` are the indices of the entries that follow a hole, ``hole_starts`` and ``hole_ends``
    the positions of the entries before and after it. ``strays`` are the indices of the entries
    that are off the grid. ``steps`` is how many differences the grid has.
    """

    ruler: Ruler
    step: int
    last: int
    holes: IntArray
    hole_starts: IntArray
    hole_ends: IntArray
    strays: IntArray
    steps: int

    @property
    def defects(self) -> int:
        """How many entries do not follow their predecessor by one step."""
        return self.holes.size + self.strays.size

    @property
    def mostly_regular(self) -> bool:
        """Whether most entries follow their predecessor by one step."""
        return 2 * self.defects < self.steps

    @property
    def frequency(self) -> Frequency:
        """The frequency that fits: the longest unit of which the step is a whole multiple."""
        units = self.ruler.units()
        return [frequency for frequency, size in units.items() if self.step % size == 0][-1]

    def step_in(self, frequency: Frequency) -> int | None:
        """The step in units of ``frequency``, or None where it belongs to another.

        A step as long as a longer unit belongs to that unit: 60 minutes are Hours.
        """
        units = self.ruler.units()
        if frequency not in units or self.step % units[frequency]:
            return None
        if self.step != units[frequency] and self.step in units.values():
            return None
        return self.step // units[frequency]

    def __str__(self) -> str:
        return self.ruler.describe(self.step)


def measure(ruler: Ruler, seconds: IntArray) -> Spacing | None:
    """The spacing of ``seconds``, strictly increasing, along ``ruler``.

    Of the most frequent differences the one that leaves the fewest defects is the step. None where
    fewer than two entries are on the ruler.
    """
    positions, on_ruler = ruler.positions(seconds)
    marked = np.flatnonzero(on_ruler)
    if marked.size < 2:
        return None
    gaps = np.diff(positions[marked])
    if (gaps == gaps[0]).all():
        step = int(gaps[0])
        if marked.size < positions.size:
            return _grid(ruler, positions, marked, step)
        return Spacing(ruler, step, int(positions[-1]), NONE, NONE, NONE, NONE, gaps.size)
    steps, counts = np.unique(gaps, return_counts=True)
    candidates = steps[np.argsort(-counts, kind="stable")[:STEPS_TRIED]].tolist()
    grids = [_grid(ruler, positions, marked, step) for step in candidates]
    return min(grids, key=lambda grid: (grid.defects, grid.step))


def measure_business_days(seconds: IntArray) -> Spacing | None:
    """As ``measure``, for Monday to Friday; None where the spacing is one of whole weeks."""
    spacing = measure(BusinessDayRuler.along(seconds), seconds)
    if spacing is None or spacing.step % BUSINESS_DAYS == 0:
        return None
    return spacing


def _grid(ruler: Ruler, positions: IntArray, marked: IntArray, step: int) -> Spacing:
    """The grid of ``step`` that most of the ``marked`` entries lie on."""
    phases = positions[marked] % step
    on_grid = marked[phases == most_common(phases)]
    off_grid = np.ones(positions.shape, dtype=np.bool_)
    off_grid[on_grid] = False
    strays = np.flatnonzero(off_grid)
    # Where a stray lies between two entries of the grid, the stray is the defect, not a hole.
    adjacent = np.diff(on_grid) == 1
    after = np.flatnonzero(adjacent & (np.diff(positions[on_grid]) != step)) + 1
    return Spacing(
        ruler=ruler,
        step=step,
        last=int(positions[on_grid[-1]]),
        holes=on_grid[after],
        hole_starts=positions[on_grid[after - 1]],
        hole_ends=positions[on_grid[after]],
        strays=strays,
        steps=positions.size - 1,
    )
