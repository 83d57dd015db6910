"""Which frequency and step a series has, and where its gaps are."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise

from forecast_client.axes import Axis, BusinessDayAxis, MonthAxis, SecondAxis, axes_of
from forecast_client.errors import DataError

FREQUENCIES = {**SecondAxis.units, **MonthAxis.units}
LONG = ("Daily", "Weekly", *MonthAxis.units)
_NOUNS = {
    "Seconds": "second",
    "Minutes": "minute",
    "Hours": "hour",
    "Daily": "day",
    "Weekly": "week",
    "Monthly": "month",
    "Quarterly": "quarter",
    "Yearly": "year",
}


@dataclass(frozen=True)
class Grid:
    """The regular step of a series along an axis; ``positions`` are those of its points."""

    axis: Axis
    positions: Sequence[int]
    stride: int
    breaks: int

    @property
    def frequency(self) -> str:
        """The longest unit of which the stride is a whole multiple."""
        return [name for name, size in self.axis.units.items() if self.stride % size == 0][-1]

    @property
    def step(self) -> int:
        """How many units lie between two points."""
        return self.stride // self.axis.units[self.frequency]

    @property
    def size(self) -> int:
        """How many points there are without gaps."""
        return (self.positions[-1] - self.positions[0]) // self.stride + 1

    @property
    def sent_axis(self) -> Axis:
        """The axis of what is sent: of a business month its first or last day, as others are."""
        if isinstance(self.axis, MonthAxis):
            return replace(self.axis, business=None)
        return self.axis

    def __str__(self) -> str:
        kind = "business " if isinstance(self.axis, BusinessDayAxis) else ""
        return f"{self.step} {kind}{_NOUNS[self.frequency]}{'s' * (self.step > 1)}"


def frequency_name(name: str) -> str:
    """Return the service's name of a frequency, whatever its capitals are."""
    if isinstance(name, str) and name.capitalize() in FREQUENCIES:
        return name.capitalize()
    raise DataError(f"unknown frequency {name!r}: send one of {', '.join(FREQUENCIES)}")


def find_grid(moments: Sequence[datetime], frequency: str | None = None) -> Grid:
    """Return the grid of two or more times in strictly increasing order.

    With ``frequency`` given most points may be missing; without, at most every second step.

    Raises:
        DataError: The times are irregular, or of another frequency.
    """
    grids: list[Grid] = []
    for axis in axes_of(moments):
        grid = _measure(axis, moments)
        if not _is_in_weeks(grid):
            grids.append(grid)
            if not grid.breaks:
                break
    best = min(grids, key=lambda grid: (_is_irregular(grid), isinstance(grid.axis, SecondAxis)))
    best = min(grids, key=lambda grid: grid.breaks) if _is_irregular(best) else best
    if frequency is None:
        if _is_irregular(best):
            raise DataError(_irregular(moments))
        return best
    fitting = [grid for grid in grids if grid.frequency == frequency]
    if not fitting or (best.frequency != frequency and not best.breaks):
        raise DataError(
            f"the points are {best} apart, which is {best.frequency}, not {frequency}: send "
            f'frequency="{best.frequency}", or leave it out'
        )
    return min(fitting, key=lambda grid: grid.breaks)


def _measure(axis: Axis, moments: Sequence[datetime]) -> Grid:
    positions = [axis.position(moment) for moment in moments]
    apart = [after - before for before, after in pairwise(positions)]
    if apart.count(apart[0]) == len(apart):
        return Grid(axis, positions, apart[0], 0)
    stride = math.gcd(*apart)
    return Grid(axis, positions, stride, len(apart) - apart.count(stride))


def _is_in_weeks(grid: Grid) -> bool:
    """Whether business days are stepped over by whole weeks: that is weekly data."""
    return isinstance(grid.axis, BusinessDayAxis) and grid.stride % 5 == 0


def _is_irregular(grid: Grid) -> bool:
    return 2 * grid.breaks >= len(grid.positions) - 1 > 0 and grid.breaks > 0


def _irregular(moments: Sequence[datetime]) -> str:
    gaps = [after - before for before, after in pairwise(moments)]
    usual = Counter(gaps).most_common(1)[0][0]
    odd = next((i for i, gap in enumerate(gaps) if gap % usual), None)
    if odd is None:
        odd = next(i for i, gap in enumerate(gaps) if gap != usual)
    return (
        f"irregular spacing: most often points are {_words(usual)} apart, but {moments[odd + 1]} "
        f"comes {_words(gaps[odd])} after {moments[odd]}: sum or average to one step first; "
        'if many points are only missing, name the step, such as frequency="Daily", and how to '
        'fill them, such as fill="zero"'
    )


def _words(gap: timedelta) -> str:
    seconds = int(gap.total_seconds())
    name, size = [unit for unit in SecondAxis.units.items() if seconds % unit[1] == 0][-1]
    count = seconds // size
    return f"{count} {_NOUNS[name]}{'s' * (count > 1)}"
