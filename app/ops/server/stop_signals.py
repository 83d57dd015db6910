"""The signals that stop the server, while it loads the application."""

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)


@contextlib.contextmanager
def exit_at_signals() -> Iterator[None]:
    """Exit at a stop signal during a block; gunicorn would queue the signal."""
    stops: list[int] = []

    def end(number: int, _frame: FrameType | None) -> None:
        stops.append(number)
        raise SystemExit(0)

    before = {number: signal.signal(number, end) for number in STOP_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if stops:  # Python ignores what is raised in a callback of a weak reference
        raise SystemExit(0)
