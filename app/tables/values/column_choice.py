"""Choose the columns of values, and read their numbers."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import filterfalse

import numpy as np
import pandas as pd

from app.tables.answers import DecimalMark
from app.tables.dated_values import ValueColumn
from app.tables.errors import WrongAnswerError
from app.tables.header.heading import Heading
from app.tables.header.number_columns import likely_column
from app.tables.messages import MAX_OFFERED_NAMES, shorten
from app.tables.numbers.parsing import (
    is_missing,
    number_form,
    read_numbers,
    strip_unit,
    value_of,
    without_missing,
)
from app.tables.reading import Choice, Reading
from app.tables.table import SAMPLE_CELLS
from app.tables.units.unit_letters import report_abbreviations
from app.tables.values.attributes import may_be_codes
from app.tables.values.decimal_marks import (
    FileMarks,
    MarkEvidence,
    decide_by_language,
    mark_by_arithmetic,
    mark_evidence,
)
from app.tables.values.suspect_values import is_unit_frequent, report_letters
from app.tables.values.value_marks import read_shares, strip_marks
from app.tables.values.without_units import PlainColumn, plain_columns
from app.tables.workbooks.number_formats import common_format, currency_of
from app.timeseries.types import BoolArray

_MIN_MARKED_CELL_FRACTION = 0.9
_MAX_NAMES_COMPARED = 100


def choose_columns(
    heading: Heading, numeric: Sequence[int], reading: Reading, *, required: bool
) -> list[int]:
    """Return the columns to read; ask if several have numbers.

    Raise WrongAnswerError if an answer names a column that does not exist or has no numbers.
    """
    names, written, body = heading.names, heading.written, heading.body
    answered = [_find_column(name, heading, numeric) for name in reading.answers.columns]
    if len(numeric) > 1:
        cells = dict(zip(body, body.to_numpy().T, strict=True))
        likely = [c for c in numeric if not may_be_codes(written[c], cells[c])] or numeric
        ends = [_last_value_position(cells[column]) for column in likely]
        first = likely[likely_column((names[column] for column in likely), ends)]
        in_order = [first, *(column for column in numeric if column != first)]
        filled = {c: next(filterfalse(is_missing, cells[c]), "") for c in in_order}
        reading.ask(
            "columns",
            f"{len(numeric)} columns have numbers.",
            [Choice(names[column], "a series", shorten(filled[column])) for column in in_order],
            required=required and not answered,
        )
    columns = answered or list(numeric)
    reading.chosen.columns = [names[column] for column in columns]
    return columns


def _find_column(name: str, heading: Heading, among: Collection[int]) -> int:
    names = heading.names
    columns_by_name = {names[column]: column for column in among}
    if name not in columns_by_name:
        matches = get_close_matches(shorten(name), [*columns_by_name][:_MAX_NAMES_COMPARED], 1)
        meant = f"did you mean {matches[0]}? " if matches else ""
        columns = ", ".join(shorten(other) for other in [*columns_by_name][:MAX_OFFERED_NAMES])
        raise WrongAnswerError("columns", f"there is no such column; {meant}send one of: {columns}")
    return columns_by_name[name]


def read_columns(
    heading: Heading,
    columns: Sequence[int],
    marks: FileMarks,
    reading: Reading,
    is_counted: BoolArray | None = None,
) -> list[ValueColumn]:
    """Return the numbers of columns; ask for the decimal mark if it is ambiguous.

    An ambiguous column takes the mark of the file's others, as one person wrote all of them.
    ``is_counted``: which rows count, by default all.
    """
    heading = strip_marks(heading, columns, reading)
    plain = plain_columns(heading, columns, marks.numbers, reading)
    counted = slice(None) if is_counted is None else is_counted
    decision = _decide_mark(heading, plain, marks, counted)
    answered = reading.answers.decimal
    unclear = decision.unclear_column
    if unclear is not None:
        _ask_mark(plain[unclear].cells, decision, unclear, reading)
    values = []
    for column in plain:
        value_column = _value_column(
            heading, column, plain[column], decision.mark_of(column, answered)
        )
        values.append(read_shares(value_column, plain[column].cells, reading))
    for value_column in values:
        report_letters(value_column, heading.body[value_column.index], reading)
        report_abbreviations(value_column, heading.body[value_column.index], reading)
    _report_marks(values, decision, reading)
    return values


@dataclass(frozen=True)
class _MarkDecision:
    """What the file shows of the decimal marks of its columns of values.

    Attributes:
        evidence: What each column shows.
        common: The mark that the others show, or sums of columns; None if they do not.
        notation: The mark of the file's notation, None if a column speaks against it.
    """

    evidence: Mapping[int, MarkEvidence]
    common: DecimalMark | None
    notation: DecimalMark | None

    @property
    def unclear_column(self) -> int | None:
        """The first column of which the mark has to be asked."""
        unclear = (column for column, clue in self.evidence.items() if clue.unclear)
        return None if self.common else next(unclear, None)

    def mark_of(self, column: int, answered: DecimalMark | None) -> DecimalMark:
        clue = self.evidence[column]
        notation = None if answered else self.notation
        return clue.mark or notation or self.common or answered or clue.likely


def _decide_mark(
    heading: Heading,
    plain: Mapping[int, PlainColumn],
    marks: FileMarks,
    is_counted: BoolArray | slice,
) -> _MarkDecision:
    distinct = {column: values.cells[is_counted].unique() for column, values in plain.items()}
    evidence = {column: mark_evidence(cells, marks.likely) for column, cells in distinct.items()}
    if marks.has_point_language:
        evidence = {column: decide_by_language(clue) for column, clue in evidence.items()}
    notation = marks.notation
    if notation and not _fits_all(notation, evidence, distinct):
        notation = None
    if notation:
        evidence = {c: clue._replace(likely=notation) for c, clue in evidence.items()}
    common = _common_mark(evidence.values())
    if not common and any(clue.unclear for clue in evidence.values()):
        others = [column for column in marks.numbers if column not in plain]
        cells_of_others = (heading.body[column][is_counted].unique() for column in others)
        clues = [mark_evidence(cells, marks.likely) for cells in cells_of_others]
        common = _common_mark([*evidence.values(), *clues]) or mark_by_arithmetic(
            [
                *(column.cells for column in plain.values()),
                *(heading.body[column] for column in others),
            ]
        )
    return _MarkDecision(evidence, common, notation)


def _common_mark(evidence: Iterable[MarkEvidence]) -> DecimalMark | None:
    """Return the mark that columns show, if all that show one show the same."""
    marks = {clue.mark for clue in evidence if clue.mark}
    return marks.pop() if len(marks) == 1 else None


def _fits_all(
    mark: DecimalMark, evidence: Mapping[int, MarkEvidence], distinct: Mapping[int, Sequence[str]]
) -> bool:
    """Return whether no column shows its mark, and all ambiguous columns may have ``mark``."""
    unclear = {column: clue.unclear for column, clue in evidence.items() if clue.unclear}
    return (
        not any(clue.mark for clue in evidence.values())
        and not any(mark.other.character in cell for cell in unclear.values())
        and all(_are_all_marked(distinct[column], mark) for column in unclear)
    )


def _report_marks(values: Sequence[ValueColumn], decision: _MarkDecision, reading: Reading) -> None:
    answered = reading.answers.decimal
    is_unclear = decision.unclear_column is not None
    forms = [column.form for column in values]
    marks_used = {form.decimal for form in forms}
    is_open = is_unclear and not (answered or decision.notation)
    reading.chosen.decimal = marks_used.pop() if len(marks_used) == 1 and not is_open else None
    if not is_open and any(form.decimal is DecimalMark.COMMA and form.decimals for form in forms):
        reading.add_remark("decimal_comma", "Commas read as decimal marks.")
    if is_unclear and answered and any(form.grouping == answered.other.character for form in forms):
        text = f"{answered.other.capitalize()}s read as thousands separators."
        reading.add_remark("thousands", text)


def _value_column(
    heading: Heading, column: int, plain: PlainColumn, mark: DecimalMark
) -> ValueColumn:
    form = number_form(plain.cells.tolist(), mark)
    if plain.unit and is_unit_frequent(plain.cells != heading.body[column]):
        form = replace(form, after=f" {plain.unit}")
    if number_format := common_format(heading.body[column][-SAMPLE_CELLS:]):
        before, after = currency_of(number_format)
        form = replace(form, before=before, after=after, number_format=number_format)
    return ValueColumn(column, heading.names[column], read_numbers(plain.cells, mark), form)


def _are_all_marked(cells: Sequence[str], mark: DecimalMark) -> bool:
    """Return whether hardly any number is without a mark: whole ones show that it may group."""
    numbers = without_missing(cells)
    return sum(mark.character in cell for cell in numbers) >= _MIN_MARKED_CELL_FRACTION * len(
        numbers
    )


def _ask_mark(cells: pd.Series, decision: _MarkDecision, column: int, reading: Reading) -> None:
    evidence = decision.evidence[column]
    cell = evidence.unclear or ""
    row = int(cells.index[cells == cell][0])
    choices = []
    for mark in (evidence.likely, evidence.likely.other):
        value = value_of(cell, mark)
        if value is not None:
            is_thousands = value.is_integer() and abs(value) >= 1000
            meaning = f"{value:,.10g} ({'thousands' if is_thousands else 'decimals'})"
            choices.append(Choice(mark, meaning, f"{strip_unit(cell)} is {value:.10g}"))
    if len(choices) == 2:
        question = (
            f"{reading.row_label(row).capitalize()}: “{strip_unit(cell)}” may have a thousands "
            "separator or a decimal mark; no other number decides."
        )
    else:
        question = "Some numbers have a decimal point, and as many a decimal comma. Which is right?"
        choices = [
            Choice(mark, f"the {mark} is before decimals", f"1{mark.character}5")
            for mark in DecimalMark
        ]
    is_required = reading.answers.decimal is None and decision.notation is None
    reading.ask("decimal", question, choices, required=is_required)


def _last_value_position(cells: np.ndarray) -> int:
    """Return the position of the last value, 0 without one.

    A column with gaps that are as long as the one at its end, such as of debits, has not ended.
    """
    last = len(cells) - 1
    if not is_missing(cells[-1]):
        return last
    missing = [cell for cell in pd.unique(cells) if is_missing(cell)]
    filled = np.flatnonzero(~pd.Series(cells).isin(missing))
    if not filled.size:
        return 0
    is_open = filled.size > 1 and last - filled[-1] < np.diff(filled).max()
    return last if is_open else int(filled[-1])
