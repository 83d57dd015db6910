"""The command ``forecast``: from a file with a table to a forecast, without pandas."""

import argparse
import csv
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from forecast_client.cli_options import parser
from forecast_client.cli_tables import OPTIONS, Table, read_table
from forecast_client.cli_words import (
    FILE_DIGITS,
    advice_of,
    backtest_table,
    message_of,
    messages_of,
    rows_of,
    table_of,
)
from forecast_client.client import ForecastClient
from forecast_client.columns import listed
from forecast_client.errors import (
    DataError,
    ForecastError,
    InvalidRequestError,
    SettingsError,
)
from forecast_client.many_results import Many
from forecast_client.models import name_of
from forecast_client.results import Backtest, Forecast

DONE, SERVICE_FAILED, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130
HEADER = ("timestamp", "median", "lower_bound", "upper_bound")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; gives its exit code."""
    options = parser().parse_args(arguments)
    try:
        return _run(options)
    except (DataError, SettingsError, InvalidRequestError) as error:
        return _failed(message_of(error), WRONG_INPUT)
    except ForecastError as error:
        return _failed(message_of(error), SERVICE_FAILED)
    except BrokenPipeError:
        # Who reads has had enough; Python would complain when it closes the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED


def _failed(message: str, code: int) -> int:
    print(f"forecast: {message}", file=sys.stderr)
    return code


def _run(options: argparse.Namespace) -> int:
    _check(options)
    content = _content(options.file)
    answers = {name: getattr(options, name) for name in OPTIONS}
    with ForecastClient(options.url, _key(options.key_file)) as client:
        table = client.transport.send(read_table(content, answers))
        for note in table.notes:
            _say(note)
        if table.question:
            raise DataError(table.question)
        names = _names(table, options)
        if len(names) > 1:
            return _many(client, table, options)
        return _one(client, table, names[0], options)


def _check(options: argparse.Namespace) -> None:
    """Refuse what would fail only after requests were spent."""
    if options.windows is not None and not options.backtest:
        raise DataError("--windows is only for --backtest: add --backtest")
    if options.plot and importlib.util.find_spec("matplotlib") is None:
        raise DataError("--plot needs matplotlib: pip install matplotlib")
    for path in filter(None, (options.plot, options.output)):
        if not Path(path).parent.is_dir():
            raise DataError(f"{path}: there is no such folder")


def _names(table: Table, options: argparse.Namespace) -> list[str]:
    """Return the series to forecast: the one that --series names, or all."""
    names = [*table.series, *table.errors]
    if options.series is not None and options.series not in names:
        raise DataError(f"--series {options.series}: there is none; there are {listed(names)}")
    for chosen, option in ((options.backtest, "--backtest"), (options.plot, "--plot")):
        if chosen and options.series is None and len(names) > 1:
            one = f"{option} is for one series: choose it by --series NAME"
            raise DataError(f"{one}; there are {listed(names)}")
    return names if options.series is None else [options.series]


def _content(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise DataError(f"{file} cannot be read: {error.strerror}") from None


def _key(file: str | None) -> str | None:
    """Return the key in a file, None where none is named."""
    if file is None:
        return None
    try:
        return Path(file).read_text(encoding="utf-8-sig").strip()
    except OSError as error:
        raise DataError(f"--key-file {file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise DataError(
            f"--key-file {file} is not UTF-8: save the key as plain text, one line, UTF-8"
        ) from None


def _one(client: ForecastClient, table: Table, name: str, options: argparse.Namespace) -> int:
    if name in table.errors:
        raise table.errors[name]
    series, decimals = table.series[name], table.decimals[name]
    model, backtest = options.model, None
    if options.backtest:
        backtest = client.backtest(
            series,
            options.horizon,
            windows=options.windows,
            confidence=options.confidence,
            holidays=options.holidays,
        )
        _print_backtest(backtest, decimals)
        model = model or backtest.best_model
    forecast = client.forecast(
        series,
        options.horizon,
        model=model,
        confidence=options.confidence,
        holidays=options.holidays,
    )
    for notice in forecast.notices:
        _say(notice)
    print(f"Forecast by {name_of(forecast.model_id)} ({forecast.model_id}):")
    print(table_of(HEADER, rows_of(forecast, decimals)), flush=True)
    _write(options.output, HEADER, rows_of(forecast, decimals, FILE_DIGITS))
    if options.plot:
        _plot(options.plot, forecast, backtest)
    return DONE


def _many(client: ForecastClient, table: Table, options: argparse.Namespace) -> int:
    many = client.many.forecast(
        table.series,
        options.horizon,
        model=options.model,
        confidence=options.confidence,
        holidays=options.holidays,
    )
    errors = table.errors | {str(name): error for name, error in many.errors.items()}
    for name, one in many.items():
        for notice in one.notices:
            _say(f"{name}: {notice}")
    header = ("series", *HEADER)
    if many:
        print(table_of(header, _rows_of_many(many, table), left=2), flush=True)
        _write(options.output, header, _rows_of_many(many, table, FILE_DIGITS))
    for message in messages_of(errors):
        _failed(message, 0)
    if not errors:
        return DONE
    ours = (DataError, SettingsError, InvalidRequestError)
    return WRONG_INPUT if all(isinstance(e, ours) for e in errors.values()) else SERVICE_FAILED


def _rows_of_many(many: Many[Forecast], table: Table, *digits: int) -> list[list[str]]:
    return [
        [str(name), *row]
        for name, one in many.items()
        for row in rows_of(one, table.decimals[str(name)], *digits)
    ]


def _print_backtest(backtest: Backtest, decimals: int) -> None:
    for notice in backtest.notices:
        _say(notice)
    windows = len(backtest.windows)
    print(f"Backtest of {windows} {'window' if windows == 1 else 'windows'}:")
    print(backtest_table(backtest, decimals))
    print(advice_of(backtest), end="\n\n", flush=True)


def _write(path: str | None, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    if path is None:
        return
    try:
        with Path(path).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([header, *rows])
    except OSError as error:
        raise DataError(f"--output {path} cannot be written: {error.strerror}") from None


def _plot(path: str, forecast: Forecast, backtest: Backtest | None) -> None:
    import matplotlib as mpl
    from matplotlib import pyplot

    mpl.use("Agg")
    results: list[Forecast | Backtest] = [forecast]
    if backtest is not None:
        results.insert(0, backtest)
    figure, grid = pyplot.subplots(
        len(results), figsize=(9, 4.5 * len(results)), squeeze=False, layout="constrained"
    )
    for result, axes in zip(results, grid[:, 0], strict=True):
        result.plot(axes)
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise DataError(f"--plot {path} cannot be written: {error}") from None
    finally:
        pyplot.close(figure)


def _say(remark: str) -> None:
    """Say on stderr what was done, so that stdout has the results alone."""
    print(f"note: {remark}", file=sys.stderr)
