"""The mixture of Student's t that forecasts a short history, and its quantiles."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, stdtrit

from app.timeseries.types import BoolArray, FloatArray

# Quantiles of a Student's t: at equal steps of a standard normal, up to this many deviations.
_GRID_POINTS = 41
_MAX_SIGMAS = 3.6
_TIE_DIGITS = 10  # values that differ by less, in units of the series, are equal
# Logarithms are exponentiated up to this fraction of their range beyond those of the history, and
# up to `_MAX_LOG`.
_LOG_MARGIN = 0.5
_MAX_LOG = 30.0


@dataclass(frozen=True)
class CentredValues:
    """Raw values or logarithms, less their mean.

    Attributes:
        values: Of values in units of ``Posterior.unit``, shape (n,).
        mean: The subtracted mean.
        jacobian: What is added to the log-likelihood to get that of the raw values.
        is_log: Whether they are logarithms.
    """

    values: FloatArray
    mean: float
    jacobian: float
    is_log: bool

    @classmethod
    def of(cls, raw: FloatArray, *, is_log: bool) -> "CentredValues":
        values = np.log(raw) if is_log else raw
        jacobian = -float(values.sum()) if is_log else 0.0
        return cls(values - values.mean(), float(values.mean()), jacobian, is_log)


@dataclass(frozen=True)
class Mixture:
    """A weighted sum of Student's t with one number of degrees of freedom.

    Attributes:
        weights: Shape (k,).
        centres: In ``unit``, shape (k, h).
        spreads: In ``unit``, shape (k, h).
        is_log: Which components are of logarithms, shape (k,).
        logs: The logarithms of the history; its values if no component is of logarithms.
        degrees: The degrees of freedom.
        unit: The unit of the values.
    """

    weights: FloatArray
    centres: FloatArray
    spreads: FloatArray
    is_log: BoolArray
    logs: CentredValues
    degrees: float
    unit: float


@dataclass(frozen=True)
class Quantiles:
    """Quantiles of each step: ascending ``values`` (h, k) in ``unit``, at ``levels`` (h, k)."""

    values: FloatArray
    levels: FloatArray
    unit: float

    @classmethod
    def of(cls, mixture: Mixture) -> "Quantiles":
        """Return the quantiles of a mixture, from weighted values of each Student's t.

        Between these the distribution is linear, so that a quantile never falls as its level rises.
        """
        edges = ndtr(np.linspace(-_MAX_SIGMAS, _MAX_SIGMAS, _GRID_POINTS + 1))
        edges[0], edges[-1] = 0.0, 1.0
        mass = np.diff(edges)
        standard = stdtrit(mixture.degrees, edges[:-1] + mass / 2.0)
        values = mixture.centres.T[:, :, None] + standard * mixture.spreads.T[:, :, None]
        values[:, mixture.is_log] = _exponentiate(values[:, mixture.is_log], mixture.logs)
        values = values.reshape(len(values), -1)
        # Equal values of several distributions keep their order, whatever their rounding is.
        order = np.argsort(values.round(_TIE_DIGITS), axis=1, kind="stable")
        masses = (mixture.weights[:, None] * mass).ravel()[order]
        levels = np.cumsum(masses, axis=1) - masses / 2.0
        return cls(np.take_along_axis(values, order, axis=1), levels, mixture.unit)

    def at(self, levels: Sequence[float]) -> FloatArray:
        """Return the quantiles of each step at ``levels`` (l,), between 0 and 1: shape (l, h)."""
        quantiles = [
            np.interp(levels, mass, values)
            for mass, values in zip(self.levels, self.values, strict=True)
        ]
        return np.stack(quantiles, axis=1) * self.unit


def _exponentiate(logs: FloatArray, seen: CentredValues) -> FloatArray:
    """Return the exponentials of ``logs``, of any shape; linear far beyond the logarithms ``seen``.

    Errors multiply within the range of a series. Beyond it they add as they do at its mean, so that
    little noise on a high level is forecast like the same noise on any level.
    """
    margin = _LOG_MARGIN * float(np.ptp(seen.values))
    lowest = seen.mean + float(seen.values.min()) - margin
    highest = min(_MAX_LOG, seen.mean + float(seen.values.max()) + margin)
    inside = np.clip(logs, lowest, highest)
    return np.asarray(np.exp(inside) + np.exp(seen.mean) * (logs - inside))
