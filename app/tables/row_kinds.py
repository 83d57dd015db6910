"""Report rows that may not count: failed payments, and plans beside actual values."""

import re
from collections.abc import Collection

import numpy as np
import pandas as pd

from app.tables.heading import Heading
from app.tables.results import Reading
from app.tables.series_end import offer_until
from app.tables.table import shorten
from app.timeseries.calendar.timestamps import TimeArray

_MAX_COLUMNS = 100
_MAX_KINDS = 12  # of a column such as a status
_MAX_CELL_LENGTH = 40
_MIN_ROWS = 3
_MARK = re.compile(r"\([a-z]{1,3}\)$|[*†‡]{1,3}$", re.IGNORECASE | re.ASCII)
_MAX_MARK_LENGTH = 8
_VOID = re.compile(
    r"\b(?:fail|refund|cancel|declin|void|revers|chargeback|disput|expired|reject|uncaptured|storn"
    r"|abgelehnt|fehlgeschlagen|erstatt|retour|annul|rembours|anulad|reembols|devuelt|devolu|estorn"
    r"|zwr[oó]|anulowan|iade|iptal|отмен|возврат)|退款|取消|失败|キャンセル|返品|취소|환불",
    re.IGNORECASE,
)
_PLANNED = re.compile(
    r"(?:forecast|fcst|plan|planned|budget|projection|projected|outlook|prognose|vorschau|soll"
    r"|hochrechnung|pr[ée]vision\w{0,2}|presupuesto|pron[oó]stico|previsto|estimated?)"
    r"|予測|预测|예측|план|прогноз",
    re.IGNORECASE,
)


def report_kinds(
    heading: Heading, times: TimeArray, taken: Collection[int], body: pd.DataFrame, reading: Reading
) -> None:
    """Report columns whose kinds say that some rows may not count; ask if these are the last ones.

    ``times``: the dates of the rows of ``body``; ``taken``: columns of dates, names and values.
    """
    for column in [column for column in [*body][:_MAX_COLUMNS] if column not in taken]:
        codes, kinds = pd.factorize(body[column])
        if not 2 <= len(kinds) <= _MAX_KINDS or len(body) < _MIN_ROWS:
            continue
        short = [kind if len(kind) <= _MAX_CELL_LENGTH else "" for kind in kinds]
        name, counts = shorten(heading.names[column]), np.bincount(codes)
        void = [i for i, kind in enumerate(short) if _VOID.search(kind)]
        planned = [i for i, kind in enumerate(short) if _PLANNED.fullmatch(kind.strip())]
        if 0 < len(void) < len(kinds):
            shown = ", ".join(f"“{shorten(kinds[i])}” in {counts[i]:,} rows" for i in void)
            text = f"“{name}” has {shown}: they count like the others. If they should not, remove"
            reading.add_remark("rows_of_a_kind", f"{text} these rows.")
        if 0 < len(planned) < len(kinds):
            _ask_until(name, shorten(kinds[planned[0]]), np.isin(codes, planned), times, reading)


def report_marks(cells: pd.Series, times: TimeArray, reading: Reading) -> None:
    """Report that the last dates, and no others, have a mark such as (p): they may be planned."""
    codes, distinct = pd.factorize(cells)
    matches = [_MARK.search(cell[-_MAX_MARK_LENGTH:]) for cell in distinct]
    marks = np.array([match[0] if match else "" for match in matches], dtype=object)[codes]
    is_marked = marks != ""
    if not is_marked.any() or is_marked.all() or times[is_marked].min() <= times[~is_marked].max():
        return
    last = np.datetime_as_string(times[~is_marked].max(), "D")
    count, mark = np.unique(times[is_marked]).size, marks[is_marked][0]
    named = "The last date is" if count == 1 else f"The last {count} dates are"
    text = f"{named} marked “{mark}”, and read like the others. If they are plans, send "
    reading.add_remark("marked_dates", f"{text}until={last}.")


def _ask_until(
    name: str, kind: str, is_planned: np.ndarray, times: TimeArray, reading: Reading
) -> None:
    last, ahead = times[~is_planned].max(), np.unique(times[is_planned])
    if ahead[0] <= last:
        text = f"“{name}” has “{kind}” in {is_planned.sum():,} rows: they count like the others."
        reading.add_remark("rows_of_a_kind", f"{text} If they should not, remove these rows.")
        return
    single = f"The last date is marked “{kind}”: leave it out?"
    several = f"The last {ahead.size} dates are marked “{kind}”: leave them out?"
    offer_until(single if ahead.size == 1 else several, last, ahead[-1], reading)
