"""The current speed of the machine, for bounds in seconds that hold on any machine."""

import json
import statistics
import time

# CPU time of the calculation on the machine for which the bounds were chosen.
REFERENCE_SECONDS = 0.02
MAX_SLOWNESS = 4.0  # a bound beyond that would hold of anything
REPETITIONS = 5
ROWS = [f"{number % 28 + 1:02}.03.2024;{number % 97},5" for number in range(10_000)]


def slowness() -> float:
    """Return how many times as long a calculation takes here as there, from 1 to 4.

    It is of CPU time: others on the machine make it longer, the load of a test does not, but
    by what it takes of caches and memory.
    """
    seconds = statistics.median(_seconds_of_rows() for _ in range(REPETITIONS))
    return min(max(1.0, seconds / REFERENCE_SECONDS), MAX_SLOWNESS)


def _seconds_of_rows() -> float:
    started = time.process_time()
    parsed = {}
    for row in ROWS:
        day, value = row.split(";")
        parsed[row, value] = [int(part) for part in day.split(".")], float(value.replace(",", "."))
    json.loads(json.dumps(list(parsed.values())))
    return time.process_time() - started
