"""Split the rows of a table into parts: all rows of a series are in one of them."""

import math
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv, dataset

from app.core.machine import raise_open_file_limit
from app.ops.batch.folder import PART_COLUMN, RunFolder
from app.ops.batch.series import RawSeries, full_timestamp, series_of_table
from app.ops.batch.spec import OUTPUT_COLUMNS, BatchError, BatchFormat, TableColumns
from app.timeseries.calendar.defects import SeriesDefects
from app.timeseries.calendar.fit import find_spacing
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.timestamps import parse_timestamps

# About four seconds of model 2 on monthly series: the work that an interruption costs a core.
_ROWS_PER_PART = 100_000
# Fewer parts would leave cores idle. All parts are open files while the rows are split.
_MIN_PARTS, _MAX_PARTS = 16, 1_000
_CSV_ROW_BYTES = 30
_TIME_NAMES = ("ds", "timestamp", "time", "date", "datetime", "month")
_VALUE_NAMES = ("y", "value", "values", "sales", "quantity")
_ID_NAMES = ("unique_id", "id", "series", "series_id", "item_id")
_SAMPLED_SERIES = 200
_BATCH_ROWS = 262_144
_OTHER_OPEN_FILES = 200


def open_table(path: str) -> tuple[dataset.Dataset, BatchFormat]:
    """Open a file or a folder of files, Parquet or CSV by its name; all values of CSV are text.

    Raise BatchError if it cannot be read.
    """
    try:
        file_format = _format_of(path)
        if file_format is BatchFormat.PARQUET:
            return dataset.dataset(path, format="parquet"), file_format
        names = dataset.dataset(path, format="csv").schema.names
        as_text = csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=True
        )
        as_text_format = dataset.CsvFileFormat(convert_options=as_text)
        return dataset.dataset(path, format=as_text_format), file_format
    except (OSError, pa.ArrowException) as error:
        names = "a CSV file is named .csv or .csv.gz, others are read as Parquet"
        raise BatchError(f"{path} cannot be read; {names}: {error}") from None


def _format_of(path: str) -> BatchFormat:
    source = Path(path)
    names = [source.name] if not source.is_dir() else [entry.name for entry in source.rglob("*.*")]
    is_csv = any(name.lower().endswith((".csv", ".csv.gz")) for name in names)
    return BatchFormat.CSV if is_csv else BatchFormat.PARQUET


def choose_table_columns(
    names: list[str], ids: tuple[str, ...], time: str | None, value: str | None
) -> TableColumns:
    """Return the named columns; columns that were not named are found by usual names.

    Raise BatchError if a column does not exist, or it is unclear which one is meant.
    """
    names_text = ", ".join(names)
    for name in (*ids, time, value):
        if name is not None and name not in names:
            raise BatchError(f"the table has no column {name!r}; it has {names_text}")
    time = time or _find_column(names, _TIME_NAMES)
    value = value or _find_column(names, _VALUE_NAMES)
    if time is None or value is None:
        missing = "--time" if time is None else "--value"
        raise BatchError(f"name the column with {missing}; the table has {names_text}")
    rest = [name for name in names if name not in (time, value)]
    if not ids:
        id_column = _find_column(rest, _ID_NAMES)
        if id_column is None and len(rest) > 1:
            raise BatchError(f"name the columns that distinguish series with --id: {names_text}")
        ids = (id_column,) if id_column else tuple(rest)
    chosen = [*ids, time, value]
    twice = [name for name in chosen if chosen.count(name) > 1]
    reserved = {*ids, time} & {*OUTPUT_COLUMNS, PART_COLUMN}
    if twice:
        raise BatchError(f"the column {twice[0]!r} is named twice; name another one")
    if reserved:
        wrong = min(reserved)
        raise BatchError(f"the column {wrong!r} has the name of a column of the output; rename it")
    return TableColumns(ids, time, value)


def _find_column(names: list[str], candidates: tuple[str, ...]) -> str | None:
    by_name = {name.lower(): name for name in reversed(names)}
    return next((by_name[name] for name in candidates if name in by_name), None)


def split_table(
    table: dataset.Dataset, columns: TableColumns, folder: RunFolder, parts: int
) -> list[int]:
    """Write the rows of each part to its own folder; return the parts that have rows.

    Which part a series is in depends on its name and the number of parts only.
    """
    schema = pa.schema([table.schema.field(name) for name in columns.names])
    schema = schema.append(pa.field(PART_COLUMN, pa.int32()))

    def numbered_batches() -> Iterator[pa.RecordBatch]:
        for batch in table.to_batches(columns=columns.names, batch_size=_BATCH_ROWS):
            number = pa.array(_part_numbers(batch, columns.ids, parts), pa.int32())
            yield pa.RecordBatch.from_arrays([*batch.columns, number], schema=schema)

    raise_open_file_limit(parts + _OTHER_OPEN_FILES)
    try:
        dataset.write_dataset(
            numbered_batches(),
            folder.series,
            schema=schema,
            format="parquet",
            partitioning=dataset.partitioning(
                pa.schema([schema.field(PART_COLUMN)]), flavor="hive"
            ),
            max_partitions=parts,
            max_open_files=parts,
            existing_data_behavior="delete_matching",
        )
    except (OSError, pa.ArrowException) as error:
        remedy = f"correct the table, or free space on the disk of {folder.series}"
        raise BatchError(f"the rows cannot be split; {remedy}: {error}") from None
    folder.series.mkdir(exist_ok=True)  # a table without rows makes none
    return sorted(int(entry.name.rpartition("=")[2]) for entry in folder.series.iterdir())


def count_parts(table: dataset.Dataset, file_format: BatchFormat) -> int:
    """Return the number of parts for a table: by the rows of Parquet, by the bytes of CSV."""
    if file_format is BatchFormat.PARQUET:
        rows: int = table.count_rows()
    else:
        rows = sum(Path(entry).stat().st_size for entry in table.files) // _CSV_ROW_BYTES
    return min(max(math.ceil(rows / _ROWS_PER_PART), _MIN_PARTS), _MAX_PARTS)


def _part_numbers(batch: pa.RecordBatch, ids: tuple[str, ...], parts: int) -> np.ndarray:
    if not ids:
        return np.zeros(batch.num_rows, dtype=np.int32)
    # As text, because the types in pandas depend on whether a batch has nulls.
    texts = {name: batch.column(name).cast(pa.string()).to_pandas() for name in ids}
    hashes = pd.util.hash_pandas_object(pd.DataFrame(texts), index=False)
    return (hashes.to_numpy() % np.uint64(parts)).astype(np.int32)


def find_frequency(folder: RunFolder, columns: TableColumns) -> Frequency:
    """Return the frequency of most of the first series; raise BatchError if none has one."""
    sampled = islice(_known_frequencies(folder, columns), _SAMPLED_SERIES)
    frequencies = Counter(sampled).most_common(1)
    if not frequencies:
        raise BatchError("no series shows its frequency; send --frequency, such as Monthly")
    return frequencies[0][0]


def _known_frequencies(folder: RunFolder, columns: TableColumns) -> Iterator[Frequency]:
    for part in sorted(folder.series.iterdir()):
        rows = dataset.dataset(part, format="parquet").to_table()
        for raw in series_of_table(rows, columns, None):
            if frequency := _frequency_of(raw):
                yield frequency


def _frequency_of(raw: RawSeries) -> Frequency | None:
    times = raw.times
    if times.dtype.kind != "M":
        try:
            times = parse_timestamps([full_timestamp(str(entry)) for entry in times]).times
        except SeriesDefects:
            return None
    times = np.unique(times[~np.isnat(times)])
    spacing = find_spacing(times)
    return spacing.frequency if spacing is not None else None
