"""Reading from a connection: a head as it comes, without waiting, and a body with patience."""

import os
import socket

from gunicorn.http.unreader import SocketUnreader

AT_ONCE = 8_192
SILENCE_SECONDS = 10
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class Reader(SocketUnreader):  # type: ignore[misc]
    """Gunicorn's reader, which gives up on a client that sends nothing of its body for a while.

    Attributes:
        invites: the client waits to be asked for its body, and is when that is first read.
    """

    invites = False

    @property
    def received(self) -> bytes:
        """What has been received and not yet been read."""
        return bytes(self.buf.getvalue())

    def receive(self) -> bool:
        """Receive what is there, without waiting; tell whether more may come."""
        try:
            data = self.sock.recv(AT_ONCE, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.buf.seek(0, os.SEEK_END)
        self.buf.write(data)
        return bool(data)

    def chunk(self, size_hint: int | None = None) -> bytes:
        """Return the next piece of a body; raise ``TimeoutError`` when none comes in time."""
        if self.invites:
            self.invites = False
            self.sock.sendall(CONTINUE)
        if self.sock.gettimeout() is not None:  # someone has set a time of their own
            return bytes(super().chunk(size_hint))
        self.sock.settimeout(SILENCE_SECONDS)
        try:
            return bytes(super().chunk(size_hint))
        finally:
            self.sock.settimeout(None)
