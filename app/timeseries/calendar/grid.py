"""Times that are a constant number of seconds apart."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Grid:
    """The times of a history: the first one, dtype ``datetime64[s]``, and their step."""

    first: np.datetime64
    step_seconds: int

    def times(self, count: int) -> npt.NDArray[np.datetime64]:
        """Return the times of the first ``count`` values, shape (count,)."""
        return self.first + self.step_seconds * np.arange(count)

    def without_first(self, count: int) -> "Grid":
        return Grid(self.first + count * self.step_seconds, self.step_seconds)
