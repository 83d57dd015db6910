"""The bound of memory of an engine: a job that meets it fails, and no other."""

import io
import os
import signal
from pathlib import Path

import numpy as np
import pytest
from python_calamine import CalamineWorkbook

from app.compute.errors import EngineFailedError, EngineMemoryError
from app.compute.jobs import Job
from app.compute.process_memory import resident_mebibytes
from tests.compute.pools import MISBEHAVE, ConcurrentCallers, Start, open_all, supervisor_of
from tests.support.attack_bodies import repeated_string
from tests.support.services import children, wait_until

ALLOCATE = Job(f"{__name__}:allocate", "result")
RETAINED: list[object] = []


def allocate(how: str) -> object:
    """Use more memory than is allowed, keep it, or end the process, as ``how`` says."""
    match how:
        case "numpy array":
            return np.ones((2**30, 8)).sum()
        case "result":
            return np.ones(150 * 2**17)  # fits, but not twice: it is pickled
        case "retain":
            RETAINED.append(np.ones(40 * 2**17))
        case "abort without a lack of memory":  # as glibc does when the heap is corrupted
            os.abort()
        case "fault without a lack of memory":
            os.kill(os.getpid(), signal.SIGSEGV)
        case _:
            _run_out_of_memory(how)
    return how


def _run_out_of_memory(how: str) -> None:
    try:
        if "doubles" in how:
            _double_a_buffer()
        _extend_a_list()
    except MemoryError:
        if how == "error of its own":  # as pandas raises one
            raise ValueError from None
        if "abort" in how:  # as Rust does when an allocation fails
            os.abort()
        if how == "fault":  # as C does without a check of the allocation
            os.kill(os.getpid(), signal.SIGSEGV)
        raise


def _double_a_buffer() -> None:
    buffer = bytearray(b"x" * 2**20)
    while True:
        buffer *= 2


def _extend_a_list() -> None:
    held: list[bytes] = []
    while True:
        held.append(bytes(10_000))


def test_an_engine_that_retains_memory_is_replaced_and_no_job_is_lost(start: Start) -> None:
    pool = start(memory_mib=resident_mebibytes() + 100)
    seen: set[int] = set()
    # Each retains 40 MiB: together they do not fit, whatever this process shares with engines.
    for _job in range(30):
        seen.update(children(supervisor_of(pool)))
        assert pool.client.run(ALLOCATE, "retain") == "retain"
    wait_until(lambda: len(seen | set(children(supervisor_of(pool)))) > 2, "other engines")


@pytest.mark.parametrize(
    "how",
    [
        "python list",
        "numpy array",
        "result",
        "error of its own",
        "abort",
        "abort of a buffer that doubles",
        "fault",
    ],
)
def test_a_job_that_meets_the_bound_of_memory_fails_no_other(
    start: Start, gate: Path, how: str
) -> None:
    """The job on the other engine and the next one on this engine are computed."""
    limit = resident_mebibytes() + 100
    client = start(processes=2, memory_mib=limit).client
    neighbours = ConcurrentCallers(client, 1, gate)
    for _job in range(2):
        with pytest.raises(EngineMemoryError) as failure:
            client.run(ALLOCATE, how)
        assert failure.value.memory_mib == limit
        assert client.run(MISBEHAVE) == "good"
    wait_until(lambda: open_all(gate, neighbours), "the job beside them")
    assert neighbours.wait() == [gate]


def test_an_abort_without_a_bound_of_memory_is_a_failure_of_the_engine(start: Start) -> None:
    with pytest.raises(EngineFailedError, match="the engine process ended") as failure:
        start().client.run(ALLOCATE, "abort without a lack of memory")
    assert not isinstance(failure.value, EngineMemoryError)


def test_a_native_library_that_cannot_allocate_ends_as_a_lack_of_memory(
    start: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    client = start(memory_mib=resident_mebibytes() + 60).client
    book = repeated_string()  # of 1.5 GiB: beyond the bound, whatever this process shares
    with pytest.raises(EngineMemoryError):
        client.run(Job(f"{__name__}:read_workbook", "reading"), book)
    assert "backtrace:" not in capfd.readouterr().err


@pytest.mark.parametrize("signal_name", ["fault", "abort"])
def test_a_crash_of_an_engine_that_held_little_memory_is_its_own_failure(
    start: Start, signal_name: str
) -> None:
    client = start(memory_mib=resident_mebibytes() + 100).client
    with pytest.raises(EngineFailedError, match="the engine process ended") as failure:
        client.run(ALLOCATE, f"{signal_name} without a lack of memory")
    assert not isinstance(failure.value, EngineMemoryError)


def read_workbook(content: bytes) -> int:
    """Read a workbook by calamine, which is Rust."""
    sheet = CalamineWorkbook.from_filelike(io.BytesIO(content)).get_sheet_by_index(0)
    return len(sheet.to_python())
