"""Find the regular step of a series, and its missing points."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from forecast_client.errors import DataError
from forecast_client.series import MONTHS, SECONDS

Times = npt.NDArray[np.datetime64]  # dtype datetime64[s], unless stated otherwise
Business = Literal["first", "last"]
BUSINESS_DAYS = {"Daily": 1}
LAST_DAY = 31
NOUNS = {
    "Seconds": "second",
    "Minutes": "minute",
    "Hours": "hour",
    "Daily": "day",
    "Weekly": "week",
    "Monthly": "month",
    "Quarterly": "quarter",
    "Yearly": "year",
}


class Step:
    """A regular step over numbered times: seconds, months or business days.

    ``frequency``: the longest unit of which the step is a multiple. ``count``: its units per step.
    ``indices``, shape (n,): of the points in the complete series of ``size``. ``is_irregular``: at
    least half of the gaps are longer than a step. ``business``: as in ``Labels``.
    """

    def __init__(
        self,
        numbers: npt.NDArray[np.int64],
        units: dict[str, int],
        time_of: Callable[[npt.NDArray[Any]], Times],
        business: Business | None = None,
    ) -> None:
        gaps = np.diff(numbers)
        self._stride = int(np.gcd.reduce(gaps))
        self._first = numbers[0]
        self._time_of = time_of
        self.frequency = [name for name, size in units.items() if self._stride % size == 0][-1]
        self.count = self._stride // units[self.frequency]
        self.indices = (numbers - numbers[0]) // self._stride
        self.size = int(self.indices[-1]) + 1
        self.is_irregular = 0 < gaps.size <= 2 * int((gaps != self._stride).sum())
        self.business = business
        self._kind = "business " if units is BUSINESS_DAYS else ""

    def times(self, start: int = 0) -> Times:
        """Return the times of the complete series, from index ``start`` on."""
        return self._time_of(self._first + self._stride * np.arange(start, self.size))

    def __str__(self) -> str:
        return f"{self.count} {self._kind}{NOUNS[self.frequency]}{'s' * (self.count > 1)}"


def find_step(times: Times, frequency: str | None) -> Step:
    """Return the step of two or more strictly increasing times.

    With ``frequency`` most points may be missing, otherwise fewer than half.

    Raises:
        DataError: The times are irregular, or of another frequency.
    """
    steps: list[Step] = []
    for step in _steps(times):
        steps.append(step)
        if step.size == len(times):
            break
    best = min(steps, key=lambda step: (step.is_irregular, step.size))
    if frequency is None:
        if best.is_irregular:
            raise DataError(_irregular_issue(times))
        return best
    fitting = [step for step in steps if step.frequency == frequency]
    if not fitting or (best.frequency != frequency and best.size == len(times)):
        raise DataError(
            f"the points are {best} apart, which is {best.frequency}, not {frequency}: send "
            f"{best.frequency!r}, or leave it out",
            "frequency",
        )
    return min(fitting, key=lambda step: step.size)


def _steps(times: Times) -> Iterator[Step]:
    """Yield each way to number all times in equal steps, longest units first."""
    days = times.astype("datetime64[D]")
    clock = times[0] - days[0]
    is_daily = bool((times - days == clock).all())
    if is_daily:
        yield from _month_steps(days, clock)
    yield Step(times.astype(np.int64), SECONDS, lambda numbers: numbers.astype("datetime64[s]"))
    if is_daily and np.is_busday(days).all():
        monday = np.datetime64("0001-01-01", "D")
        numbers = np.busday_count(monday, days)
        yield Step(
            numbers, BUSINESS_DAYS, lambda numbers: np.busday_offset(monday, numbers) + clock
        )


def _month_steps(days: Times, clock: np.timedelta64) -> Iterator[Step]:
    """Yield the step if the times are one day of a month, or its first or last business day."""
    months = days.astype("datetime64[M]")
    numbers = months.astype(np.int64)
    if (np.diff(numbers) <= 0).any():
        return
    longest = int((days - months.astype("datetime64[D]")).max().astype(int)) + 1
    rules: tuple[tuple[int, Business | None], ...] = (
        *((day, None) for day in (longest, LAST_DAY)),
        *((1, "first"), (LAST_DAY, "last")),
    )
    for day, business in rules:
        dates = _day_of(months, day)
        if ((dates if business is None else business_days(dates, business)) == days).all():

            def time_of(numbers: npt.NDArray[Any], day: int = day) -> Times:
                return _day_of(numbers.astype("datetime64[M]"), day) + clock

            yield Step(numbers, MONTHS, time_of, business)
            return


def _day_of(months: Times, day: int) -> Times:
    """Return a day of each month, 1 to 31; in shorter months the last one."""
    last = (months + 1).astype("datetime64[D]") - 1
    return np.minimum(months.astype("datetime64[D]") + (day - 1), last)


def business_days(days: Times, business: Business) -> Times:
    """Return the next business day for ``first``, the previous one for ``last``."""
    return np.busday_offset(days, 0, roll="forward" if business == "first" else "backward")


def _irregular_issue(times: Times) -> str:
    gaps = np.diff(times)
    lengths, counts = np.unique(gaps, return_counts=True)
    common = lengths[counts.argmax()]
    odd = np.flatnonzero(gaps % common)
    index = int(odd[0] if odd.size else np.flatnonzero(gaps != common)[0])
    before, after = pd.DatetimeIndex(times[index : index + 2])
    step, gap = (
        str(length.astype(timedelta)).removesuffix(", 0:00:00") for length in (common, gaps[index])
    )
    return (
        f"irregular spacing: most often points are {step} apart, but {after} comes {gap} after "
        f"{before}: sum or average to one step first; if many points are only missing, name the "
        'step, such as frequency="Daily", and how to fill them, such as fill="zero"'
    )
