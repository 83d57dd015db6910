"""The times of values that are a constant number of seconds apart."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Grid:
    """The times of a history: the first one, dtype ``datetime64[s]``, and the step in seconds."""

    first: np.datetime64
    step: int

    def times(self, count: int) -> npt.NDArray[np.datetime64]:
        """Return the times of the first ``count`` values, shape (count,)."""
        return self.first + self.step * np.arange(count)

    def after(self, dropped: int) -> "Grid":
        """Return the grid without the first ``dropped`` values."""
        return Grid(self.first + dropped * self.step, self.step)
