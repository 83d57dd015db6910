"""Names of time zones behind times, such as CEST."""

from collections.abc import Sequence

from app.tables.dates.cells import ParsedDate
from app.tables.dates.month_names import fold_text
from app.tables.results import Reading

# Names of standard and summer time: a column that has both is of one zone.
_NAMED_OFFSETS = (
    {"CET": "+01:00", "CEST": "+02:00"},
    {"MEZ": "+01:00", "MESZ": "+02:00"},
    {"EET": "+02:00", "EEST": "+03:00"},
    {"GMT": "+00:00", "BST": "+01:00"},
    {"EST": "-05:00", "EDT": "-04:00"},
    {"CST": "-06:00", "CDT": "-05:00"},
    {"MST": "-07:00", "MDT": "-06:00"},
    {"PST": "-08:00", "PDT": "-07:00"},
)


def read_zone_names(
    cells: Sequence[str], dates: Sequence[ParsedDate | None], reading: Reading
) -> Sequence[ParsedDate | None]:
    """Return dates with the offsets of their names, if these are of standard and summer time.

    Else the name behind the first date is reported: several zones may have it.
    """
    pairs = [*zip(cells, dates, strict=True)]
    first = next((_zone_name(cell, date) for cell, date in pairs if date), "")
    if not first:
        return dates
    names = [_zone_name(cell, date) for cell, date in pairs]
    of_dates = {name.strip("()") for name, date in zip(names, dates, strict=True) if date}
    for offsets in _NAMED_OFFSETS:
        if of_dates == {*offsets}:
            named = zip(names, dates, strict=True)
            return [
                date and date._replace(suffix=offsets[name.strip("()")]) for name, date in named
            ]
    reading.add_remark(
        "zone_names", f"“{first}” is left out: times are read as the clock shows them."
    )
    return dates


def _zone_name(cell: str, date: ParsedDate | None) -> str:
    """Return the name of the time zone behind a time; "" for none."""
    form = date.form if date else None
    match = form.pattern.fullmatch(fold_text(cell)) if form else None
    name = match.groupdict().get("zone_name") if match else None
    return (name or "").strip().upper()
