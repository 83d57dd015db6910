"""The engines that compute parts: the cores of this machine, or Dask, Ray and Spark by Fugue."""

import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from enum import StrEnum
from importlib import import_module
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any

import pandas as pd

from app.core.machine import available_concurrency
from app.core.memory_units import MEBIBYTE
from app.ops.batch.part import forecast_part
from app.ops.batch.spec import BatchError, BatchSpec

_Connected = tuple[Any, Callable[[], None]]
# Settings of glibc (mallopt(3)). Dask's own return memory to the system with most arrays that are
# freed: a quarter more CPU time. These values keep what a series needs.
_MALLOC_BYTES = {"MALLOC_TRIM_THRESHOLD_": 128 * MEBIBYTE, "MALLOC_MMAP_THRESHOLD_": 32 * MEBIBYTE}


class EngineName(StrEnum):
    LOCAL = "local"
    DASK = "dask"
    RAY = "ray"
    SPARK = "spark"


def run_parts(
    root: Path, parts: Sequence[int], spec: BatchSpec, engine: EngineName, address: str | None
) -> None:
    """Forecast all ``parts``; their counts are in the folder ``root`` as each is done.

    Raise BatchError if the engine is not installed.
    """
    if engine is EngineName.LOCAL:
        _run_local(root, parts, spec)
        return
    try:
        import fugue.api as fa  # noqa: PLC0415 - only where it is asked for

        connected, close = _CONNECT[engine](address)
    except ImportError as error:
        remedy = f"pip install 'forecast-service[batch]' 'fugue[{engine}]'"
        raise BatchError(f"--engine {engine} needs {error.name}: {remedy}") from None

    def forecast_parts(numbers: pd.DataFrame) -> pd.DataFrame:
        for number in numbers["part"]:
            forecast_part(root, int(number), spec)
        return numbers

    try:
        done = fa.transform(
            pd.DataFrame({"part": list(parts)}),
            forecast_parts,
            schema="part:long",
            partition={"num": len(parts), "algo": "even"},
            engine=connected,
            as_fugue=True,
        )
        fa.as_pandas(done)
    finally:
        close()


def _run_local(root: Path, parts: Sequence[int], spec: BatchSpec) -> None:
    """Use a process for each core; all of them end with this process, even if it is killed."""
    processes = min(available_concurrency().processes, len(parts))
    if processes == 1:
        for part in parts:
            forecast_part(root, part, spec)
        return
    context = get_context("forkserver")
    context.set_forkserver_preload([forecast_part.__module__])
    with ProcessPoolExecutor(processes, context, initializer=_end_with_parent) as pool:
        futures = [pool.submit(forecast_part, root, part, spec) for part in parts]
        try:
            for future in as_completed(futures):
                future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _end_with_parent() -> None:
    """End this process when its parent has ended, as a killed parent cannot end it."""
    parent = parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _connect_dask(address: str | None) -> _Connected:
    import_module("fugue_dask")
    distributed = import_module("distributed")
    if address:
        client = distributed.Client(address)
    else:
        processes = available_concurrency().processes
        for name, size in _MALLOC_BYTES.items():
            os.environ.setdefault(name, str(size))
        client = distributed.Client(
            n_workers=processes, threads_per_worker=1, dashboard_address=None
        )
    return client, client.close


def _connect_ray(address: str | None) -> _Connected:
    import_module("fugue_ray")
    ray = import_module("ray")
    options = {} if address else {"num_cpus": available_concurrency().processes}
    ray.init(address=address, include_dashboard=False if not address else None, **options)
    return "ray", ray.shutdown


def _connect_spark(address: str | None) -> _Connected:
    import_module("fugue_spark")
    sql = import_module("pyspark.sql")
    if not address:  # else Spark takes the `python3` of the path
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    master = address or f"local[{available_concurrency().processes}]"
    session = sql.SparkSession.builder.master(master).appName("forecast-service").getOrCreate()
    return session, session.stop


_CONNECT: dict[EngineName, Callable[[str | None], _Connected]] = {
    EngineName.DASK: _connect_dask,
    EngineName.RAY: _connect_ray,
    EngineName.SPARK: _connect_spark,
}
