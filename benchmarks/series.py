"""The development series that ship in ``benchmarks/data``."""

import gzip
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray

DATA = Path(__file__).parent / "data"

PERIODS: dict[Frequency, tuple[int, ...]] = {
    Frequency.YEARLY: (),
    Frequency.QUARTERLY: (4,),
    Frequency.MONTHLY: (12,),
    Frequency.WEEKLY: (52,),
    Frequency.DAILY: (7, 365),
    Frequency.HOURS: (24, 168),
    Frequency.MINUTES: (1_440, 10_080),
    Frequency.SECONDS: (60, 3_600),
}
# The period m of MASE and MSIS, as the competitions defined it.
MEASURE_PERIODS: dict[Frequency, int] = {
    Frequency.YEARLY: 1,
    Frequency.QUARTERLY: 4,
    Frequency.MONTHLY: 12,
    Frequency.WEEKLY: 1,
    Frequency.DAILY: 7,
    Frequency.HOURS: 24,
}
HIGH_FREQUENCIES = (Frequency.HOURS, Frequency.DAILY, Frequency.WEEKLY)


@dataclass(frozen=True)
class DevelopmentSeries:
    """One real series: ``history`` is what was known, ``actual`` of shape (h,) what came next."""

    source: str
    name: str
    history: History
    actual: FloatArray

    @property
    def group(self) -> tuple[str, Frequency]:
        """The set and the frequency: one line of every table."""
        return self.source, self.history.frequency

    @property
    def measure_period(self) -> int:
        """The period m of MASE and MSIS."""
        return MEASURE_PERIODS[self.history.frequency]


@cache
def load_series() -> tuple[DevelopmentSeries, ...]:
    """Return all development series in the order of the file."""
    loaded = []
    with gzip.open(DATA / "dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            frequency = Frequency(record["frequency"])
            history = History(
                np.array(record["values"], dtype=np.float64), PERIODS[frequency], frequency
            )
            actual = np.array(record["test"], dtype=np.float64)
            loaded.append(DevelopmentSeries(record["set"], record["id"], history, actual))
    return tuple(loaded)


def long_series() -> list[DevelopmentSeries]:
    """Return the series whose intervals come from errors at past origins."""
    return [series for series in load_series() if series.history.frequency in HIGH_FREQUENCIES]


def near_duplicates() -> frozenset[tuple[str, str]]:
    """(set, id) of the series that repeat a stretch of a series of another set."""
    records = json.loads((DATA / "near-duplicates.json").read_text(encoding="utf-8"))
    return frozenset((record["set"], record["id"]) for record in records)


def published_scores() -> dict[str, dict[str, dict[str, float]]]:
    """Published M3 entrants: method -> frequency (or "all") -> n, sMAPE, MASE."""
    return json.loads((DATA / "m3-published-dev.json").read_text(encoding="utf-8"))


def sample(share: float, seed: int = 0) -> list[DevelopmentSeries]:
    """Return a seeded share of every group, at least five series of each."""
    groups: dict[tuple[str, Frequency], list[DevelopmentSeries]] = {}
    for series in load_series():
        groups.setdefault(series.group, []).append(series)
    rng = np.random.default_rng(seed)
    chosen = []
    for group in groups.values():
        count = min(len(group), max(5, round(share * len(group))))
        picks = rng.choice(len(group), size=count, replace=False)
        chosen += [group[pick] for pick in sorted(picks)]
    return chosen
