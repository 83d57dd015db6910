"""Numbers as the playground writes them: with the decimals of the data (`figures.js`)."""

import math
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext

import numpy as np

from app.timeseries.types import FloatArray

_MIN_DIGITS, _MAX_DIGITS = 2, 6  # of the digits that are written of a typical value
_MONEY_DECIMALS = 2  # decimals of money, which are written in any case
_NEGLIGIBLE = 1e-9  # a smaller fraction of a typical value is a rounding error
_MAX_PLAIN_NUMBER, _MIN_PLAIN_NUMBER = 1e15, 1e-6  # beyond these, digits and a power of ten
_MIN_EXPONENT = -6  # JavaScript's: numbers below have an exponent
_MAX_DECIMALS = 20
_DECIMAL_PRECISION = 60  # digits: the largest plain number with the most decimals


@dataclass(frozen=True)
class NumberFormat:
    """How numbers about a series are written.

    ``decimals`` are the decimals of its values, ``scale`` a typical size of one, ``is_extreme``
    whether that is beyond plain numbers.
    """

    decimals: int
    scale: float
    is_extreme: bool

    def format(self, value: float) -> str:
        return self._format(value, self.decimals)

    def format_error(self, error: float) -> str:
        """Return the size of an error in words, which may be finer than the values."""
        if error < self.scale * _NEGLIGIBLE:
            return self.format(0)
        return self._format(error, max(self.decimals, _MIN_DIGITS - _magnitude(error)))

    def _format(self, value: float, decimals: int) -> str:
        size = abs(value)
        is_extreme = self.is_extreme or size >= _MAX_PLAIN_NUMBER
        text = _with_exponent(size) if is_extreme else _fixed_point(size, decimals)
        return f"-{text}" if value < 0 and float(text.replace(",", "")) else text


def number_format_of(values: FloatArray) -> NumberFormat:
    """Return how numbers about ``values``, shape (n,), are written."""
    sizes = np.sort(np.abs(values))
    typical = float(sizes[sizes.size // 2]) if sizes.size else 0.0
    whole = _magnitude(typical)
    decimals = min(
        max(_decimals_of(values), _MIN_DIGITS - whole), max(_MONEY_DECIMALS, _MAX_DIGITS - whole)
    )
    return NumberFormat(
        max(0, decimals),
        typical or float(sizes[-1:].sum()),
        typical >= _MAX_PLAIN_NUMBER or 0 < typical < _MIN_PLAIN_NUMBER,
    )


def _decimals_of(values: FloatArray) -> int:
    """Return how many decimals the values have, as they are written in the shortest way."""
    sufficient = (n for n in range(_MAX_DECIMALS) if (np.round(values, n) == values).all())
    return next(sufficient, _MAX_DECIMALS)


def _magnitude(value: float) -> int:
    """Return the number of digits before the decimal point; below 0.1 it is negative."""
    return math.floor(math.log10(value)) + 1 if value > 0 else 1


def _fixed_point(size: float, decimals: int) -> str:
    with localcontext() as context:
        context.prec = _DECIMAL_PRECISION
        unit = Decimal(1).scaleb(-min(decimals, _MAX_DECIMALS))
        return f"{Decimal(size).quantize(unit, ROUND_HALF_UP):,f}"


def _with_exponent(size: float) -> str:
    """Return a number with ``_MAX_DIGITS`` digits, as JavaScript's toPrecision writes it."""
    digits, _, power = f"{size:.{_MAX_DIGITS - 1}e}".partition("e")
    exponent = int(power)
    if _MIN_EXPONENT <= exponent < _MAX_DIGITS:
        return f"{size:.{_MAX_DIGITS - 1 - exponent}f}"
    return f"{digits}e{exponent:+d}"


def percent(fraction: float) -> str:
    """Return a fraction in percent, with three digits: ``95 %``."""
    return f"{float(f'{100 * fraction:.3g}'):g} %"


def round_number(value: float) -> float | int:
    """Return a number of a table with ``_MAX_DIGITS`` digits, more if it is a whole one."""
    rounded = round(float(value), max(0, _MAX_DIGITS - _magnitude(abs(value))))
    return int(rounded) if rounded.is_integer() and abs(rounded) < _MAX_PLAIN_NUMBER else rounded
