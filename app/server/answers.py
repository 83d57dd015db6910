"""An answer leaves in one piece: gunicorn sends its head and its body one after the other.

A worker that is killed in between would leave a proxy with half an answer, which it can neither
finish nor ask of another node; and each piece costs a system call.
"""

import socket
from typing import Any

HOLD_BYTES = 65_536  # more than any forecast; longer answers leave as they are written


class WholeAnswer:
    """A socket for the length of one answer: what is sent is held until `flush`."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._held = bytearray()

    def sendall(self, data: bytes) -> None:
        """Hold ``data``, or send it after what is held when that is long enough."""
        self._held += data
        if len(self._held) > HOLD_BYTES:
            self.flush()

    def sendfile(self, file: Any, offset: int = 0, count: int | None = None) -> int:
        """Send a file after what is held."""
        self.flush()
        return self._sock.sendfile(file, offset, count)

    def flush(self) -> None:
        """Send what is held."""
        held, self._held = self._held, bytearray()
        if held:
            self._sock.sendall(held)

    def __getattr__(self, name: str) -> Any:
        """Be the socket in all else."""
        return getattr(self._sock, name)
