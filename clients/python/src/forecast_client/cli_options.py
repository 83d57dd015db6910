"""The options of the command."""

import argparse
from typing import get_args

from forecast_client.models import MODELS, model_id
from forecast_client.series import FREQUENCIES, Duplicates, Fill
from forecast_client.settings import KEY_VARIABLE, URL_VARIABLE
from forecast_client.version import __version__

_MARKS = {".": "point", ",": "comma"}
_PER = [
    "none",
    *(
        f"{period}-{summary}"
        for period in ("day", "week", "month")
        for summary in ("total", "average")
    ),
]
_DATE_ORDERS = ("day-first", "month-first", "year-first")
_EPILOG = f"""\
The service and the key are read from {URL_VARIABLE} and {KEY_VARIABLE}, or --url and --key-file.
Exit codes: 0 done, 1 the service failed or is unreachable, 2 the options or the data are wrong."""


def argument_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="forecast",
        description="Forecast the time series in a CSV file or a workbook (.xlsx).",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("file", help="with a column of dates and one of values; - is stdin")
    add(
        "--horizon",
        type=int,
        required=True,
        help="how many points, 1 to 100, of a table 1 to 1,000",
    )
    models = f"{', '.join(MODELS)}, or 1 to 4 (General)"
    add("--model", type=model_id, choices=MODELS.values(), metavar="MODEL", help=models)
    add("--confidence", type=_fraction, help="of the interval, 0.1 to 0.99 (0.95)")
    add(
        "--holidays",
        metavar="CODE",
        help="of a country or a part of it, such as AU or AU-VIC; none for no holidays",
    )
    add(
        "--backtest",
        action="store_true",
        help="forecast the past by all models first, and use the best unless --model is given",
    )
    add("--windows", type=int, help="of --backtest, 1 to 10 (5)")
    add("--plot", metavar="IMAGE", help="draw a .png, .svg or .pdf; needs matplotlib")
    add(
        *("-o", "--output"),
        metavar="FILE",
        help="save the forecasts of all series, in the form of the file: a .csv, .xlsx or .json",
    )
    add("--url", help="where the service is")
    add("--key-file", metavar="FILE", help="a file that holds the API key")
    add("--version", action="version", version=f"%(prog)s {__version__}")
    _add_reading(parser.add_argument_group("how the file is read"))
    return parser


def _add_reading(group: "argparse._ArgumentGroup") -> None:
    add = group.add_argument
    add("--sheet", metavar="NAME", help="of a workbook")
    add("--header", type=int, metavar="ROW", help="with the names; 0: there is none")
    add("--dates", "--timestamp-column", metavar="NAME", help="the column of the dates")
    add(
        *("--column", "--value-column"),
        dest="columns",
        action="append",
        metavar="NAME",
        help="of values; may be repeated",
    )
    add("--series", metavar="NAME", help="only this one of several")
    add("--layout", choices=["columns", "long", "pivot"], help="of several series")
    add(
        "--decimal",
        type=lambda mark: _MARKS.get(mark, mark),
        choices=_MARKS.values(),
        help="the decimal mark",
    )
    order = group.add_mutually_exclusive_group()
    order.add_argument("--date-order", choices=_DATE_ORDERS, help="of dates such as 03/04/2024")
    for choice in _DATE_ORDERS[:2]:
        order.add_argument(f"--{choice}", action="store_const", dest="date_order", const=choice)
    add("--timezone", metavar="ZONE", help="such as Europe/Berlin")
    add("--fill", choices=get_args(Fill), help="how gaps are filled")
    add("--duplicates", choices=get_args(Duplicates), help="of several values of one date")
    add("--per", choices=_PER, help="whole days, weeks or months in place of shorter steps")
    add("--unit", help="to read of several in a column")
    add("--until", metavar="DATE", help="the last day to read")
    add("--year", type=int, help="of the first date, where they have none")
    add("--start", metavar="DATE", help="of numbers without dates")
    add(
        "--frequency",
        type=str.capitalize,
        choices=FREQUENCIES,
        dest="data_frequency",
        help="of numbers without dates, or where most are missing",
    )


def _fraction(string: str) -> float:
    """Parse a fraction or a percentage."""
    fraction = float(string.removesuffix("%")) / (100 if string.endswith("%") else 1)
    if not 0.1 <= fraction <= 0.99:
        raise argparse.ArgumentTypeError(f"{string} is not from 0.1 to 0.99 (10% to 99%)")
    return fraction
