"""The regular step of a series, and the points that it lacks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from forecast_client.errors import DataError
from forecast_client.series import MONTHS, SECONDS

Times = npt.NDArray[np.datetime64]  # in seconds, unless it says otherwise
Place = Callable[[npt.NDArray[Any]], Times]
LAST_DAY = 31
NOUNS = dict(
    zip(
        (*SECONDS, *MONTHS),
        ("second", "minute", "hour", "day", "week", "month", "quarter", "year"),
        strict=True,
    )
)


@dataclass(frozen=True)
class Step:
    """Equal steps over numbered times: seconds, months or business days.

    ``numbers``, shape (n,), are those of the points, ``stride`` the step between two; ``place``
    returns the times of numbers. ``business`` is that of ``Labels``.
    """

    numbers: npt.NDArray[np.int64]
    stride: int
    units: dict[str, int]
    place: Place
    business: Literal["first", "last"] | None = None

    @property
    def frequency(self) -> str:
        """The longest unit of which the step is a whole multiple."""
        return [name for name, size in self.units.items() if self.stride % size == 0][-1]

    @property
    def count(self) -> int:
        """How many units of ``frequency`` lie between two points."""
        return self.stride // self.units[self.frequency]

    @property
    def places(self) -> npt.NDArray[np.int64]:
        """Where the points are among all without gaps, shape (n,)."""
        places: npt.NDArray[np.int64] = (self.numbers - self.numbers[0]) // self.stride
        return places

    @property
    def size(self) -> int:
        """How many points there are without gaps."""
        return int(self.places[-1]) + 1

    @property
    def is_irregular(self) -> bool:
        """Whether at least half of the points do not come one step after those before them."""
        gaps = int((np.diff(self.numbers) != self.stride).sum())
        return 0 < len(self.numbers) - 1 <= 2 * gaps

    def times(self, start: int = 0) -> Times:
        """Return the times without gaps, from place ``start`` on."""
        return self.place(self.numbers[0] + self.stride * np.arange(start, self.size))

    def __str__(self) -> str:
        kind = "business " if self.units is BUSINESS_DAYS else ""
        return f"{self.count} {kind}{NOUNS[self.frequency]}{'s' * (self.count > 1)}"


BUSINESS_DAYS = {"Daily": 1}


def find_step(times: Times, frequency: str | None = None) -> Step:
    """Return the step of two or more times in strictly increasing order.

    With ``frequency`` given most points may be missing; without, less than every second step.

    Raises:
        DataError: The times are irregular, or of another frequency.
    """
    steps = list(_steps(times))
    best = min(steps, key=lambda step: (step.is_irregular, step.size))
    if frequency is None:
        if best.is_irregular:
            raise DataError(_irregular(times))
        return best
    named = [step for step in steps if step.frequency == frequency]
    if not named or (best.frequency != frequency and best.size == len(times)):
        raise DataError(
            f"the points are {best} apart, which is {best.frequency}, not {frequency}: send "
            f"{best.frequency!r}, or leave it out",
            "frequency",
        )
    return min(named, key=lambda step: step.size)


def _steps(times: Times) -> Iterator[Step]:
    """Yield each way in which all times are numbered in equal steps."""
    days = times.astype("datetime64[D]")
    clock = times[0] - days[0]
    is_daily = bool((times - days == clock).all())
    if is_daily:
        yield from _month_steps(days, clock)
    yield _step(times.astype(np.int64), SECONDS, lambda numbers: numbers.astype("datetime64[s]"))
    if is_daily and np.is_busday(days).all():
        monday = np.datetime64("0001-01-01", "D")
        numbers = np.busday_count(monday, days)
        yield _step(
            numbers, BUSINESS_DAYS, lambda numbers: np.busday_offset(monday, numbers) + clock
        )


def _month_steps(days: Times, clock: np.timedelta64) -> Iterator[Step]:
    """Yield the steps of one day of each month, or its first or last business day."""
    months = days.astype("datetime64[M]")
    numbers = months.astype(np.int64)
    if (np.diff(numbers) == 0).any():
        return
    longest = int((days - months.astype("datetime64[D]")).max().astype(int)) + 1
    rules: list[tuple[int, Literal["first", "last"] | None]] = [
        *((day, None) for day in (longest, LAST_DAY)),
        *((1, "first"), (LAST_DAY, "last")),
    ]
    for day, business in rules:
        own = day_of_months(months, day)
        if business is not None:
            own = business_days(own, business)
        if (own == days).all():

            def place(numbers: npt.NDArray[Any], day: int = day) -> Times:
                return day_of_months(numbers.astype("datetime64[M]"), day) + clock

            yield _step(numbers, MONTHS, place, business)
            return


def _step(
    numbers: npt.NDArray[np.int64],
    units: dict[str, int],
    place: Place,
    business: Literal["first", "last"] | None = None,
) -> Step:
    return Step(numbers, int(np.gcd.reduce(np.diff(numbers))), units, place, business)


def day_of_months(months: Times, day: int) -> Times:
    """Return a day of each month, 1 to 31; of a shorter month the last one."""
    last = (months + 1).astype("datetime64[D]") - 1
    days: Times = np.minimum(months.astype("datetime64[D]") + (day - 1), last)
    return days


def business_days(days: Times, which: Literal["first", "last"]) -> Times:
    """Return the business day from the first of a month on, or up to its last."""
    found: Times = np.busday_offset(days, 0, roll="forward" if which == "first" else "backward")
    return found


def _irregular(times: Times) -> str:
    gaps = np.diff(times)
    lengths, counts = np.unique(gaps, return_counts=True)
    usual = lengths[counts.argmax()]
    odd = np.flatnonzero(gaps % usual)
    place = int(odd[0] if odd.size else np.flatnonzero(gaps != usual)[0])
    before, after = (pd.Timestamp(times[each]) for each in (place, place + 1))
    return (
        f"irregular spacing: most often points are {pd.Timedelta(usual)} apart, but {after} comes "
        f"{pd.Timedelta(gaps[place])} after {before}: sum or average to one step first; if many "
        'points are only missing, name the step, such as frequency="Daily", and how to fill them, '
        'such as fill="zero"'
    )
