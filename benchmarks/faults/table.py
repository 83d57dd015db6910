"""The table of the faults, and the alerts of the calm series."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from benchmarks.faults.direct import Judged, SeenEvent
from benchmarks.faults.incidents import Fault
from benchmarks.faults.shapes import DAY, HOUR, MINUTE, Shape
from benchmarks.faults.shop import HISTORY, REPLAYED_SECONDS

Key = TypeVar("Key")

FAULTS_HEADER = (
    "| series | fault | reported | after | severity | kind | alerts |\n"
    "|---|---|---|---|---|---|---|\n"
)
CALM_HEADER = "\n| series | day | at | kind | severity |\n|---|---|---|---|---|\n"
GOAL_REPORTED, GOAL_CALM = 30, 2
NO_EVENT = SeenEvent(0, 0, "", 0.0, 0.0, None)


@dataclass(frozen=True)
class Outcome:
    """What became of a fault.

    Attributes:
        is_reported: Whether there was an alert while it lasted; of a series without values, whether
            it became absent.
        after: The faulty steps up to then, the first is 1; None if it was not reported.
        highest: The highest severity of an event while it lasted, alert or not.
        kind: The kind of that event.
        alerts: The alerts from its begin to the end: one is right.
    """

    fault: Fault
    is_reported: bool
    after: int | None
    highest: float
    kind: str
    alerts: int


def outcome_of(fault: Fault, judged: Judged) -> Outcome:
    """Return what became of a fault whose series was judged so."""
    first, last = fault.window(fault.drawn)
    alerts = [
        event for event in judged.events if event.alerted is not None and event.alerted >= first
    ]
    if fault.ends_series:
        reported = [step for step in judged.absent if first <= step <= last]
        after = reported[0] - first + 1 if reported else None
        return Outcome(fault, bool(reported), after, 0.0, "absent" if reported else "", len(alerts))
    about = [event for event in judged.events if event.start <= last and event.end >= first]
    steps = [
        alert.alerted for alert in alerts if alert.alerted is not None and alert.alerted <= last
    ]
    worst = max(about, key=lambda event: event.highest, default=NO_EVENT)
    after = min(steps) - first + 1 if steps else None
    return Outcome(fault, bool(steps), after, worst.highest, worst.kind, len(alerts))


def faults_table(outcomes: Sequence[Outcome]) -> str:
    """Return a line of Markdown for each fault, those of the replayed days first, and their sum."""
    ordered = sorted(outcomes, key=lambda outcome: outcome.fault.is_live)
    rows = "".join(_row(outcome) for outcome in ordered)
    reported = sum(outcome.is_reported for outcome in outcomes)
    live = [outcome.is_reported for outcome in outcomes if outcome.fault.is_live]
    return (
        f"{FAULTS_HEADER}{rows}\nReported: {reported} of {len(outcomes)} faults "
        f"(goal {GOAL_REPORTED}), {sum(live)} of {len(live)} live ones.\n"
    )


def _row(outcome: Outcome) -> str:
    reported = "yes" if outcome.is_reported else "**no**"
    severity = "" if outcome.fault.ends_series else f"{outcome.highest:.0f}"
    cells = (
        outcome.fault.series,
        outcome.fault.description,
        reported,
        outcome.after or "",
        severity,
    )
    return "| " + " | ".join(map(str, (*cells, outcome.kind, outcome.alerts))) + " |\n"


def calm_table(judged: Mapping[Shape, Judged]) -> str:
    """Return the number of alerts of series without faults, all false, and a line for each."""
    results = [
        (shape.name, (event.alerted - HISTORY[shape.step] + 1) * shape.step, event)
        for shape, own in judged.items()
        for event in own.events
        if event.alerted is not None
    ]
    in_days = sum(seconds <= REPLAYED_SECONDS for _, seconds, _ in results)
    text = (
        f"False alerts of {len(judged)} calm series in three days: {in_days} (goal {GOAL_CALM}); "
        f"in half a day more: {len(results) - in_days}.\n"
    )
    if results:
        text += CALM_HEADER
    for name, seconds, event in sorted(results, key=lambda row: row[:2]):
        clock = f"{seconds // DAY} | {seconds % DAY // HOUR:02}:{seconds % HOUR // MINUTE:02}"
        text += f"| {name} | {clock} | {event.kind} | {event.highest:.0f} |\n"
    return text


def tables_of(faulty: Mapping[Fault, Judged], calm: Mapping[Shape, Judged]) -> str:
    """Return the tables of what was judged."""
    outcomes = [outcome_of(fault, judged) for fault, judged in faulty.items()]
    texts = [faults_table(outcomes)] if outcomes else []
    return "\n".join([*texts, calm_table(calm)] if calm else texts)


def add_direct_results(
    polled: Mapping[Key, Judged], direct: Mapping[Key, Judged]
) -> tuple[dict[Key, Judged], list[Key]]:
    """Add to polled series what nobody saw: when their alerts began, and what they reached.

    That comes from the same points judged directly. Series that this has led to other events or
    alerts, or absent at another step, stay as they are, and are returned too.
    """
    matched = {}
    others = []
    for key, own in polled.items():
        if _common_part(own) == _common_part(direct[key]):
            matched[key] = direct[key]
        else:
            matched[key] = own
            others.append(key)
    return matched, others


def _common_part(judged: Judged) -> tuple[object, ...]:
    """Return what both ways of judging know."""
    events = judged.events
    return (
        *((event.start, event.end, event.kind, event.severity, event.is_alert) for event in events),
        judged.absent,
    )
