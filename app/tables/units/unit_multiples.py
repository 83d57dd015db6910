"""Convert multiples of one unit in a column, such as g and kg, to the most frequent one."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from statistics import median
from typing import NamedTuple

from app.tables.answers import DecimalMark
from app.tables.numbers.durations import parse_hours
from app.tables.numbers.parsing import abbreviation_of, value_of
from app.timeseries.seconds import HOUR_SECONDS

_POWERS = dict(
    zip("nµμumcdhkKMGTP", (-9, -6, -6, -6, -3, -2, -1, 2, 3, 3, 6, 9, 12, 15), strict=True)
)
_PREFIXES = {
    "": Fraction(1),
    **{prefix: Fraction(10) ** power for prefix, power in _POWERS.items()},
    **{f"{prefix}i": Fraction(1024) ** power for power, prefix in enumerate("KMGTP", 1)},
}
_BINARY = [*"kKMGTP", *(f"{prefix}i" for prefix in "KMGTP")]
_COUNTS = {
    **{prefix: _PREFIXES[prefix] for prefix in ("G", "T", "P", *_BINARY[6:])},
    **dict.fromkeys(("mil", "thousand", "千", "천"), Fraction(10**3)),  # mil is of Spanish
    **dict.fromkeys(("万", "萬", "만"), Fraction(10**4)),
    **dict.fromkeys(("Mil", "million", "Million", "Millionen", "百万"), Fraction(10**6)),
    **dict.fromkeys(("億", "亿", "억"), Fraction(10**8)),
    **dict.fromkeys(("Bil", "billion", "Milliarden"), Fraction(10**9)),
    **dict.fromkeys(("Tri", "trillion", "兆", "조"), Fraction(10**12)),
}
_THOUSANDS = {"k", "K", "Tsd", "tsd"}  # where these occur, mil is not the Spanish thousand
# 0.9 among 850 and 900 W may be a small value or kilowatts: kilowatts must fit better by this many
# orders of magnitude.
_MIN_ORDERS_OF_MAGNITUDE = 1.0


class UnitMultiple(NamedTuple):
    """A unit as a multiple of another one: kg is 1,000 times g."""

    base: str
    factor: Fraction


def _known_multiples() -> dict[str, UnitMultiple]:
    families = [
        ("nµμumcdk", "m"),
        ("nµμumk", "g"),
        ("mcdhkM", "l"),
        ("mcdh", "L"),
        ("nµμum", "s"),
        ("mhkM", "Pa bar"),
        ("µμumkKMGT", "W Wh VA var varh V A Ah J cal Hz"),
        (_BINARY, "B b bps Bps"),
    ]
    of_counts = {prefix: UnitMultiple("", factor) for prefix, factor in _COUNTS.items()}
    of_units = {
        f"{prefix}{base}": UnitMultiple("l" if base == "L" else base, _PREFIXES[prefix])
        for prefixes, bases in families
        for base in bases.split()
        for prefix in ("", *prefixes)
    }
    words = {"byte": "B", "bytes": "B", "bit": "b", "bits": "b"}
    of_words = {
        f"{prefix}{word}": of_units[f"{prefix}{unit}"]
        for word, unit in words.items()
        for prefix in ("", *_BINARY)
    }
    return of_counts | of_units | of_words | {"t": UnitMultiple("g", Fraction(10**6))}


_MULTIPLES = _known_multiples()
# The multiple of a unit in other letters, such as KWH; none if it may be two, such as MWH.
_LOWER_UNITS = {(unit.lower(), multiple) for unit, multiple in _MULTIPLES.items()}
_CANDIDATE_COUNTS = Counter(unit for unit, _ in _LOWER_UNITS)
_BY_LOWER = {unit: multiple for unit, multiple in _LOWER_UNITS if _CANDIDATE_COUNTS[unit] == 1}


class Conversion(NamedTuple):
    """The unit to convert to, and what one of each unit is in it."""

    unit: str
    factors: dict[str, Fraction]

    def __str__(self) -> str:
        other_units = (
            (unit, factor) for unit, factor in self.factors.items() if unit and factor != 1
        )
        return ", ".join(
            f"1 {unit} is {float(factor):,.10g} {self.unit or 'without a unit'}"
            for unit, factor in other_units
        )


def multiple_of(unit: str) -> UnitMultiple | None:
    """Return a unit as a multiple of another one, None if it is not known."""
    name, slash, per = unit.partition("/")
    size = _MULTIPLES.get(name) or _BY_LOWER.get(name.lower())
    if size is None and name[:1] in _COUNTS and not name.isascii():
        size = UnitMultiple(name[1:], _COUNTS[name[0]])  # such as 万円
    if size is None and name != "m" and (hours := parse_hours(f"1 {name}")):
        size = UnitMultiple("s", Fraction(round(hours * HOUR_SECONDS)))
    return size and UnitMultiple(size.base + slash + per, size.factor)


def find_conversion(numbers: Mapping[str, Sequence[str]], wanted: str | None) -> Conversion | None:
    """Return how to convert multiples of one unit to the most frequent one, or the wanted one.

    ``numbers`` has the distinct numbers of each unit, without it; "" is for none.
    """
    sizes = {unit: multiple_of(unit) for unit in numbers if unit}
    if "mil" in sizes and not _THOUSANDS.isdisjoint(map(abbreviation_of, numbers.get("", ()))):
        sizes["mil"] = UnitMultiple("", Fraction(10**6))
    bases = {size and size.base for size in sizes.values()}
    if len(bases) != 1 or None in bases:
        return None
    factors = {unit: size.factor for unit, size in sizes.items() if size}
    if "" in numbers and (_are_in_base(numbers) if len(sizes) == 1 else bases == {""}):
        factors[""] = Fraction(1)
    if len(factors) < 2:
        return None
    unit = max(factors, key=lambda name: (name == wanted, len(numbers[name])))
    return Conversion(unit, {name: factor / factors[unit] for name, factor in factors.items()})


def _are_in_base(numbers: Mapping[str, Sequence[str]]) -> bool:
    """Return whether numbers without a unit, where others are in kW, are in W by their size."""
    [unit] = filter(None, numbers)
    size, *typical = multiple_of(unit), _typical_size(numbers[""]), _typical_size(numbers[unit])
    if size is None or not all(typical):
        return False
    orders, shift = math.log10(typical[0] / typical[1]), math.log10(size.factor)
    return abs(orders - shift) + _MIN_ORDERS_OF_MAGNITUDE <= abs(orders)


def _typical_size(numbers: Sequence[str]) -> float:
    parsed = ([value_of(cell, mark) for mark in DecimalMark] for cell in numbers)
    sizes = [abs(value) for values in parsed if (value := next(filter(None, values), None))]
    return median(sizes) if sizes else 0.0
