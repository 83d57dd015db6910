"""Import the libraries of reading before processes are forked, which then share them."""

import datetime as dt

from app.tables.answers import Answers, TableBounds
from app.tables.dates.cells import is_date, is_yearless, read_fiscal
from app.tables.read import read_table


def warm_up() -> None:
    """Import the libraries, compile the patterns of dates, and fill the caches."""
    for fits, cell in ((is_date, "mar 2024-01.31"), (is_yearless, "may 32"), (read_fiscal, "2024")):
        fits(cell)  # is tried with each form, and has none
    bounds = TableBounds(dt.date(2024, 1, 2))
    read_table(b"date,value\n2024-01-01,1\n2024-01-02,2", Answers(), bounds)
