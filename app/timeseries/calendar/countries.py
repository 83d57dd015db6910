"""Public holidays of countries and their parts, as the library ``holidays`` knows them.

The library is imported by the functions that use it: it takes up to 0.7 s and 20 MB, which only
those pay who ask for holidays.
"""

import re
import warnings
from functools import cache, lru_cache

import numpy as np

FIRST_YEAR, LAST_YEAR = 1970, 2050
"""Holidays are known in these years and between them."""

_ISO_PART = re.compile("[A-Z0-9]{1,3}")
# What the library adds to the name of a holiday that is kept on another day, or not yet certain.
_REMARK = re.compile(r" \([^)]*(?:observed|estimated|substitut|lieu)[^)]*\)$")
_SEPARATOR = "; "


@cache
def country_codes() -> dict[str, tuple[str, ...]]:
    """Return the ISO 3166-1 codes of countries, and for each the ISO 3166-2 codes of its parts.

    Only parts whose holidays are known on their own are listed: ``AU-VIC``, but none of Singapore.
    """
    import holidays  # noqa: PLC0415

    found = holidays.list_supported_countries(include_aliases=False)
    return {
        country: tuple(f"{country}-{part}" for part in parts if _ISO_PART.fullmatch(part))
        for country, parts in sorted(found.items())
    }


def country_code_by_name(name: str) -> str | None:
    """Return the code of a country by another name: ``Germany``, ``UK``, ``AUS``; None if unknown.

    Case and spaces do not count.
    """
    import holidays  # noqa: PLC0415

    wanted = re.sub("[^a-z]", "", name.lower())
    found = next((each for each in dir(holidays) if each.lower() == wanted), "")
    code = getattr(getattr(holidays, found, None), "country", None)
    return code if code in country_codes() else None


@lru_cache(maxsize=64)
def public_holidays(code: str, first_year: int, last_year: int) -> dict[int, str]:
    """Return the public holidays of a country or a part of it.

    Args:
        code: One of ``country_codes()``, a country's or a part's.
        first_year: The first year that is asked for.
        last_year: The last one; of the years between them only those that are known count.

    Returns:
        English names by day, in days since 1970-01-01, ascending. Where two holidays meet, the day
        has the name of one of them, and a holiday kept on another day has its own name.
    """
    import holidays  # noqa: PLC0415

    country, _, part = code.partition("-")
    # A holiday may be kept on a day of the year before or after its own.
    years = range(max(first_year, FIRST_YEAR) - 1, min(last_year, LAST_YEAR) + 2)
    if len(years) < 3:
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # for some countries the library knows fewer years
        found = holidays.country_holidays(
            country, subdiv=part or None, years=years, language="en_US"
        )
    known = sorted((day, name) for day, name in found.items() if day.year in years[1:-1])
    return {
        int(np.datetime64(day, "D").astype(np.int64)): _REMARK.sub("", name.split(_SEPARATOR)[0])
        for day, name in known
    }
