"""Change points of the level: how many are found within 12 points, and how many are false.

600 points of a daily wave and noise of standard deviation one, white or AR(.5), whose level moves
once by 0 to 5. Other detectors get the series without its wave; the service's has to find it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec

import numpy as np

from app.anomalies.detect import detect
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray
from benchmarks.anomalies.clean_series import DAY, LEVEL, autocorrelate
from benchmarks.anomalies.methods import RATE
from benchmarks.parallel import run_in_processes
from benchmarks.series import PERIODS

LENGTH, EARLIEST, LATEST, WITHIN = 600, 100, 500, 12
NOISES = {"white": 0.0, "AR(.5)": 0.5}
SHIFTS = (0, 1, 2, 3, 4, 5)
SERIES, QUICK_SERIES = 100, 12

# (values, values without the wave) -> indices
Finder = Callable[[FloatArray, FloatArray], Sequence[int]]


def make_shifted(coefficient: float, shift: float, seed: int) -> tuple[FloatArray, FloatArray, int]:
    """Return a series, itself without its wave, and the index that its new level begins at."""
    rng = np.random.default_rng([seed, int(10 * coefficient), int(shift)])
    noise = autocorrelate(rng.standard_normal(LENGTH), coefficient)
    level = LEVEL + noise / noise.std()
    at = int(rng.integers(EARLIEST, LATEST))
    level[at:] += shift
    return level + 2 * np.sin(2 * np.pi * np.arange(LENGTH) / DAY), level, at


def _service_changes(values: FloatArray, _level: FloatArray) -> Sequence[int]:
    history = History(values, PERIODS[Frequency.HOURS], Frequency.HOURS)
    return [change.index for change in detect(history, RATE).change_points]


def _pelt_changes(values: FloatArray, level: FloatArray) -> Sequence[int]:
    """Find changes by PELT with the penalty of BIC; differences give the variance of the noise."""
    import ruptures  # noqa: PLC0415

    variance = float(np.var(np.diff(level)) / 2)
    search = ruptures.KernelCPD(kernel="linear", min_size=2).fit(level[:, None])
    return search.predict(pen=2 * variance * np.log(len(values)))[:-1]


def _kernel_changes(_values: FloatArray, level: FloatArray) -> Sequence[int]:
    """Find changes by the radial kernel, with the penalty of ruptures' introduction."""
    import ruptures  # noqa: PLC0415

    return ruptures.KernelCPD(kernel="rbf", min_size=2).fit(level[:, None]).predict(pen=10)[:-1]


FINDERS: dict[str, Finder] = {"whole series": _service_changes}
if find_spec("ruptures"):
    FINDERS |= {"ruptures, PELT": _pelt_changes, "ruptures, kernel": _kernel_changes}


def count_found(indices: Sequence[int], at: int, shift: float) -> tuple[bool, int]:
    """Return whether the shift is found, and how many change points are false."""
    near = sum(abs(index - at) <= WITHIN for index in indices) if shift else 0
    return near > 0, len(indices) - (near > 0)


def _run_case(finder: Finder, case: tuple[float, float, int]) -> tuple[bool, int]:
    coefficient, shift, seed = case
    values, level, at = make_shifted(coefficient, shift, seed)
    return count_found(finder(values, level), at, shift)


def measure(quick: bool) -> Mapping[str, Mapping[tuple[str, int], tuple[float, float]]]:
    """Return the percentage found and the false change points of a series, by finder and shift."""
    number = QUICK_SERIES if quick else SERIES
    measured: dict[str, dict[tuple[str, int], tuple[float, float]]] = {}
    for name, finder in FINDERS.items():
        measured[name] = {}
        for noise, coefficient in NOISES.items():
            for shift in SHIFTS:
                cases = [(coefficient, shift, seed) for seed in range(number)]
                detected, false = np.mean(
                    run_in_processes(partial(_run_case, finder), cases), axis=0
                )
                measured[name][noise, shift] = (100 * detected, false)
    return measured


def print_changes(measured: Mapping[str, Mapping[tuple[str, int], tuple[float, float]]]) -> None:
    """Print a table: a line for each method and noise, a column for each shift."""
    print("\nChange points of 600 points: found within 12 points, % / false ones a series")
    print(f"{'method':20}{'noise':10}" + "".join(f"{f'{shift} sigma':>14}" for shift in SHIFTS))
    for name, cells in measured.items():
        for noise in NOISES:
            pairs = [cells[noise, shift] for shift in SHIFTS]
            line = "".join(f"{f'{detected:.0f} / {false:.2f}':>14}" for detected, false in pairs)
            print(f"{name:20}{noise:10}{line}", flush=True)
