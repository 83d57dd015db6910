"""What a run forecasts and how, and the error of one that cannot start or continue."""

from dataclasses import dataclass
from enum import StrEnum

from app.timeseries.calendar.frequency import Frequency

# The columns of the output after those that name the series and the time.
OUTPUT_COLUMNS = ("lower_bound", "median", "upper_bound", "notice", "problem")


class BatchError(Exception):
    """A run cannot start or continue; the message says why, and what to do."""


class BatchFormat(StrEnum):
    PARQUET = "parquet"
    CSV = "csv"


@dataclass(frozen=True)
class TableColumns:
    """The columns of a long table: ``ids`` name the series, one row for each point."""

    ids: tuple[str, ...]
    time: str
    value: str

    @property
    def names(self) -> list[str]:
        return [*self.ids, self.time, self.value]


@dataclass(frozen=True)
class BatchSpec:
    """The options with which every part of a run is computed.

    ``confidence`` is between 0.1 and 0.99; ``country`` is whose holidays are used, None for
    Christmas, New Year and Easter.
    """

    columns: TableColumns
    frequency: Frequency
    horizon: int
    confidence: float
    model_id: str
    country: str | None
    file_format: BatchFormat
