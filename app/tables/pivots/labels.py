"""The labels of periods and of the parts of years in a pivot."""

import re

from app.tables.dates.cells import is_written_date, is_yearless
from app.tables.dates.columns.period_codes import HALF_CODE
from app.tables.dates.fiscal import split_fiscal_month
from app.tables.dates.month_names import month_of
from app.tables.dates.year_labels import COUNTED_MONTH

_POINT_MONTH = re.compile(
    r"(?:19|20)\d{2}\.(?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])\.(?:19|20)\d{2}", re.ASCII
)
HALF = re.compile(r"(?:h|hj|hy) ?[12]", re.ASCII | re.IGNORECASE)
QUARTER_LABEL = re.compile(r"(?:q|qtr|t)[1-4]", re.ASCII | re.IGNORECASE)
_FISCAL_YEAR = r"(?:(?:fy|gj|fj|ej) ?\d{2,4}(?:[-–/]\d{2,4})?|(?:19|20)\d{2}[-–/]\d{2,4})"
_FISCAL_QUARTER = re.compile(
    rf"q[1-4] {_FISCAL_YEAR}|{_FISCAL_YEAR} q[1-4]", re.ASCII | re.IGNORECASE
)
_FISCAL_SHORT_YEAR = r"(?:fy|gj|fj|ej) ?\d{2,4}"
_FISCAL_PERIOD = re.compile(
    rf"[mp]\d{{1,2}}[- /.]?{_FISCAL_SHORT_YEAR}|{_FISCAL_SHORT_YEAR}[- /.]?[mp]\d{{1,2}}",
    re.ASCII | re.IGNORECASE,
)


def is_period(cell: str) -> bool:
    patterns = (_POINT_MONTH, HALF_CODE, _FISCAL_QUARTER, _FISCAL_PERIOD)
    is_written = is_written_date(cell) or any(pattern.fullmatch(cell) for pattern in patterns)
    return is_written or split_fiscal_month(cell) is not None


def is_part(cell: str) -> bool:
    return bool(month_of(cell) or QUARTER_LABEL.fullmatch(cell))


def is_label_of_year(cell: str) -> bool:
    return is_named_part(cell) or COUNTED_MONTH.fullmatch(cell) is not None


def is_named_part(cell: str) -> bool:
    return bool(is_yearless(cell) or QUARTER_LABEL.fullmatch(cell))
