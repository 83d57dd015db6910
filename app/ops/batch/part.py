"""Forecast one part of the series: what runs on a core of this machine or of a cluster."""

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import compute, csv, dataset, parquet

from app.forecasting.forecast import forecast
from app.forecasting.types import Forecast
from app.ops.batch.folder import RunFolder, unfinished_path, write_json_file
from app.ops.batch.series import (
    DAY_LENGTH,
    RawSeries,
    SeriesProblemError,
    is_counted_as_written,
    series_of_table,
)
from app.ops.batch.spec import OUTPUT_COLUMNS, BatchFormat, BatchSpec
from app.timeseries.calendar.fit import BeyondCalendarError

_NUMBERS = OUTPUT_COLUMNS[:3]
_TEXTS = OUTPUT_COLUMNS[3:]


@dataclass
class PartCounts:
    """What became of the series of a part; ``seconds`` is how long one core took."""

    series: int = 0
    fallbacks: int = 0
    problems: int = 0
    seconds: float = 0.0


def forecast_part(root: Path, part: int, spec: BatchSpec) -> None:
    """Forecast the series of a part, and write its output and its counts.

    Repeated after it was interrupted, it writes the same bytes.
    """
    started = time.perf_counter()
    folder = RunFolder(root)
    table = dataset.dataset(folder.series_of(part), format="parquet").to_table()
    forecasts, counts = forecast_table(table, spec)
    _write_table(forecasts, folder.output_of(part, spec.file_format), spec.file_format)
    counts.seconds = time.perf_counter() - started
    write_json_file(folder.counts_of(part), vars(counts))


def forecast_table(table: pa.Table, spec: BatchSpec) -> tuple[pa.Table, PartCounts]:
    """Return a row for each step of each series; one with ``problem`` where there is no forecast.

    The columns are those that name the series and the time, in the types of ``table``, and
    ``OUTPUT_COLUMNS``.
    """
    rows: list[int] = []
    times: list[str | None] = []
    numbers: list[np.ndarray] = []
    texts: list[tuple[str, str]] = []
    counts = PartCounts()
    for raw in series_of_table(table, spec.columns, spec.frequency):
        counts.series += 1
        try:
            result = _forecast_series(raw, spec)
        except SeriesProblemError as error:
            counts.problems += 1
            rows.append(raw.row)
            times.append(None)
            numbers.append(np.full((1, len(_NUMBERS)), np.nan))
            texts.append(("", str(error)))
            continue
        counts.fallbacks += result.is_fallback
        rows += [raw.row] * spec.horizon
        times += _as_written(result.timestamps, raw.times)
        numbers.append(np.column_stack([result.lower, result.median, result.upper]))
        texts += [("; ".join(result.notices), "")] * spec.horizon
    return _result_table(table, spec, rows, times, numbers, texts), counts


def _forecast_series(raw: RawSeries, spec: BatchSpec) -> Forecast:
    """Return the forecast of a series; raise SeriesProblemError if there is none."""
    try:
        series = raw.to_series(spec.frequency)
        return forecast(series, spec.horizon, spec.confidence, spec.model_id, spec.country)
    except BeyondCalendarError as error:
        raise SeriesProblemError(str(error)) from None


def _as_written(timestamps: list[str], known_times: np.ndarray) -> list[str]:
    """Return timestamps in the form of ``known_times``, if these are strings."""
    if known_times.dtype.kind == "M":
        return timestamps
    if len(known_times[-1]) == DAY_LENGTH:
        return [entry[:DAY_LENGTH] for entry in timestamps]
    separator = known_times[-1][DAY_LENGTH]
    return [entry.replace("T", separator) for entry in timestamps]


def _result_table(
    table: pa.Table,
    spec: BatchSpec,
    rows: list[int],
    times: list[str | None],
    numbers: list[np.ndarray],
    texts: list[tuple[str, str]],
) -> pa.Table:
    columns = spec.columns
    result = {name: table.column(name).take(pa.array(rows, pa.int64())) for name in columns.ids}
    kind = table.schema.field(columns.time).type
    result[columns.time] = _time_column(times, kind, spec)
    bounds = np.concatenate([np.zeros((0, len(_NUMBERS))), *numbers])
    for index, name in enumerate(_NUMBERS):
        result[name] = pa.array(bounds[:, index], pa.float64(), from_pandas=True)
    for index, name in enumerate(_TEXTS):
        result[name] = pa.array([entry[index] or None for entry in texts], pa.string())
    return pa.table(result)


def _time_column(times: list[str | None], kind: pa.DataType, spec: BatchSpec) -> pa.Array:
    """Return formatted times as a column of the input's type."""
    if not (pa.types.is_timestamp(kind) or pa.types.is_date(kind)):
        return pa.array(times, kind)
    plain = pa.array(np.array([entry or "NaT" for entry in times], dtype="datetime64[s]"))
    zone = getattr(kind, "tz", None)
    if zone is not None:
        clock = zone if is_counted_as_written(spec.frequency) else "UTC"
        moments = compute.assume_timezone(plain, clock, ambiguous="earliest", nonexistent="latest")
        return moments.cast(kind)
    return plain.cast(kind)


def _write_table(table: pa.Table, path: Path, file_format: BatchFormat) -> None:
    unfinished = unfinished_path(path)
    if file_format is BatchFormat.CSV:
        csv.write_csv(table, unfinished, csv.WriteOptions(quoting_style="needed"))
    else:
        parquet.write_table(table, unfinished)
    unfinished.replace(path)
