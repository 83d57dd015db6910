"""Columns that are known for the history and for the steps to come."""

from dataclasses import dataclass, replace

import numpy as np

from app.timeseries.types import BoolArray, FloatArray


@dataclass(frozen=True)
class KnownColumns:
    """Columns of numbers, and of categories encoded as numbers.

    ``values`` (k, n + h) are for the steps of a history and those to come; they are finite once
    ``with_filled_gaps``. ``is_category`` has shape (k,).
    """

    values: FloatArray
    is_category: BoolArray

    def without_first(self, count: int) -> "KnownColumns":
        return replace(self, values=self.values[:, count:])

    def with_filled_gaps(self) -> "KnownColumns":
        """Return the columns with gaps of NaN filled linearly; 0 where nothing is known."""
        values = self.values.copy()
        is_known = np.isfinite(self.values)
        steps = np.arange(values.shape[1])
        for row in np.flatnonzero(~is_known.all(axis=1)):
            indices = np.flatnonzero(is_known[row])
            values[row] = np.interp(steps, indices, values[row, indices]) if indices.size else 0.0
        return replace(self, values=values)

    def clipped_to_seen(self, points: int) -> "KnownColumns":
        """Return the columns, clipped to the range of their first ``points`` values.

        Categories stay as they are: a new one has no effect.
        """
        past = self.values[:, :points]
        lowest, highest = past.min(axis=1, keepdims=True), past.max(axis=1, keepdims=True)
        is_kept = self.is_category[:, None]
        return replace(
            self, values=np.where(is_kept, self.values, self.values.clip(lowest, highest))
        )
