"""``forecast-service batch forecast``: every series of a table, on all cores or on a cluster.

Needs neither Flask nor a database: ``python -m app.ops.batch`` is the same command.
"""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.forecasting.model_ids import LIGHT_MODEL, MODEL_IDS
from app.forecasting.types import MAX_HORIZON
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.words import duration_text

if TYPE_CHECKING:
    from app.ops.batch.run import BatchProgress

_ENGINES = ("local", "dask", "ray", "spark")
# Time between two lines of progress in a log; on a terminal, one line changes every second.
_LOG_SECONDS = 10.0


@click.group("batch")
def batch() -> None:
    """Forecast tables of many series."""


@batch.command("forecast")
@click.argument("source")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--horizon", required=True, type=click.IntRange(1, MAX_HORIZON), help="Steps ahead.")
@click.option(
    "--frequency",
    type=click.Choice([str(entry) for entry in Frequency]),
    help="Default: found in the table.",
)
@click.option("--id", "ids", multiple=True, help="A column that names series; may be repeated.")
@click.option("--time", help="The column of times. Default: ds, timestamp, date, …")
@click.option("--value", help="The column of values. Default: y, value, …")
@click.option("--model", default=LIGHT_MODEL, show_default=True, type=click.Choice([*MODEL_IDS]))
@click.option("--confidence", default=0.95, show_default=True, type=click.FloatRange(0.1, 0.99))
@click.option("--holidays", help="A country's code, such as DE or DE-BY, for days and hours.")
@click.option(
    "--format", "file_format", type=click.Choice(["parquet", "csv"]), help="Of the output."
)
@click.option("--engine", default="local", show_default=True, type=click.Choice(_ENGINES))
@click.option("--address", help="Of a Dask scheduler, a Ray cluster or a Spark master.")
@click.option("--parts", type=click.IntRange(1, 1_000_000), help="Files to write.")
def forecast(
    folder: Path,
    frequency: str | None,
    holidays: str | None,
    file_format: str | None,
    engine: str,
    address: str | None,
    **options: Any,
) -> None:
    """Forecast every series of SOURCE, Parquet or CSV, into files in FOLDER.

    SOURCE is a long table, a file or a folder of files: columns that name the series, a time, a
    value. The same command started again continues where the last one was interrupted.
    """
    try:
        from app.ops.batch.engines import EngineName
        from app.ops.batch.run import BatchRequest, run_batch
        from app.ops.batch.spec import BatchError, BatchFormat
    except ImportError as error:
        remedy = "pip install 'forecast-service[batch]'"
        raise click.ClickException(f"batch needs {error.name}: {remedy}") from None
    if address and engine == "local":
        raise click.UsageError("--address needs --engine dask, ray or spark")
    request = BatchRequest(
        frequency=Frequency(frequency) if frequency else None,
        country=_country(holidays),
        file_format=BatchFormat(file_format) if file_format else None,
        **options,
    )
    progress = _ProgressLine()
    try:
        summary = run_batch(request, folder, EngineName(engine), address, progress.show)
    except BatchError as error:
        raise click.ClickException(str(error)) from None
    except KeyboardInterrupt:
        raise click.ClickException("interrupted; the same command continues from here") from None
    finally:
        progress.end()
    click.echo(
        f"{summary.series:,} series in {folder}: {summary.problems:,} with a problem, "
        f"{summary.fallbacks:,} by a simpler model; {summary.seconds:,.0f} s, "
        f"{summary.series_per_second:,.0f} series a second"
    )


def _country(code: str | None) -> str | None:
    if code is None:
        return None
    from app.timeseries.calendar.countries import holiday_codes

    code = code.upper()
    if code not in holiday_codes():
        raise click.UsageError(f"--holidays: {code} is not known; send a code such as DE or DE-BY")
    return code


class _ProgressLine:
    """BatchProgress on stderr: one line that changes on a terminal, a line every 10 s in a log."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._logged_at = time.monotonic()
        self._is_open = False

    def show(self, progress: "BatchProgress") -> None:
        if self._is_terminal:
            click.echo(f"\r{_progress_text(progress):70}", err=True, nl=False)
            self._is_open = True
        elif time.monotonic() - self._logged_at >= _LOG_SECONDS:
            click.echo(_progress_text(progress), err=True)
            self._logged_at = time.monotonic()

    def end(self) -> None:
        """End the line of a terminal: the summary or an error gets one of its own."""
        if self._is_open:
            click.echo(err=True)


def _progress_text(progress: "BatchProgress") -> str:
    seconds = progress.seconds_left
    left = "" if seconds is None else f", {duration_text(round(seconds))} left"
    return (
        f"{progress.parts_done} of {progress.part_count} parts, "
        f"{progress.series_count:,} series, {progress.series_per_second:,.0f} a second{left}"
    )
