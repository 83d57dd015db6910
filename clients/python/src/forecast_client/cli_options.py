"""The options of the command."""

import argparse
from typing import get_args

from forecast_client.errors import DataError
from forecast_client.grid import FREQUENCIES, frequency_name
from forecast_client.models import MODELS, model_id
from forecast_client.raw import Duplicates, Fill
from forecast_client.settings import KEY_VARIABLE, URL_VARIABLE
from forecast_client.version import __version__

_MARKS = {".": "point", ",": "comma"}
_EPILOG = f"""\
The service and the key are read from {URL_VARIABLE} and {KEY_VARIABLE}, or --url and --key-file.
Exit codes: 0 done, 1 the service failed or is not there, 2 the options or the data are wrong."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's options."""
    made = argparse.ArgumentParser(
        prog="forecast",
        description="Forecast the time series in a CSV file or a workbook (.xlsx).",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("file", help="with a column of dates and one of values; - is stdin")
    made.add_argument("--horizon", type=_whole, required=True, help="how many points, 1 to 100")
    made.add_argument("--model", type=_model, help=f"{', '.join(MODELS)}, or 1 to 4 (General)")
    made.add_argument("--confidence", type=_share, help="of the interval, 0.1 to 0.99 (0.95)")
    made.add_argument(
        "--holidays", metavar="CODE", help="of a country or a part of it, such as AU or AU-VIC"
    )
    made.add_argument(
        "--backtest",
        action="store_true",
        help="forecast the past by all models first, and use the best unless --model is given",
    )
    made.add_argument("--windows", type=_whole, help="of --backtest, 1 to 10 (5)")
    made.add_argument("--plot", metavar="IMAGE", help="draw a .png, .svg or .pdf; needs matplotlib")
    made.add_argument("--output", metavar="CSV", help="write the forecast to a CSV file")
    made.add_argument("--url", help="where the service is")
    made.add_argument("--key-file", metavar="FILE", help="a file that holds the API key")
    made.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    _add_reading(made.add_argument_group("how the file is read"))
    return made


def _add_reading(group: "argparse._ArgumentGroup") -> None:
    group.add_argument("--sheet", metavar="NAME", help="of a workbook")
    group.add_argument(
        "--header", type=_whole, metavar="ROW", help="with the names; 0: there is none"
    )
    group.add_argument(
        "--dates", "--timestamp-column", metavar="NAME", help="the column of the dates"
    )
    group.add_argument(
        "--column",
        "--value-column",
        dest="columns",
        action="append",
        metavar="NAME",
        help="of values; may be repeated",
    )
    group.add_argument("--series", metavar="NAME", help="only this one of several")
    group.add_argument("--layout", choices=["columns", "long", "pivot"], help="of several series")
    group.add_argument("--decimal", type=_mark, help="the decimal mark: point or comma")
    order = group.add_mutually_exclusive_group()
    orders = ["day-first", "month-first", "year-first"]
    order.add_argument("--date-order", choices=orders, help="of dates such as 03/04/2024")
    for each in orders[:2]:
        order.add_argument(f"--{each}", action="store_const", dest="date_order", const=each)
    group.add_argument("--timezone", metavar="ZONE", help="such as Europe/Berlin")
    group.add_argument("--fill", choices=get_args(Fill), help="how gaps are filled")
    group.add_argument(
        "--duplicates", choices=get_args(Duplicates), help="of several values of one date"
    )
    group.add_argument("--year", type=_whole, help="of the first date, where they have none")
    group.add_argument("--start", metavar="DATE", help="of numbers without dates")
    group.add_argument(
        "--frequency",
        type=_frequency,
        dest="data_frequency",
        help=f"{', '.join(FREQUENCIES)}: of numbers without dates, or where most are missing",
    )


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def _share(text: str) -> float:
    try:
        number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number such as 0.9") from None
    if not 0.1 <= number <= 0.99:
        raise argparse.ArgumentTypeError(f"{text} is not from 0.1 to 0.99 (10% to 99%)")
    return number


def _model(text: str) -> str:
    found = model_id(text)
    if found not in MODELS.values():
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(MODELS)}, 1 to 4")
    return found


def _mark(text: str) -> str:
    mark = _MARKS.get(text, text)
    if mark not in _MARKS.values():
        raise argparse.ArgumentTypeError(f"{text!r} is not point or comma")
    return mark


def _frequency(text: str) -> str:
    try:
        return frequency_name(text)
    except DataError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
