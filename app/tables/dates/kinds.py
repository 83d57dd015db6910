"""The kinds of dates: how the dates of a column are written."""

from collections.abc import Callable
from enum import StrEnum

from app.tables.dates.cells import is_date, is_yearless, read_fiscal, read_serial, read_split_year
from app.tables.dates.counted import read_count
from app.tables.dates.fiscal import split_fiscal_month


class DateKind(StrEnum):
    """How dates are written."""

    FULL = "full"
    SERIAL = "serial"
    YEARLESS = "yearless"
    FISCAL = "fiscal"
    FISCAL_MONTH = "fiscal_month"
    SPLIT_YEAR = "split year"  # 2019/20
    COUNTED = "counted"


DATE_TESTS: dict[DateKind, Callable[[str], object]] = {
    DateKind.FULL: is_date,
    DateKind.SERIAL: read_serial,
    DateKind.YEARLESS: is_yearless,
    DateKind.FISCAL: read_fiscal,
    DateKind.FISCAL_MONTH: split_fiscal_month,
    DateKind.SPLIT_YEAR: lambda cell: read_split_year(cell) or is_date(cell),
    DateKind.COUNTED: read_count,
}
