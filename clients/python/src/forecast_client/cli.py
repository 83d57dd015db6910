"""The command ``forecast``: forecast the series in a file, without pandas."""

import argparse
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from forecast_client import cli_output as output
from forecast_client.cli_options import argument_parser
from forecast_client.cli_tables import OPTIONS, Table, forecast_table, questions_of, read_table
from forecast_client.client import ForecastClient
from forecast_client.errors import DataError, ForecastError, InvalidRequestError, SettingsError
from forecast_client.many import Many
from forecast_client.models import name_of
from forecast_client.results import Backtest, Forecast, count_text

DONE, SERVICE_FAILED, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130
INPUT_ERRORS = (DataError, SettingsError, InvalidRequestError)
HEADER = ("timestamp", "median", "lower_bound", "upper_bound")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    options = argument_parser().parse_args(arguments)
    try:
        return _run(options)
    except ForecastError as error:
        _print_error(questions_of(error) or output.message_of(error))
        return _exit_code([error])
    except BrokenPipeError:
        # The reader closed the pipe; Python would print an error when it closes its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(options: argparse.Namespace) -> int:
    _check_options(options)
    content = sys.stdin.buffer.read() if options.file == "-" else _read_file(options.file)
    key = None if options.key_file is None else _read_key(options.key_file)
    answers = {name: getattr(options, name) for name in OPTIONS}
    with ForecastClient(options.url, key) as client:
        if options.output and not (options.backtest or options.plot):
            return _save_table(client, content, options, options.model)
        table = client.transport.send(read_table(content, answers))
        _print_notices(table.notes)
        if table.question:
            raise DataError(table.question)
        names = _chosen_names(table, options)
        if len(names) > 1:
            return _forecast_many(client, table, options)
        model = _forecast_one(client, table, names[0], options)
        return _save_table(client, content, options, model) if options.output else DONE


def _check_options(options: argparse.Namespace) -> None:
    """Raise DataError for invalid options before any request is sent."""
    if options.windows is not None and not options.backtest:
        raise DataError("--windows is only for --backtest: add --backtest")
    if options.output and options.series is not None:
        raise DataError("--output has all series of the file: leave --series out, or take --column")
    if options.plot and importlib.util.find_spec("matplotlib") is None:
        raise DataError("--plot needs matplotlib: pip install matplotlib")
    for path in filter(None, (options.plot, options.output)):
        if not Path(path).parent.is_dir():
            raise DataError(f"{path}: there is no such folder")


def _chosen_names(table: Table, options: argparse.Namespace) -> list[str]:
    """Return the names of the series to forecast: the one in --series, or all."""
    names = [*table.series, *table.errors]
    shown = ", ".join(map(repr, names))
    if options.series is not None and options.series not in names:
        raise DataError(f"--series {options.series}: there is none; there are {shown}")
    for chosen, option in ((options.backtest, "--backtest"), (options.plot, "--plot")):
        if chosen and options.series is None and len(names) > 1:
            issue = f"{option} is for one series: choose it with --series NAME"
            raise DataError(f"{issue}; there are {shown}")
    return names if options.series is None else [options.series]


def _read_key(file: str) -> str:
    try:
        return _read_file(file).decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise DataError(f"{file} is not UTF-8: save it as plain text, one line", "key") from None


def _read_file(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise DataError(f"{file} cannot be read: {error.strerror}") from None


def _forecast_one(
    client: ForecastClient, table: Table, name: str, options: argparse.Namespace
) -> str | None:
    """Print the forecast of a series, and draw it; return the model to save the table with."""
    if name in table.errors:
        raise table.errors[name]
    series, decimals = table.series[name], table.decimals[name]
    model: str | None = options.model
    horizon = options.horizon
    results = list[Forecast | Backtest]()
    shared = {"confidence": options.confidence, "holidays": options.holidays}
    if options.backtest:
        backtest = client.backtest(series, horizon, windows=options.windows, **shared)
        _print_notices(backtest.notices)
        print(f"Backtest of {count_text(len(backtest.windows), 'window')}:")
        print(output.backtest_table(backtest, decimals))
        print(output.advice_of(backtest), end="\n\n", flush=True)
        model = model or backtest.best_model
        results.append(backtest)
    forecast = client.forecast(series, horizon, model=model, **shared)
    _print_notices(forecast.notices)
    print(f"Forecast by {name_of(forecast.model_id)} ({forecast.model_id}):")
    print(output.table_of(HEADER, output.rows_of(forecast, decimals)), flush=True)
    if options.plot:
        _save_plot(options.plot, [*results, forecast])
    return model


def _forecast_many(client: ForecastClient, table: Table, options: argparse.Namespace) -> int:
    shared = {name: getattr(options, name) for name in ("model", "confidence", "holidays")}
    many: Many[Forecast] = client.forecast(table.series, options.horizon, **shared)
    _print_notices(
        [f"{name}: {notice}" for name, result in many.items() for notice in result.notices]
    )
    if many:
        rows = [
            [str(name), *row]
            for name, result in many.items()
            for row in output.rows_of(result, table.decimals[str(name)])
        ]
        print(output.table_of(("series", *HEADER), rows, left=2), flush=True)
    errors = table.errors | {str(name): error for name, error in many.errors.items()}
    for message in output.messages_of(errors):
        _print_error(message)
    return _exit_code([*errors.values()]) if errors else DONE


def _exit_code(errors: Sequence[ForecastError]) -> int:
    is_input_wrong = all(isinstance(error, INPUT_ERRORS) for error in errors)
    return WRONG_INPUT if is_input_wrong else SERVICE_FAILED


def _save_table(
    client: ForecastClient, content: bytes, options: argparse.Namespace, model: str | None
) -> int:
    """Save the table that the service makes of the file, in the form of the output's name."""
    path = Path(options.output)
    call = forecast_table(content, vars(options) | {"model": model}, path.suffix)
    table, notices = client.transport.send(call)
    _print_notices(notices)
    try:
        path.write_bytes(table)
    except OSError as error:
        raise DataError(f"--output {path} cannot be written: {error.strerror}") from None
    return DONE


def _save_plot(path: str, results: Sequence[Forecast | Backtest]) -> None:
    import matplotlib as mpl
    from matplotlib import pyplot

    mpl.use("Agg")
    count = len(results)
    size = (9, 4.5 * count)
    figure, grid = pyplot.subplots(count, figsize=size, squeeze=False, layout="constrained")
    for result, axes in zip(results, grid[:, 0], strict=True):
        result.plot(axes)
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise DataError(f"--plot {path} cannot be written: {error}") from None
    finally:
        pyplot.close(figure)


def _print_notices(notices: Sequence[str]) -> None:
    """Print notices on stderr, so that stdout has only the results."""
    for notice in notices:
        print(f"note: {notice}", file=sys.stderr)


def _print_error(message: str) -> None:
    print(f"forecast: {message}", file=sys.stderr)
