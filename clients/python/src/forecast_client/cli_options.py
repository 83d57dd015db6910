"""The options of the command."""

import argparse
from typing import get_args

from forecast_client.errors import DataError
from forecast_client.grid import FREQUENCIES, frequency_name
from forecast_client.models import MODELS, model_id
from forecast_client.raw import Duplicates, Fill
from forecast_client.settings import KEY_VARIABLE, URL_VARIABLE
from forecast_client.version import __version__

_DELIMITERS = {"tab": "\t", "\\t": "\t"}
_EPILOG = f"""\
The service and the key are read from {URL_VARIABLE} and {KEY_VARIABLE}, or --url and --key-file.
Exit codes: 0 done, 1 the service failed or is not there, 2 the options or the data are wrong."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's options."""
    made = argparse.ArgumentParser(
        prog="forecast",
        description="Forecast the time series in a CSV file.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument(
        "file", help="a CSV file with a column of times and one of values; - is stdin"
    )
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
    group.add_argument("--timestamp-column", metavar="NAME", help="else recognised")
    group.add_argument("--value-column", metavar="NAME", help="else recognised")
    group.add_argument("--id-column", metavar="NAME", help="ids of several series")
    group.add_argument("--series", metavar="ID", help="only this one, with --id-column")
    group.add_argument("--delimiter", type=_delimiter, help="between cells, such as ; or tab")
    group.add_argument("--decimal", choices=[".", ","], help="the decimal mark of numbers")
    group.add_argument("--date-format", metavar="FORM", help="of dates, such as %%d.%%m.%%Y")
    order = group.add_mutually_exclusive_group()
    order.add_argument("--day-first", action="store_true", help="03/04/2024 is in April")
    order.add_argument("--month-first", action="store_true", help="03/04/2024 is in March")
    group.add_argument("--frequency", type=_frequency, help=f"{', '.join(FREQUENCIES)}; else found")
    group.add_argument("--fill", choices=get_args(Fill), help="how gaps are filled")
    group.add_argument(
        "--duplicates", choices=get_args(Duplicates), help="of several values of one time"
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


def _delimiter(text: str) -> str:
    delimiter = _DELIMITERS.get(text.lower(), text)
    if len(delimiter) != 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not one sign, such as ; or tab")
    return delimiter


def _frequency(text: str) -> str:
    try:
        return frequency_name(text)
    except DataError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
