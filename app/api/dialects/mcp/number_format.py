"""Format numbers as the playground does: with the decimals of the data (`figures.js`)."""

import math
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext

import numpy as np

from app.timeseries.types import FloatArray

_MIN_DIGITS, _MAX_DIGITS = 2, 6  # significant digits of a typical value
_MONEY_DECIMALS = 2  # decimals that are never cut: values may be amounts of money
NEGLIGIBLE_FRACTION = 1e-9  # a smaller fraction of a typical value is a rounding error
_MAX_PLAIN_NUMBER, _MIN_PLAIN_NUMBER = 1e15, 1e-6  # beyond these, numbers have an exponent
_MIN_PLAIN_EXPONENT = -6  # JavaScript writes smaller numbers with an exponent
_MAX_DECIMALS = 20
_DECIMAL_PRECISION = 60  # digits: the largest plain number with the most decimals


@dataclass(frozen=True)
class NumberFormat:
    """The format of numbers about a series.

    ``decimals`` are the decimals of its values, ``scale`` is the typical size of a value, and
    ``is_extreme`` says whether that needs an exponent.
    """

    decimals: int
    scale: float
    is_extreme: bool

    def format(self, value: float) -> str:
        return self._format_to(self.decimals, value)

    def format_error(self, error: float) -> str:
        """Format the size of an error, which may have more decimals than the values."""
        if error < self.scale * NEGLIGIBLE_FRACTION:
            return self.format(0)
        return self._format_to(max(self.decimals, _MIN_DIGITS - _whole_digits(error)), error)

    def _format_to(self, decimals: int, value: float) -> str:
        size = abs(value)
        is_extreme = self.is_extreme or size >= _MAX_PLAIN_NUMBER
        text = _scientific_notation(size) if is_extreme else _fixed_point(size, decimals)
        return f"-{text}" if value < 0 and float(text.replace(",", "")) else text


def number_format_of(values: FloatArray) -> NumberFormat:
    """Return the format of numbers about ``values``, shape (n,)."""
    sizes = np.sort(np.abs(values))
    typical = float(sizes[sizes.size // 2]) if sizes.size else 0.0
    whole = _whole_digits(typical)
    decimals = min(
        max(_decimals_of(values), _MIN_DIGITS - whole), max(_MONEY_DECIMALS, _MAX_DIGITS - whole)
    )
    return NumberFormat(
        max(0, decimals),
        typical or float(sizes[-1:].sum()),
        typical >= _MAX_PLAIN_NUMBER or 0 < typical < _MIN_PLAIN_NUMBER,
    )


def _decimals_of(values: FloatArray) -> int:
    """Return the smallest number of decimals that represents all values."""
    sufficient = (n for n in range(_MAX_DECIMALS) if (np.round(values, n) == values).all())
    return next(sufficient, _MAX_DECIMALS)


def _fixed_point(size: float, decimals: int) -> str:
    with localcontext() as context:
        context.prec = _DECIMAL_PRECISION
        unit = Decimal(1).scaleb(-min(decimals, _MAX_DECIMALS))
        return f"{Decimal(size).quantize(unit, ROUND_HALF_UP):,f}"


def _scientific_notation(size: float) -> str:
    """Format a number to ``_MAX_DIGITS`` digits, as JavaScript's toPrecision does."""
    digits, _, power = f"{size:.{_MAX_DIGITS - 1}e}".partition("e")
    exponent = int(power)
    if _MIN_PLAIN_EXPONENT <= exponent < _MAX_DIGITS:
        return f"{size:.{_MAX_DIGITS - 1 - exponent}f}"
    return f"{digits}e{exponent:+d}"


def percent_text(fraction: float) -> str:
    """Return a fraction in percent, to three digits: ``95 %``."""
    return f"{float(f'{100 * fraction:.3g}'):g} %"


def round_number(value: float) -> float | int:
    """Round a number of a table to ``_MAX_DIGITS`` digits; whole numbers keep all of theirs."""
    rounded = round(float(value), max(0, _MAX_DIGITS - _whole_digits(abs(value))))
    return int(rounded) if rounded.is_integer() and abs(rounded) < _MAX_PLAIN_NUMBER else rounded


def _whole_digits(value: float) -> int:
    """Return the number of digits before the decimal point; below 0.1 it is negative."""
    return math.floor(math.log10(value)) + 1 if value > 0 else 1
