"""Leave out columns of numbers that describe rows or names, such as codes, and report them."""

import re

import numpy as np
import pandas as pd

from app.tables.heading import Heading
from app.tables.results import Reading
from app.tables.samples import is_mostly
from app.tables.table import shorten

_MIN_NAMES, _MIN_ROWS = 2, 10
_MAX_GRADES = 6  # of quality
_CODE = re.compile(r"\d{0,20}", re.ASCII)
_GRADE = re.compile(r"-?\d{0,3}", re.ASCII)
# Of SDMX, in which agencies publish: they describe a series.
_SERIES_ATTRIBUTE = re.compile(
    "unit_?mult(?:iplier)?|base_?per(?:iod)?|base_?year|ref_?year_?price|decimals|obs_?conf"
    "|conf_?status|obs_?pre_?break|prec_?(?:ision)?",
    re.IGNORECASE,
)
# Of weather services and loggers: they say how good the values beside them are.
_QUALITY = re.compile(
    r"(?:qn|qc|qf|qa|qflag)(?:[_ -]?\d{1,2})?|\w{1,20}[_ -](?:qc|qf|qflag|flag|quality)"
    r"|(?:quality|qualit[äe]ts?)[_ -]?(?:flag|code|level|niveau|byte|stufe)"
    "|.{0,60}(?:品質情報|均質番号|現象なし情報)",  # of Japan's weather service
    re.IGNORECASE,
)


def without_attributes(
    numeric: list[int], body: pd.DataFrame, names: np.ndarray, heading: Heading, reading: Reading
) -> list[int]:
    """Return columns of numbers without those that describe names or values; report these.

    ``names``: of the series of rows. A column that is asked for is kept.
    """
    if len(numeric) < 2 or len(body) < _MIN_ROWS:
        return numeric
    codes, distinct = pd.factorize(names)
    first_rows = np.unique(codes, return_index=True)[1]
    reasons: dict[int, str] = {}
    for column in numeric:
        cells = body[column].to_numpy()
        first = cells[first_rows]
        has_one_each = bool((first[codes] == cells).all())
        if heading.names[column] in (reading.answers.columns or ()):
            continue
        if has_one_each and _SERIES_ATTRIBUTE.fullmatch(heading.written[column]):
            reasons[column] = "describes the values"
        elif _is_quality(heading.written[column], cells):
            reasons[column] = "says how good the values are"
        elif has_one_each and len(distinct) >= _MIN_NAMES and _are_codes(first):
            reasons[column] = "has one number for each name"
    kept = [column for column in numeric if column not in reasons]
    for column, reason in reasons.items() if kept else ():
        text = f"Not read: “{shorten(heading.names[column])}” {reason}."
        reading.add_remark("column_not_read", text)
    return kept or numeric


def _are_codes(cells: np.ndarray) -> bool:
    return len({*cells.tolist()}) > 1 and is_mostly(cells.tolist(), _CODE.fullmatch)


def _is_quality(name: str, cells: np.ndarray) -> bool:
    if not _QUALITY.fullmatch(name):
        return False
    kinds = pd.unique(cells)
    return len(kinds) <= _MAX_GRADES and all(map(_GRADE.fullmatch, kinds))
