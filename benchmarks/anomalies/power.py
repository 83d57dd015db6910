"""The power on injections: which are found, how late, and as which kind of event."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.anomalies.clean_series import make_clean, shipped_series
from benchmarks.anomalies.false_alarms import print_columns
from benchmarks.anomalies.injections import INJECTIONS, Trial, make_trial, residual_scale
from benchmarks.anomalies.methods import Judgement, Method
from benchmarks.parallel import run_in_processes

# Synthetic kinds, and the standard deviation of their noise.
SYNTHETIC = {
    "season, normal": 1.0,
    "season, AR(.7)": 1 / np.sqrt(1 - 0.7**2),
    "noise by the hour": np.sqrt(1 + 0.8**2 / 2),
    "season on a walk": np.sqrt(1 + 0.2**2),
}
LENGTH, SEED = 1_000, 20_000
MIN_POINTS = 300
# Points from its start within which an injection shows; a shift must.
MAX_DELAY = 12
ECHO = 100  # points after the start of a shift in which events belong to it


@dataclass(frozen=True)
class Outcome:
    """The outcome of one trial for a method.

    ``delay`` is the number of points from the start to the first sign, NaN without one. ``kind`` is
    the kind of the first event, "" without one; ``events`` is the number of events.
    """

    group: str
    name: str
    is_found: bool
    delay: float
    kind: str
    is_right_kind: bool
    events: int


def make_trials(count: int) -> list[tuple[str, Trial]]:
    """Return every injection in ``count`` series of each group, with the group's name."""
    groups = {}
    for name, members in shipped_series().items():
        long = [member for member in members if len(member.values) >= MIN_POINTS]
        scales = [residual_scale(member) for member in long]
        sound = [pair for pair in zip(long, scales, strict=True) if pair[1] > 0]
        groups[name] = sound[:: max(1, len(sound) // count)][:count]
    for name, scale in SYNTHETIC.items():
        groups[name] = [(make_clean(name, SEED + turn, LENGTH), scale) for turn in range(count)]
    return [
        (name, make_trial(injection, history, scale, SEED + turn))
        for name, members in groups.items()
        for turn, (history, scale) in enumerate(members)
        for injection in INJECTIONS
    ]


def outcome_of(group: str, trial: Trial, judgement: Judgement) -> Outcome:
    """Compare a verdict with the injection.

    An injection is found if one of its points is flagged (of a shift, of its first ``MAX_DELAY``
    points), or if an event or change point begins at most ``MAX_DELAY`` points from its start. A
    spike is found only if its point is flagged.
    """
    start, end, lasts = trial.at, trial.end, trial.injection.lasts
    limit = start + MAX_DELAY if lasts is None else end
    signs = np.flatnonzero(judgement.flags[start:limit]).tolist()
    events = [event for event in judgement.events if event.end >= start and event.start < end]
    if lasts != 1:
        starts = [event.start for event in events] + list(judgement.change_points)
        signs += [abs(index - start) for index in starts if abs(index - start) <= MAX_DELAY]
    related = [event for event in events if event.start < start + ECHO]
    kind = str(related[0].kind) if related else ""
    right = any(event.kind in trial.injection.kinds for event in related)
    late = float(min(signs)) if signs else float("nan")
    return Outcome(group, trial.injection.name, bool(signs), late, kind, right, len(related))


def _run(method: Method, item: tuple[str, Trial]) -> tuple[Outcome, ...]:
    group, trial = item
    return tuple(
        outcome_of(group, trial, judgement) for judgement in method.judge(trial.injected_history())
    )


def measure(method: Method, trials: Sequence[tuple[str, Trial]]) -> dict[str, list[Outcome]]:
    """Return the outcomes of all trials by setting."""
    chosen = [trial for trial in trials if trial[1].seed % method.every == 0]
    by_trial = run_in_processes(partial(_run, method), chosen)
    columns = zip(*by_trial, strict=True)
    return {setting: list(column) for setting, column in zip(method.settings, columns, strict=True)}


def shares_found(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Return the percentage found of each injection."""
    return {
        name: 100
        * float(np.mean([outcome.is_found for outcome in outcomes if outcome.name == name]))
        for name in dict.fromkeys(outcome.name for outcome in outcomes)
    }


def print_shares(columns: Mapping[tuple[str, str], Mapping[str, float]]) -> None:
    """Print a table: a line for each injection, a column for each method and setting."""
    print("\nFound of what was injected, % of all groups")
    print_columns("injected", columns)


def print_power(name: str, outcomes: Sequence[Outcome]) -> None:
    """Print a table of one method: what it found by group, how late, and the kinds of events."""
    groups = list(dict.fromkeys(outcome.group for outcome in outcomes))
    print(f"\nFound by {name}, % of series; late: median points; events: mean number for one thing")
    print(f"{'injected':12}" + "".join(f"{group:>19}" for group in groups), end="")
    print(f"{'all':>7}{'late':>6}{'events':>8}{'right kind':>12}  called")
    for injected in dict.fromkeys(outcome.name for outcome in outcomes):
        rows = [outcome for outcome in outcomes if outcome.name == injected]
        shares = [np.mean([row.is_found for row in rows if row.group == group]) for group in groups]
        results = [row for row in rows if row.is_found]
        late = np.median([row.delay for row in results]) if results else np.nan
        count = np.mean([row.events for row in results]) if results else 0.0
        called = Counter(row.kind for row in results if row.kind)
        right = np.mean([row.is_right_kind for row in results]) if results else 0.0
        print(
            f"{injected:12}"
            + "".join(f"{100 * share:19.0f}" for share in shares)
            + f"{100 * np.mean([row.is_found for row in rows]):7.0f}{late:6.0f}{count:8.2f}"
            + f"{100 * right:12.0f}  "
            + ", ".join(f"{kind} {times}" for kind, times in called.most_common(3)),
            flush=True,
        )
