"""Many series at once, in parallel under the limit."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forecast_client.transport import AsyncTransport, Transport


class ManySeries:
    """The ``many`` of a client."""

    def __init__(self, transport: "Transport") -> None:
        self._transport = transport


class AsyncManySeries:
    """The ``many`` of an asynchronous client."""

    def __init__(self, transport: "AsyncTransport") -> None:
        self._transport = transport
