"""What takes more than one request, without I/O: the manner of httpx's ``auth_flow``.

A flow is a generator. It yields what is to be done: a ``Call`` to send once, a number of seconds to
wait, or ``Together``, flows to run side by side. It gets the call's result or exception, and
returns the result of the whole. ``transport`` does it, by blocking or by asyncio.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from forecast_client.calls import Call
from forecast_client.errors import ForecastError
from forecast_client.retries import Retries

T = TypeVar("T")


@dataclass(frozen=True)
class Together:
    """Flows to run side by side; ``stop`` is called where that is interrupted."""

    flows: Sequence["Flow[None]"]
    stop: Callable[[BaseException], None]


Flow = Generator[Call[Any] | float | Together, Any, T]
Plan = Callable[[Retries], Flow[T]]
"""What becomes a flow as soon as it is known how often and how long calls are tried."""


def flow_of(wanted: Call[T] | Plan[T], retries: Retries) -> Flow[T]:
    """Return the flow of a plan, or of a call: it is sent until a retry is useless."""
    return _sending(wanted, retries) if isinstance(wanted, Call) else wanted(retries)


def _sending(call: Call[T], retries: Retries) -> Flow[T]:
    attempts = retries.attempts(call)
    while True:
        try:
            result: T = yield attempts.call
        except ForecastError as error:
            pause = attempts.pause_after(error)
        else:
            return result
        yield pause


@dataclass(frozen=True)
class Page(Generic[T]):
    """Some of many; ``next`` is the cursor of those after them, None where there are none yet."""

    items: tuple[T, ...]
    next: int | None


@dataclass(frozen=True)
class Paged(Generic[T]):
    """Items that come in pages: ``call`` gets those after a cursor, ``after`` is the first."""

    call: Callable[[int | None], Call[Page[T]]]
    after: int | None
