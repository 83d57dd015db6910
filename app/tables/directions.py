"""Give amounts without signs those that the words or the balance beside them show."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.dated_table import DatedTable
from app.tables.direction_words import signs_of_words
from app.tables.heading import value_columns
from app.tables.key_names import is_named_identifier
from app.tables.numbers import (
    FormattedNumber,
    is_missing,
    read_likely_numbers,
    unit_of,
)
from app.tables.results import Layout, Reading, Summary
from app.tables.samples import free_columns, is_mostly
from app.tables.series_names import find_name_columns, find_repeated_names, row_names
from app.tables.summary import named_summary
from app.tables.table import quote
from app.timeseries.types import BoolArray, FloatArray, IntArray

_MAX_COLUMNS = 100
_MAX_KINDS = 8  # words of a column of directions
_SAMPLE = 500  # rows that distinguish most columns from one of directions
_MIN_ROWS = 4
_MAX_NEITHER_FRACTION = 0.5  # of rows that are neither in nor out
_MAX_EMPTY_FRACTION = 0.1  # of rows without a word
_MAX_NEGATIVE_FRACTION = 0.1  # of the amounts of a direction: reversals, if all others have no sign
_MAX_OFF_WHOLE = 0.2  # of the rows of parallel series, by which dates may lack some
_MONEY_NAME = re.compile(
    r"amount|betr[aä]g|bedrag|importe?\b|importo|mont[oa]nt|monto|valor|belopp|bel[øo]e?b|beløp"
    r"|kwota|tutar|[čc][áa]stka|[öo]sszeg|jumlah|umsatz|\b(?:eur|usd|gbp|chf|inr|brl|mxn)\b"
    r"|сумма|сума|金[额額]|금액|المبلغ|סכום|ποσό",
    re.IGNORECASE,
)
_CENTS = re.compile(r"\d[.,]\d{2}\b")


class _Direction(NamedTuple):
    """A column of directions: the sign of each row, and the words for out and for neither."""

    column: int
    signs: IntArray
    out_words: list[str]
    other_words: list[str]


def sign_amounts(rows: DatedTable, reading: Reading) -> DatedTable:
    """Return rows with a minus before amounts that went out, and report that.

    A column of words such as debit and credit is emptied: it names no series. Directions whose
    values are side by side on each date, as those of a counter of visitors, are series.
    """
    amounts = _find_amounts(rows)
    if len(rows.body) < _MIN_ROWS or not amounts:
        return rows
    for direction in _find_directions(rows, amounts):
        if _are_series(direction.column, rows, reading):
            continue
        signed = [
            column for column, values in amounts.items() if _lack_signs(values, direction.signs)
        ]
        if not signed:
            return rows
        _report(direction, rows, signed, reading)
        return _with_signs(rows, direction, signed)
    return rows


def _find_amounts(rows: DatedTable) -> dict[int, FloatArray]:
    """Return the values of columns of amounts, of money if any are: no balances, prices or keys."""
    names = rows.heading.written
    numeric = value_columns(rows.heading, rows.dates.columns)
    summaries = {column: named_summary(names[column], "") for column in numeric}
    likely = [column for column in numeric if summaries[column] is not Summary.AVERAGE]
    amounts = [c for c in likely if summaries[c] is Summary.TOTAL or _are_money(rows, c)] or likely
    return {
        column: read_likely_numbers(rows.body[column])
        for column in amounts
        if amounts is not likely or not is_named_identifier(names[column])
    }


def _find_directions(rows: DatedTable, amounts: Collection[int]) -> Iterator[_Direction]:
    body = rows.body
    are_money = any(_are_money(rows, column) for column in amounts)
    for column in free_columns(body, {*rows.dates.columns, *amounts}, _MAX_COLUMNS):
        if body[column].iloc[:_SAMPLE].nunique() > _MAX_KINDS:
            continue
        codes, kinds = pd.factorize(body[column])
        if len(kinds) > _MAX_KINDS:
            continue
        name = rows.heading.written[column]
        known = signs_of_words([*kinds], name, are_money=are_money)
        if known is None:
            continue
        signs = np.array(known)[codes]
        is_empty = (body[column] == "").to_numpy()
        if (signs == 0).mean() <= _MAX_NEITHER_FRACTION and is_empty.mean() <= _MAX_EMPTY_FRACTION:
            words = [
                [kind for kind, of_kind in zip(kinds, known, strict=True) if of_kind == sign]
                for sign in (-1, 0)
            ]
            yield _Direction(column, signs, *words)


def _are_money(rows: DatedTable, column: int) -> bool:
    cells = [cell for cell in rows.body[column].iloc[:_SAMPLE] if not is_missing(cell)]
    return (
        _MONEY_NAME.search(rows.heading.written[column]) is not None
        or is_mostly(cells, unit_of)
        or is_mostly(cells, _CENTS.search)
    )


def _are_series(column: int, rows: DatedTable, reading: Reading) -> bool:
    """Return whether a column of directions names series, of which each has nearly all dates.

    It does as well if names of rows are asked for, and there are no others.
    """
    body, times, taken = rows.body, rows.times, rows.dates.columns
    names = find_name_columns(body, times, taken, rows.heading, is_long=False)
    if reading.answers.layout is Layout.LONG:
        others = names or find_repeated_names(body.drop(columns=column), taken)
        if not others or column in others:
            return True
    if not names:
        return False
    count = row_names(body, names).nunique() * pd.unique(times).size
    return bool(abs(count - len(body)) <= _MAX_OFF_WHOLE * len(body))


def _lack_signs(values: FloatArray, signs: IntArray) -> bool:
    """Return whether values are positive in both directions, but for reversals."""
    for sign in (-1, 1):
        known = values[(signs == sign) & np.isfinite(values)]
        if (known < 0).mean() > _MAX_NEGATIVE_FRACTION:
            return False
    return True


def _report(
    direction: _Direction, rows: DatedTable, signed: Sequence[int], reading: Reading
) -> None:
    names = rows.heading.names
    listed = " and ".join(quote(names[column]) for column in signed)
    words = ", ".join(map(quote, direction.out_words))
    text = f"In {listed}, {words} of {quote(names[direction.column])} is read as minus."
    reading.add_remark("debit_and_credit", text)
    is_neither = direction.signs == 0
    if is_neither.any():
        left_out = rows.body.index[is_neither].tolist()
        others = ", ".join(quote(word) if word else "no word" for word in direction.other_words)
        text = f"Neither in nor out, and left out: {len(left_out):,} with {others}."
        reading.add_remark("neither_in_nor_out", text, left_out)


def _with_signs(rows: DatedTable, direction: _Direction, signed: Sequence[int]) -> DatedTable:
    body = rows.heading.body.copy()
    body[direction.column] = ""
    is_out = np.zeros(len(body), dtype=bool)
    is_out[rows.has_date] = direction.signs < 0
    for column in signed:
        cells = body[column]
        negative = {cell: _negated(cell) for cell in cells[is_out].unique()}
        body[column] = cells.where(~is_out, cells.map(negative))
    is_known: BoolArray = direction.signs != 0
    signed_rows = replace(rows, heading=replace(rows.heading, body=body))
    return signed_rows if is_known.all() else signed_rows.without(~is_known)


def _negated(cell: str) -> str:
    """Return the cell of a number with the opposite sign."""
    if {*filter(str.isdigit, cell)} <= {"0"}:
        return cell
    number = cell.strip()
    bare = number.strip("()").removeprefix("+").strip("-−– ")
    is_negative = bare != number.removeprefix("+")
    written = bare if is_negative else f"-{bare}"
    if not isinstance(cell, FormattedNumber):
        return type(cell)(written)
    formatted = FormattedNumber(written)
    formatted.number_format = cell.number_format
    return formatted
