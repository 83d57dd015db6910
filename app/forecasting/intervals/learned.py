"""The learned numbers of the intervals, as ``learned.json`` beside this file has them.

``python -m benchmarks.calibrate --write`` learns them and writes the file. All come from quantile
regression (Koenker and Bassett 1978) of the errors of past forecasts; ``docs/engine.md`` says of
which, and what they cover.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.forecasting.calendar.frequency import Frequency
from app.forecasting.types import FloatArray

FILE = Path(__file__).with_name("learned.json")
LEVELS = (0.50, 0.80, 0.90, 0.95, 0.99)
"""The confidences that numbers are learned for: the first axis of every array."""


@dataclass(frozen=True)
class ShortWidths:
    """Of one short recipe: ``factors`` (levels, 5) for ``quantile_factors``, ``exponents``
    (levels,) for ``short_history``."""

    factors: FloatArray
    exponents: FloatArray


@dataclass(frozen=True)
class SeasonExponents:
    """Exponents (levels,) for ``short_history`` where a season is seen, and where none is."""

    seasonal: FloatArray
    plain: FloatArray


@dataclass(frozen=True)
class Learned:
    """All learned numbers.

    ``with_arima`` and ``without_arima`` belong to the short recipes, the rest to ``conformal``:
    ``long_factors`` has shape (levels, 3), ``skewed_widening`` (levels,); ``robust_seasons`` are
    model 4's, ``weighed_seasons`` all other models'.
    """

    with_arima: Mapping[Frequency, ShortWidths]
    without_arima: Mapping[Frequency, ShortWidths]
    long_factors: FloatArray
    skewed_widening: FloatArray
    weighed_seasons: SeasonExponents
    robust_seasons: SeasonExponents


def load() -> Learned:
    """Read ``FILE``."""
    kinds = json.loads(FILE.read_text(encoding="utf-8"))["kinds"]
    numbers = {kind: entry["numbers"] for kind, entry in kinds.items()}

    def short(name: str) -> dict[Frequency, ShortWidths]:
        exponents = numbers["short_history"][name]
        # Yearly factors are learned on short histories to begin with.
        none = [0.0] * len(LEVELS)
        return {
            Frequency(frequency): ShortWidths(
                np.array(factors), np.array(exponents.get(frequency, none))
            )
            for frequency, factors in numbers["short_factors"][name].items()
        }

    def seasons(name: str) -> SeasonExponents:
        exponents = numbers["few_seasons"][name]
        return SeasonExponents(np.array(exponents["seasonal"]), np.array(exponents["plain"]))

    return Learned(
        with_arima=short("with_arima"),
        without_arima=short("without_arima"),
        long_factors=np.array(numbers["long_factors"]),
        skewed_widening=np.array(numbers["skewed_widening"]),
        weighed_seasons=seasons("weighed"),
        robust_seasons=seasons("robust"),
    )


LEARNED = load()
