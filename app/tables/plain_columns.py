"""Take units off the cells of a column, and turn durations into hours."""

from dataclasses import dataclass

import pandas as pd

from app.tables.durations import hours_of, is_duration
from app.tables.heading import Heading
from app.tables.numbers import StoredNumber, is_missing, is_numeric, is_plain
from app.tables.results import Choice, Reading, cut_name
from app.tables.samples import is_mostly
from app.tables.table import shorten
from app.tables.units import count_units, split_word, unit_in

_HOURS = "h"
_MAX_UNITS_OFFERED = 10
_DIGITS = 10  # of a fraction of an hour


@dataclass(frozen=True)
class PlainColumn:
    """The cells of a column without an unknown ``unit``, which is "" for plain numbers and known
    ones; "" where another unit than the chosen one was."""

    cells: pd.Series
    unit: str
    is_of_several: bool


def plain_column(heading: Heading, column: int, reading: Reading) -> PlainColumn:
    """Return the cells of a column without units; ask which unit is wanted if there are several."""
    cells = heading.body[column]
    filled = [cell for cell in cells.unique() if not is_missing(cell)]
    if all(map(is_plain, filled)):
        return PlainColumn(cells, "", False)
    known = [cell for cell in filled if is_numeric(cell)]
    if 2 * len(known) <= len(filled) and is_mostly(filled, is_duration):
        return PlainColumn(
            cells.map({cell: _hours(cell) for cell in cells.unique()}), _HOURS, False
        )
    are_known = set(known)
    others = [cell for cell in filled if cell not in are_known]
    words = {cell: split_word(cell) for cell in others}
    numbers = {
        cell: number for cell, (number, unit) in words.items() if unit and is_numeric(number)
    }
    units = count_units([*(cell for cell in known if not is_plain(cell)), *numbers])
    units.pop("", None)
    if 2 * (len(known) + len(numbers)) <= len(filled):
        return PlainColumn(cells, "", False)
    is_of_several = len(units) > 1 and min(units.values()) > 0
    wanted = reading.answers.unit
    if is_of_several:
        _ask_unit(
            heading, column, [name for name, _ in units.most_common(_MAX_UNITS_OFFERED)], reading
        )
    unit = (
        wanted if is_of_several and wanted in units else units.most_common(1)[0][0] if units else ""
    )
    if is_of_several and wanted in units:
        left_out = {cell for cell in (*known, *numbers) if unit_in(cell) not in (wanted, "")}
        if left_out:
            rows = cells.index[cells.isin(left_out)].tolist()
            where = shorten(heading.names[column])
            text = f"Left out in “{where}”: {len(rows):,} values in another unit."
            reading.add_remark("other_unit", text, rows)
            cells = cells.where(~cells.isin(left_out), "")
    if not numbers:
        return PlainColumn(cells, "", is_of_several)
    cells = cells.map(lambda cell: numbers.get(cell, cell))
    return PlainColumn(
        cells, unit if unit in {written for _, written in words.values()} else "", is_of_several
    )


def _hours(cell: str) -> str:
    hours = hours_of(cell)
    return cell if hours is None else StoredNumber(round(hours, _DIGITS))


def _ask_unit(heading: Heading, column: int, units: list[str], reading: Reading) -> None:
    cells = heading.body[column]
    choices = []
    for unit in units:
        of_unit = [cell for cell in cells if unit_in(cell) == unit]
        choices.append(
            Choice(
                cut_name(unit),
                f"those in {unit}",
                f"{len(of_unit):,} values, such as {shorten(of_unit[0])}",
            )
        )
    name, shown = shorten(heading.names[column]), ", ".join(map(shorten, units))
    reading.chosen["unit"] = reading.answers.unit
    reading.ask(
        "unit",
        f"“{name}” has values in {len(units)} units: {shown}. Which are wanted?",
        choices,
        required=reading.answers.unit not in units,
    )
