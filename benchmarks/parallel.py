"""Work shared among processes, as many as a small machine has cores."""

from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

PROCESSES = 2
CHUNK = 8

Item = TypeVar("Item")
Result = TypeVar("Result")


def run_in_processes(work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """Return the result for each item, in their order, whichever process was done first."""
    with ProcessPoolExecutor(PROCESSES) as pool:
        return list(pool.map(work, items, chunksize=CHUNK))
