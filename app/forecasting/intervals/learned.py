"""The learned numbers of the intervals, from ``learned.json`` in this folder.

``python -m benchmarks.calibrate --write`` learns them and writes the file. All come from quantile
regression (Koenker and Bassett 1978) of the errors of past forecasts;
``docs/developing/intervals.md`` documents them and their coverage.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.interpolate import PchipInterpolator

from app.forecasting.intervals.normal import normal_half_width, normal_half_widths
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.types import FloatArray

LEARNED_FILE = Path(__file__).with_name("learned.json")
# The confidences for which numbers were learned: the first axis of every array.
CONFIDENCE_LEVELS = (0.50, 0.80, 0.90, 0.95, 0.99)

# The frequencies of the high-frequency recipes.
HIGH_FREQUENCIES = (
    Frequency.SECONDS,
    Frequency.MINUTES,
    Frequency.HOURS,
    Frequency.DAILY,
    Frequency.WEEKLY,
)

# The frequencies whose short histories have a prior.
PRIOR_FREQUENCIES = (Frequency.MONTHLY, *HIGH_FREQUENCIES)


@dataclass(frozen=True)
class LowFrequencyWidths:
    """The numbers of one low-frequency recipe.

    ``factors`` (levels, 6) are for ``quantile_factors``, ``exponents`` (levels,) for
    ``short_history``.
    """

    factors: FloatArray
    exponents: FloatArray


@dataclass(frozen=True)
class SeasonExponents:
    """Exponents (levels,) for ``short_history`` with a season and without one."""

    seasonal: FloatArray
    plain: FloatArray


@dataclass(frozen=True)
class HighFrequencyWidths:
    """The numbers of the high-frequency recipes at one frequency.

    ``factors`` (levels, 4) are for ``conformal``, ``exponents`` for ``short_history``.
    """

    factors: FloatArray
    exponents: SeasonExponents


@dataclass(frozen=True)
class StructurePrior:
    """The probability of each part of a short history's structure, at one frequency.

    ``short_history/structures.py`` has the parts.

    ``levels`` (6,), ``trends`` (7,), ``seasons`` (5,) and ``form_weights`` (2,; raw values and
    logarithms) sum to 1 each. The variance of a difference, relative to the squared mean magnitude,
    is ``scale``², as if estimated with ``degrees`` degrees of freedom. Half-widths are multiplied
    by ``widening``.
    """

    levels: FloatArray
    trends: FloatArray
    seasons: FloatArray
    form_weights: FloatArray
    degrees: float
    scale: float
    widening: float = 1.0


@dataclass(frozen=True)
class LearnedNumbers:
    """All learned numbers.

    Attributes:
        with_arima: For the low-frequency recipes of model 1.
        without_arima: For the low-frequency recipes of the other models.
        weighed: For the high-frequency recipes of models 1 to 3, whose members are weighted.
        robust: For the high-frequency recipes of model 4.
        priors: For short histories, in all models.
    """

    with_arima: Mapping[Frequency, LowFrequencyWidths]
    without_arima: Mapping[Frequency, LowFrequencyWidths]
    weighed: Mapping[Frequency, HighFrequencyWidths]
    robust: Mapping[Frequency, HighFrequencyWidths]
    priors: Mapping[Frequency, StructurePrior]


def load_learned() -> LearnedNumbers:
    kinds = json.loads(LEARNED_FILE.read_text(encoding="utf-8"))["kinds"]
    numbers = {kind: entry["numbers"] for kind, entry in kinds.items()}
    return LearnedNumbers(
        with_arima=_low_frequency_widths(numbers, "with_arima"),
        without_arima=_low_frequency_widths(numbers, "without_arima"),
        weighed=_high_frequency_widths(numbers, "weighed", np.zeros(len(CONFIDENCE_LEVELS))),
        robust=_high_frequency_widths(numbers, "robust", np.log(numbers["skewed_widening"])),
        priors={frequency: _structure_prior(numbers, frequency) for frequency in PRIOR_FREQUENCIES},
    )


def _low_frequency_widths(
    numbers: dict[str, Any], name: str
) -> dict[Frequency, LowFrequencyWidths]:
    exponents = numbers["short_history"][name]
    # Yearly factors were learned from short histories.
    none = [0.0] * len(CONFIDENCE_LEVELS)
    return {
        Frequency(frequency): LowFrequencyWidths(
            np.array(factors), np.array(exponents.get(frequency, none))
        )
        for frequency, factors in numbers["short_factors"][name].items()
    }


def _high_frequency_widths(
    numbers: dict[str, Any], name: str, log_widening: FloatArray
) -> dict[Frequency, HighFrequencyWidths]:
    exponents = {key: np.array(row) for key, row in numbers["few_seasons"][name].items()}
    widths = {}
    factors = np.array(numbers["long_factors"])
    factors[:, 0] += log_widening
    for frequency in HIGH_FREQUENCIES:
        seasonal = "weeks" if frequency == Frequency.WEEKLY else "seasonal"
        seasons = SeasonExponents(exponents[seasonal], exponents["plain"])
        widths[frequency] = HighFrequencyWidths(factors, seasons)
    return widths


def _structure_prior(numbers: dict[str, Any], frequency: Frequency) -> StructurePrior:
    tables = numbers["structure_prior"]
    rows = tables.get(frequency.value, tables["all"])
    degrees, scale = rows["scale"]
    return StructurePrior(
        levels=np.array(rows["levels"]),
        trends=np.array(rows["trends"]),
        seasons=np.array(rows["seasons"]),
        form_weights=np.array(rows["form_weights"]),
        degrees=degrees,
        scale=scale,
        widening=numbers["prior_widening"].get(frequency.value, 1.0),
    )


LEARNED = load_learned()


def interpolate_levels(at_levels: FloatArray, confidence: float) -> FloatArray:
    """Interpolate the values at ``CONFIDENCE_LEVELS``, shape (levels, ...), at one confidence.

    A monotone cubic (Fritsch and Carlson 1980) over the normal quantile of the confidence, 0 at
    confidence 0. Values that fall with the level are raised to the one before; beyond 99 % the last
    value is returned.
    """
    levelled = np.maximum.accumulate(at_levels, axis=0)
    if confidence in CONFIDENCE_LEVELS:
        return np.asarray(levelled[CONFIDENCE_LEVELS.index(confidence)])
    knots = normal_half_widths((0.0, *CONFIDENCE_LEVELS))
    heights = np.concatenate([np.zeros_like(levelled[:1]), levelled])
    knot = min(normal_half_width(confidence), float(knots[-1]))
    return np.asarray(PchipInterpolator(knots, heights)(knot))
