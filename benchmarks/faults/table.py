"""The table of the faults, and the alerts of the calm series."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from benchmarks.faults.direct import Judged, SeenEvent
from benchmarks.faults.incidents import Fault
from benchmarks.faults.shapes import Shape
from benchmarks.faults.shop import HISTORY, REPLAYED_SECONDS

Key = TypeVar("Key")

GOAL_TOLD, GOAL_CALM = 30, 2
NO_EVENT = SeenEvent(0, 0, "", 0.0, 0.0, None)


@dataclass(frozen=True)
class Outcome:
    """What became of a fault.

    Attributes:
        is_told: Whether there was an alert while it lasted; of a series without values, whether it
            became absent.
        after: The faulty steps up to then, the first is 1; None if it was not told.
        highest: The highest severity of an event while it lasted, alert or not.
        kind: The kind of that event.
        alerts: The alerts from its begin to the end: one is right.
    """

    fault: Fault
    is_told: bool
    after: int | None
    highest: float
    kind: str
    alerts: int


def outcome_of(fault: Fault, judged: Judged) -> Outcome:
    """Return what became of a fault whose series was judged so."""
    first, last = fault.window(fault.drawn)
    alerts = [each for each in judged.events if each.alerted and each.alerted >= first]
    if fault.ends_series:
        told = [step for step in judged.absent if first <= step <= last]
        after = told[0] - first + 1 if told else None
        return Outcome(fault, bool(told), after, 0.0, "absent" if told else "", len(alerts))
    about = [each for each in judged.events if each.start <= last and each.end >= first]
    steps = [each.alerted for each in alerts if each.alerted and each.alerted <= last]
    worst = max(about, key=lambda each: each.highest, default=NO_EVENT)
    after = min(steps) - first + 1 if steps else None
    return Outcome(fault, bool(steps), after, worst.highest, worst.kind, len(alerts))


def print_faults(outcomes: Sequence[Outcome]) -> None:
    """Print a line a fault, as a table of Markdown."""
    print("| series | fault | told | after | severity | kind | alerts |")
    print("|---|---|---|---|---|---|---|")
    for is_live in (False, True):
        for each in outcomes:
            if each.fault.is_live is is_live:
                print(_line(each))
    told = [each.is_told for each in outcomes]
    live = [each.is_told for each in outcomes if each.fault.is_live]
    print(f"\nFaults told: {sum(told)} of {len(told)} (goal {GOAL_TOLD}), ", end="")
    print(f"{sum(live)} of {len(live)} of them live")


def _line(each: Outcome) -> str:
    told = "yes" if each.is_told else "**no**"
    severity = "" if each.fault.ends_series else f"{each.highest:.0f}"
    cells = (each.fault.series, each.fault.words, told, each.after or "", severity)
    return "| " + " | ".join(map(str, (*cells, each.kind, each.alerts))) + " |"


def print_calm(judged: Mapping[Shape, Judged]) -> None:
    """Print the alerts of series without faults, which are false."""
    found = [
        (each.alerted - HISTORY[shape.step] + 1, shape, each)
        for shape, own in judged.items()
        for each in own.events
        if each.alerted is not None
    ]
    replayed = [each for each in found if each[0] * each[1].step <= REPLAYED_SECONDS]
    print(f"\nFalse alerts of {len(judged)} calm series in three days: {len(replayed)} ", end="")
    print(f"(goal {GOAL_CALM}); in half a day more: {len(found) - len(replayed)}")
    for step, shape, event in sorted(found, key=lambda each: each[1].name):
        day, seconds = divmod(step * shape.step, 86_400)
        when = f"day {day}, {seconds // 3_600:02}:{seconds % 3_600 // 60:02}"
        print(f"  {shape.name}, {when}: {event.kind}, severity {event.highest:.0f}")


def print_all(faulty: Mapping[Fault, Judged], calm: Mapping[Shape, Judged]) -> None:
    """Print both."""
    if faulty:
        print_faults([outcome_of(fault, judged) for fault, judged in faulty.items()])
    if calm:
        print_calm(calm)


def complete(
    polled: Mapping[Key, Judged], direct: Mapping[Key, Judged]
) -> tuple[dict[Key, Judged], list[Key]]:
    """Add to polled series what nobody saw: when their alerts began, and what they reached.

    That comes from the same points judged directly. Series that this has led to other events or
    alerts, or absent at another step, stay as they are, and are returned too.
    """
    found, others = {}, []
    for key, own in polled.items():
        if _comparable(own) == _comparable(direct[key]):
            found[key] = direct[key]
        else:
            found[key] = own
            others.append(key)
    return found, others


def _comparable(judged: Judged) -> tuple[object, ...]:
    """Return what both ways of judging know."""
    events = judged.events
    return (
        *((each.start, each.end, each.kind, each.severity, each.is_alert) for each in events),
        judged.absent,
    )
