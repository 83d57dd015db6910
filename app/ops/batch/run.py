"""A run from the table to the summary; started again, it continues where it was."""

import json
import logging
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from app.ops.batch.engines import EngineName, run_parts
from app.ops.batch.folder import RunFolder, read_json_file, write_json_file
from app.ops.batch.part import PartCounts
from app.ops.batch.spec import BatchError, BatchFormat, BatchSpec, TableColumns
from app.ops.batch.split import (
    choose_table_columns,
    count_parts,
    find_frequency,
    open_table,
    split_table,
)
from app.timeseries.calendar.frequency import Frequency

logger = logging.getLogger(__name__)

_FOLDER_POLL_SECONDS = 1.0  # between two searches for finished parts


@dataclass(frozen=True)
class BatchRequest:
    """The options of a run; None: found in the table, or no holidays for ``country``."""

    source: str
    ids: tuple[str, ...]
    time: str | None
    value: str | None
    frequency: Frequency | None
    horizon: int
    confidence: float
    model: str
    country: str | None
    file_format: BatchFormat | None
    parts: int | None


@dataclass(frozen=True)
class BatchSummary:
    """The counts and the speed of a run.

    ``seconds`` and ``series_per_second`` are of this call, which may have computed only some parts.
    """

    series: int
    fallbacks: int
    problems: int
    seconds: float
    series_per_second: float


@dataclass(frozen=True)
class BatchProgress:
    """How many parts and series are done, how fast, and the seconds that are left."""

    parts_done: int
    part_count: int
    series_count: int
    series_per_second: float
    seconds_left: float | None


ReportProgress = Callable[[BatchProgress], None]


def run_batch(
    request: BatchRequest,
    root: Path,
    engine: EngineName,
    address: str | None,
    report: ReportProgress,
) -> BatchSummary:
    """Forecast every series of a table into the folder ``root``.

    Raise BatchError if the run cannot start, or the folder has another run.
    """
    started = time.monotonic()
    folder = RunFolder(root.absolute())
    spec, parts = _prepare_run(request, folder)
    before = _total_counts(folder)
    done = folder.done_parts()
    pending = [part for part in parts if part not in done]
    if pending:
        with _report_progress(folder, len(parts), before, report):
            run_parts(folder.root, pending, spec, engine, address)
    total = _total_counts(folder)
    seconds = time.monotonic() - started
    rate = (total.series - before.series) / seconds
    summary = BatchSummary(
        total.series, total.fallbacks, total.problems, round(seconds, 1), round(rate)
    )
    if pending:
        write_json_file(folder.summary_file, asdict(summary))
    folder.remove_series()
    return summary


def _prepare_run(request: BatchRequest, folder: RunFolder) -> tuple[BatchSpec, list[int]]:
    """Return what to compute, and the parts: of the run in the folder, or of a new one."""
    dataset, input_format = open_table(request.source)
    requested = asdict(request) | {"input": _fingerprint(dataset.files)}
    if folder.run_file.exists():
        run = read_json_file(folder.run_file)
        requested = json.loads(json.dumps(requested))  # tuples become lists, as in the file
        stored = run["asked"]  # by a release that may have had other options
        for name, value in requested.items():
            if stored.get(name) != value:
                raise BatchError(
                    f"{folder.root} has a run with another {name}; name another folder, or "
                    "remove it"
                )
        return _spec_of(run["spec"]), run["parts"]
    if folder.root.exists() and any(folder.root.glob("part-*")):
        raise BatchError(f"{folder.root} has files of something else; name another folder")
    shutil.rmtree(folder.state, ignore_errors=True)
    folder.state.mkdir(parents=True)
    columns = choose_table_columns(dataset.schema.names, request.ids, request.time, request.value)
    parts = split_table(
        dataset, columns, folder, request.parts or count_parts(dataset, input_format)
    )
    if not parts:
        raise BatchError(f"{request.source} has no rows")
    spec = BatchSpec(
        columns=columns,
        frequency=request.frequency or find_frequency(folder, columns),
        horizon=request.horizon,
        confidence=request.confidence,
        model_id=request.model,
        country=request.country,
        file_format=request.file_format or input_format,
    )
    write_json_file(folder.run_file, {"asked": requested, "spec": asdict(spec), "parts": parts})
    return spec, parts


def _fingerprint(files: list[str]) -> list[list[Any]]:
    """Return the size and the time of change of each file; of a remote one its name."""
    fingerprint: list[list[Any]] = []
    for name in files:
        path = Path(name)
        status = path.stat() if path.exists() else None
        fingerprint.append([name, status and status.st_size, status and status.st_mtime_ns])
    return fingerprint


def _spec_of(plain: dict[str, Any]) -> BatchSpec:
    columns = plain["columns"]
    return BatchSpec(
        **plain
        | {
            "columns": TableColumns(tuple(columns["ids"]), columns["time"], columns["value"]),
            "frequency": Frequency(plain["frequency"]),
            "file_format": BatchFormat(plain["file_format"]),
        }
    )


@contextmanager
def _report_progress(
    folder: RunFolder, parts: int, before: PartCounts, report: ReportProgress
) -> Iterator[None]:
    """Report progress while parts are computed: each leaves a file, whatever the engine.

    A report that fails is logged and is the last one; the run continues.
    """
    started = time.monotonic()
    done_before = len(folder.done_parts())
    ended = threading.Event()

    def progress() -> BatchProgress:
        done = len(folder.done_parts())
        seconds = time.monotonic() - started
        new = done - done_before
        series = _total_counts(folder).series
        seconds_left = seconds / new * (parts - done) if new else None
        return BatchProgress(done, parts, series, (series - before.series) / seconds, seconds_left)

    def watch() -> None:
        try:
            while not ended.wait(_FOLDER_POLL_SECONDS):
                report(progress())
        except Exception:  # such as a closed terminal, or a folder that cannot be read for a moment
            logger.exception("progress is no longer shown; the run continues")

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _total_counts(folder: RunFolder) -> PartCounts:
    total = PartCounts()
    for part in folder.done_parts():
        for name, count in read_json_file(folder.counts_of(part)).items():
            setattr(total, name, getattr(total, name) + count)
    return total
