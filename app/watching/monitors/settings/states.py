"""The states of a monitor, and why it is learning."""

from enum import StrEnum

MONITOR_STATE_MEANINGS = (
    "`learning`: too few points yet to judge; `anomalous`: an anomaly is open; `normal`: no "
    "anomaly is open"
)


class State(StrEnum):
    """The state of a monitor.

    ``overdue``, a late next point, takes precedence, and so does ``absent``: the query that feeds
    it no longer returns the series.
    """

    LEARNING = "learning"
    NORMAL = "normal"
    ANOMALOUS = "anomalous"
    OVERDUE = "overdue"
    ABSENT = "absent"


# The values of states in metrics; add new states at the end.
STATE_NUMBERS = {state: number for number, state in enumerate(State)}
STATE_NUMBER_MEANINGS = ", ".join(f"{number} {state}" for state, number in STATE_NUMBERS.items())


def state_of(is_learning: bool, is_anomalous: bool) -> State:
    """Return the state of a monitor that is not overdue; anomalous means an open event."""
    if is_anomalous:
        return State.ANOMALOUS
    return State.LEARNING if is_learning else State.NORMAL


def states_of(state: State, is_anomalous: bool) -> tuple[State, ...]:
    """Return all states of a monitor: its state, and anomalous if that is hidden by it."""
    is_hidden = is_anomalous and state is not State.ANOMALOUS
    return (state, State.ANOMALOUS) if is_hidden else (state,)


class LearningReason(StrEnum):
    """Why a monitor is learning: it is new, points were missing, or its series has changed."""

    NEW = "new"
    GAP = "gap"
    CHANGED = "changed"


REASON_MEANINGS = (
    "Why the monitor is learning; null unless `state` is `learning`. `new`: it has had too few "
    "points; `gap`: more than two seasons of points were missing; `changed`: the series has "
    "changed for good."
)


def reason_of(state: State, reason: LearningReason) -> LearningReason | None:
    """Return why a monitor in ``state`` is learning; ``reason`` is why it learned last."""
    return reason if state is State.LEARNING else None
