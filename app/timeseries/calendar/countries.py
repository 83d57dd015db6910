"""Public holidays of countries and their subdivisions, from the library ``holidays``.

The library is imported only if holidays are requested: it takes up to 0.7 s and 20 MB.
"""

import datetime as dt
import re
import warnings
from functools import cache, lru_cache

import numpy as np

FIRST_YEAR, LAST_YEAR = 1970, 2050  # the first and the last year with known holidays

_ISO_PART = re.compile("[A-Z0-9]{1,3}")
# The library's remarks in names of holidays that are observed on another day, or are estimated.
_REMARK = re.compile(r" \([^)]*(?:observed|estimated|substitut|lieu)[^)]*\)$")
_MAX_MOVED_DAYS = 7  # between a holiday and the day in lieu of it


@cache
def country_codes() -> dict[str, tuple[str, ...]]:
    """Return the ISO 3166-1 codes of countries, with the ISO 3166-2 codes of their subdivisions.

    Only subdivisions whose holidays differ are listed: ``AU-VIC``, but none of Singapore.
    """
    import holidays  # noqa: PLC0415

    parts_by_country = holidays.list_supported_countries(include_aliases=False)
    return {
        country: tuple(f"{country}-{part}" for part in parts if _ISO_PART.fullmatch(part))
        for country, parts in sorted(parts_by_country.items())
    }


@cache
def holiday_codes() -> frozenset[str]:
    return frozenset(country_codes()).union(*country_codes().values())


def country_code_by_name(name: str) -> str | None:
    """Return the code of a country by another name: ``Germany``, ``UK``, ``AUS``; None if unknown.

    Case and spaces are ignored.
    """
    import holidays  # noqa: PLC0415

    normalized_name = re.sub("[^a-z]", "", name.lower())
    class_name = next(
        (class_name for class_name in dir(holidays) if class_name.lower() == normalized_name), ""
    )
    code = getattr(getattr(holidays, class_name, None), "country", None)
    return code if code in country_codes() else None


@lru_cache(maxsize=64)
def public_holidays(code: str, first_year: int, last_year: int) -> dict[int, str]:
    """Return the public holidays of a country or a subdivision.

    Args:
        code: One of the codes in ``country_codes()``.
        first_year: The first year.
        last_year: The last year; unknown years are left out.

    Returns:
        English names by day, in days since 1970-01-01, ascending; the name of one of them if two
        holidays coincide. A day in lieu of a holiday that is listed too has another name:
        shops may close on one, and offices on the other.
    """
    import holidays  # noqa: PLC0415

    country, _, part = code.partition("-")
    # A holiday may be observed in the year before or after its own.
    years = range(max(first_year, FIRST_YEAR) - 1, min(last_year, LAST_YEAR) + 2)
    if len(years) < 3:
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some countries have fewer years
        names_by_day = holidays.country_holidays(
            country, subdiv=part or None, years=years, language="en_US"
        )
    firsts = {day: name.split("; ")[0] for day, name in names_by_day.items()}
    return {
        int(np.datetime64(day, "D").astype(np.int64)): _without_remark(day, name, firsts)
        for day, name in sorted(firsts.items())
        if day.year in years[1:-1]
    }


def _without_remark(day: dt.date, name: str, names: dict[dt.date, str]) -> str:
    """Return a name without the library's remark.

    It has "in lieu" instead if the holiday itself is also a day off, near ``day``.
    """
    plain = _REMARK.sub("", name)
    near = (day + dt.timedelta(days) for days in range(-_MAX_MOVED_DAYS, _MAX_MOVED_DAYS + 1))
    has_both = plain != name and any(names.get(other) == plain for other in near)
    return f"{plain}, in lieu" if has_both else plain
