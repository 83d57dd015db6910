"""Give amounts the signs that words or a balance in their rows show."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.amounts.balance_changes import BalanceChanges, find_balance_changes
from app.tables.amounts.direction_words import signs_of_words
from app.tables.answers import Layout, Summary
from app.tables.codes.key_names import is_named_identifier
from app.tables.dated_table import DatedTable
from app.tables.header.number_columns import value_columns
from app.tables.messages import list_rows, quote
from app.tables.names.series_names import find_name_columns, find_repeated_names, row_names
from app.tables.numbers.parsing import (
    FormattedNumber,
    read_likely_numbers,
    unit_of,
    without_missing,
)
from app.tables.reading import Reading
from app.tables.table import free_columns, is_mostly
from app.tables.values.summary import summary_by_name
from app.tables.words import AMOUNT
from app.timeseries.types import IntArray

_MAX_COLUMNS_SEARCHED = 100
_MAX_WORDS = 8
_SAMPLE_ROWS = 500  # these distinguish most columns from one of directions
_MIN_ROWS = 4
_MAX_NEITHER_FRACTION = 0.5  # at most this fraction of the rows may be neither in nor out
_MAX_EMPTY_FRACTION = 0.1  # at most this fraction of the rows may have no word
# Up to this fraction of the amounts of a direction may have a minus: they are reversals.
_MAX_NEGATIVE_FRACTION = 0.1
# Without words, the amount must be the change of the balance in at least this fraction of the rows.
_MIN_UNNAMED_FRACTION = 0.9
# Two words name the directions if the means of their signs in the balance are this far apart; they
# are 2 apart if all rows agree.
_MIN_DISTANCE_OF_MEANS = 1.8
# Two series may have more or fewer rows than one for each date, up to this fraction of all rows.
_MAX_LACKING_FRACTION = 0.2
_MONEY_NAME = re.compile(
    rf"{AMOUNT}|valor|jumlah|umsatz|\b(?:eur|usd|gbp|chf|inr|brl|mxn)\b", re.IGNORECASE
)
_CENTS = re.compile(r"\d[.,]\d{2}\b")
# A minus before a number, also behind its currency, or after it; not that of an exponent.
_MINUS = re.compile(r"(?<![\deE])[-−–]\s{0,3}|\s{0,3}[-−–]$")


class _Direction(NamedTuple):
    """The sign of each row, 0 for neither; the column of the words that say it, None without."""

    signs: IntArray
    column: int | None = None
    signs_by_word: Mapping[str, int] = MappingProxyType({})

    def words(self, sign: int) -> str:
        words = (word for word, of_word in self.signs_by_word.items() if of_word == sign)
        return ", ".join(quote(word) if word else "no word" for word in words)


def apply_directions(dated_table: DatedTable, reading: Reading) -> DatedTable:
    """Return rows with a minus before amounts that went out, and report that.

    A column of words such as debit and credit is emptied, as it names no series.
    """
    choice = _choose_direction(dated_table, reading)
    if choice is None:
        return dated_table
    direction, unsigned = choice
    _report_direction(direction, dated_table, unsigned, reading)
    return _with_signs(dated_table, direction, unsigned)


def _choose_direction(
    dated_table: DatedTable, reading: Reading
) -> tuple[_Direction, list[int]] | None:
    """Return the directions of rows and the columns of amounts that lack signs; None without any.

    If both words have a row on each date, such as “in” and “out” of a counter of visitors, they are
    series. The changes of a balance decide, if there is one.
    """
    if len(dated_table.body) < _MIN_ROWS:
        return None
    numeric = value_columns(dated_table.heading, dated_table.dates.columns)
    amounts = _find_amounts(dated_table, numeric)
    if not amounts:
        return None
    changes = find_balance_changes(dated_table, amounts, numeric)
    candidates = (
        direction
        for direction in _find_directions(dated_table, amounts)
        if direction.column is None or not _are_series(direction.column, dated_table, reading)
    )
    direction = next(candidates, None)
    if direction is None:
        if changes is None or changes.fraction < _MIN_UNNAMED_FRACTION:
            return None
        return _direction_of(changes, dated_table), [changes.amount]
    if changes and (direction.signs * changes.signs).sum() < 0:  # the other party's books
        opposite = {word: -sign for word, sign in direction.signs_by_word.items()}
        direction = _Direction(-direction.signs, direction.column, opposite)
    lacking = [c for c in amounts if _are_unsigned(dated_table.body[c], direction.signs)]
    unsigned = [column for column in lacking if not changes or column != changes.balance]
    return (direction, unsigned) if unsigned else None


def _find_amounts(dated_table: DatedTable, numeric: Sequence[int]) -> list[int]:
    """Return the columns of amounts, of money if any are: no balances, prices or keys."""
    names = dated_table.heading.written
    summaries = {column: summary_by_name(names[column], "") for column in numeric}
    likely = [column for column in numeric if summaries[column] is not Summary.AVERAGE]
    amounts = [
        c for c in likely if summaries[c] is Summary.TOTAL or _are_money(dated_table, c)
    ] or likely
    return [
        column
        for column in amounts
        if amounts is not likely or not is_named_identifier(names[column])
    ]


def _find_directions(dated_table: DatedTable, amounts: Collection[int]) -> Iterator[_Direction]:
    body = dated_table.body
    are_money = any(_are_money(dated_table, column) for column in amounts)
    for column in free_columns(body, {*dated_table.dates.columns, *amounts}, _MAX_COLUMNS_SEARCHED):
        if body[column].iloc[:_SAMPLE_ROWS].nunique() > _MAX_WORDS:
            continue
        codes, kinds = pd.factorize(body[column])
        if len(kinds) > _MAX_WORDS:
            continue
        name = dated_table.heading.written[column]
        signs_of_kinds = signs_of_words([*kinds], name, are_money=are_money)
        if signs_of_kinds is None:
            continue
        signs = np.array(signs_of_kinds)[codes]
        is_empty = (body[column] == "").to_numpy()
        if (signs == 0).mean() <= _MAX_NEITHER_FRACTION and is_empty.mean() <= _MAX_EMPTY_FRACTION:
            yield _Direction(signs, column, dict(zip(kinds, signs_of_kinds, strict=True)))


def _direction_of(changes: BalanceChanges, dated_table: DatedTable) -> _Direction:
    """Return the directions that a balance shows, and two words that agree with it, if any do."""
    body = dated_table.body
    is_known = changes.signs != 0
    for column in free_columns(
        body, {*dated_table.dates.columns, changes.balance, changes.amount}, 20
    ):
        if body[column].iloc[:_SAMPLE_ROWS].nunique() != 2:
            continue
        codes, words = pd.factorize(body[column])
        means = pd.Series(changes.signs[is_known]).groupby(codes[is_known]).mean()
        if len(words) == len(means) == 2 and abs(means[0] - means[1]) > _MIN_DISTANCE_OF_MEANS:
            signs = [1 if mean > 0 else -1 for mean in means]
            return _Direction(np.array(signs)[codes], column, dict(zip(words, signs, strict=True)))
    return _Direction(changes.signs)


def _are_money(dated_table: DatedTable, column: int) -> bool:
    cells = without_missing(dated_table.body[column].to_numpy()[:_SAMPLE_ROWS])
    return (
        _MONEY_NAME.search(dated_table.heading.written[column]) is not None
        or is_mostly(cells, unit_of)
        or is_mostly(cells, _CENTS.search)
    )


def _are_series(column: int, dated_table: DatedTable, reading: Reading) -> bool:
    """Return whether a column of directions names series: each has a row on nearly all dates.

    It also names series if the rows are known to have names, and no other column has any.
    """
    body = dated_table.body
    names = find_name_columns(dated_table, is_long=False)
    if reading.answers.layout is Layout.LONG:
        without_words = dated_table.with_body(dated_table.heading.body.drop(columns=column))
        others = names or find_repeated_names(without_words)
        if not others or column in others:
            return True
    if not names:
        return False
    count = row_names(body, names).nunique() * pd.unique(dated_table.times).size
    return bool(abs(count - len(body)) <= _MAX_LACKING_FRACTION * len(body))


def _are_unsigned(cells: pd.Series, signs: IntArray) -> bool:
    values = read_likely_numbers(cells)
    for sign in (-1, 1):
        amounts = values[(signs == sign) & np.isfinite(values)]
        if amounts.size and (amounts < 0).mean() > _MAX_NEGATIVE_FRACTION:
            return False
    return True


def _with_signs(
    dated_table: DatedTable, direction: _Direction, unsigned: Sequence[int]
) -> DatedTable:
    body = dated_table.heading.body.copy()
    if direction.column is not None:
        body[direction.column] = ""
    signs = np.ones(len(body), dtype=np.int64)
    signs[dated_table.is_counted] = direction.signs
    for column in unsigned:
        cells = body[column]
        negative = {cell: _negate_cell(cell) for cell in cells[signs < 0].unique()}
        body[column] = cells.where(signs >= 0, cells.map(negative)).where(signs != 0, "")
    signed_rows = dated_table.with_body(body)
    is_neither = direction.signs == 0
    has_words = direction.column is not None
    return signed_rows.without(is_neither) if has_words and is_neither.any() else signed_rows


def _report_direction(
    direction: _Direction, dated_table: DatedTable, unsigned: Sequence[int], reading: Reading
) -> None:
    names = dated_table.heading.names
    columns_text = " and ".join(quote(names[column]) for column in unsigned)
    left_out = dated_table.body.index[direction.signs == 0].tolist()
    if direction.column is None:
        text = f"{columns_text} has no signs: what the balance falls by is read as minus."
        rows_text = f"{list_rows(left_out, reading)}: the balance does not change by this amount"
    else:
        words = direction.words(-1)
        text = f"In {columns_text}, {words} of {quote(names[direction.column])} is read as minus."
        rows_text = f"{len(left_out):,} with {direction.words(0)}: neither in nor out"
    reading.add_remark("debit_and_credit", text)
    if left_out:
        reading.add_remark("neither_in_nor_out", f"Left out {rows_text}.", left_out)


def _negate_cell(cell: str) -> str:
    if {*filter(str.isdigit, cell)} <= {"0"}:
        return cell
    number = cell.strip().removeprefix("+")
    bare = _MINUS.sub("", number.strip("()")).strip()
    is_negative = bare != number
    opposite = bare if is_negative else f"-{bare}"
    if not isinstance(cell, FormattedNumber):
        return type(cell)(opposite)
    formatted = FormattedNumber(opposite)
    formatted.number_format = cell.number_format
    return formatted
