"""From data as people have them to a series as the service takes it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    import pandas as pd

# A pandas Series, a DataFrame of one series, or a pair of timestamps and values.
SeriesLike = Any
Fill = Literal["linear", "previous", "zero"]


class Reading(TypedDict, total=False):
    """How data are read; every call that takes a series takes these."""

    frequency: str | None
    fill: Fill | None
    time_column: str | None
    value_column: str | None


@dataclass(frozen=True)
class Prepared:
    """A series as it is sent.

    ``timestamps`` are strings as the service takes them, ``frequency`` is its data frequency,
    ``step`` how many units of it lie between two points. ``notes`` say what was done to the data.
    """

    timestamps: Sequence[str]
    values: Sequence[float]
    frequency: str
    step: int = 1
    notes: tuple[str, ...] = ()
    name: str | None = None

    def index(self, timestamps: Sequence[str]) -> "pd.Index":
        """Return timestamps of a response as labels of the kind that the data had."""
        raise NotImplementedError


def prepare(
    data: SeriesLike,
    *,
    frequency: str | None = None,
    fill: Fill | None = None,
    time_column: str | None = None,
    value_column: str | None = None,
) -> Prepared:
    """Return ``data`` as they are sent; a ``Prepared`` is returned as it is.

    Raises:
        DataError: They cannot be sent; the message says what to change.
    """
    raise NotImplementedError


def points(data: SeriesLike) -> tuple[list[str], list[float]]:
    """Return the points to append to a monitor: one or more, no frequency is looked for."""
    raise NotImplementedError
