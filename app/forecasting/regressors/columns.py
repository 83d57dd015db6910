"""Columns that are known for the history and for the steps to come."""

from dataclasses import dataclass, replace

import numpy as np

from app.timeseries.types import BoolArray, FloatArray


@dataclass(frozen=True)
class KnownColumns:
    """Columns of numbers, and of categories that stand as numbers.

    ``values`` has shape (k, n + h), finite: a history's steps and those to come. ``is_category``
    has shape (k,).
    """

    values: FloatArray
    is_category: BoolArray

    def after(self, dropped: int) -> "KnownColumns":
        """Return the columns without the first ``dropped`` steps."""
        return replace(self, values=self.values[:, dropped:])

    def clipped_to_seen(self, points: int) -> "KnownColumns":
        """Return the columns, those to come no larger or smaller than any of the first ``points``.

        Categories stay as they are: one that was never seen has no effect.
        """
        seen = self.values[:, :points]
        least, most = seen.min(axis=1, keepdims=True), seen.max(axis=1, keepdims=True)
        is_kept = self.is_category[:, None]
        return replace(self, values=np.where(is_kept, self.values, self.values.clip(least, most)))
