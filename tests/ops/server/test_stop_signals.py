"""A stop signal that comes while the server loads the application ends it."""

import os
import signal
import sys
import weakref

import pytest

from app.ops.server.processes import exit_at_signals


class Collected:
    """Something that is collected while the application loads."""


def test_a_stop_signal_inside_a_callback_still_stops_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ignored: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda it: ignored.append(it.exc_type))

    def stop(_reference: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        sum(range(10))  # Python runs the handler between two instructions

    def load() -> None:
        with exit_at_signals():
            collected = Collected()
            _reference = weakref.ref(collected, stop)
            del collected

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit):
        load()
    assert signal.getsignal(signal.SIGTERM) is before
    assert ignored == [SystemExit]
