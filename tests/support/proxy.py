"""A TCP proxy on loopback that can disconnect or hang, like a server that is down or hangs."""

import contextlib
import selectors
import socket
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

from tests.support.services import free_port

CHUNK = 65_536


class Proxy:
    """A proxy that passes bytes to a server, until it is set to ``gone`` or ``hang``."""

    def __init__(self, target: str) -> None:
        parts = urlsplit(target)
        self._target = (parts.hostname, parts.port)
        self.port = free_port()
        self.url = target.replace(f"{parts.hostname}:{parts.port}", f"127.0.0.1:{self.port}")
        self._selector = selectors.DefaultSelector()
        self._wake, self._woken = socket.socketpair()
        self._lock = threading.Lock()
        self._listener: socket.socket | None = None
        self._flows = threading.Event()
        self._ended = False
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self.restore()

    def restore(self) -> None:
        """Pass bytes again."""
        with self._lock:
            if self._listener is None:
                self._listener = socket.create_server(("127.0.0.1", self.port))
                self._selector.register(self._listener, selectors.EVENT_READ)
        self._flows.set()
        self._wake.send(b".")

    def disconnect(self) -> None:
        """Close every connection and refuse new ones."""
        with self._lock:
            for key in list(self._selector.get_map().values()):
                if key.fileobj is not self._woken:
                    self._selector.unregister(key.fileobj)
                    key.fileobj.close()
            self._listener = None
        self._wake.send(b".")

    def hang(self) -> None:
        """Keep all connections, accept new ones, and pass nothing on."""
        self._flows.clear()

    def stop(self) -> None:
        """End the proxy."""
        self._ended = True
        self._flows.set()
        self.disconnect()
        self._thread.join()
        self._selector.close()
        self._wake.close()
        self._woken.close()

    def _run(self) -> None:
        while not self._ended:
            ready = [key for key, _events in self._selector.select()]
            self._flows.wait()
            with self._lock:
                for key in ready:
                    # Connections that were closed meanwhile are not served.
                    if key.fileobj in {known.fileobj for known in self._open()}:
                        self._serve(key)

    def _open(self) -> list[selectors.SelectorKey]:
        return list(self._selector.get_map().values())

    def _serve(self, key: selectors.SelectorKey) -> None:
        if key.fileobj is self._woken:
            self._woken.recv(CHUNK)
        elif key.fileobj is self._listener:
            with contextlib.suppress(OSError):
                self._connect()
        else:
            self._pass_on(key.fileobj, key.data)

    def _connect(self) -> None:
        near, _address = self._listener.accept()
        far = socket.create_connection(self._target)
        for source, other in ((near, far), (far, near)):
            source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._selector.register(source, selectors.EVENT_READ, other)

    def _pass_on(self, source: socket.socket, other: socket.socket) -> None:
        try:
            data = source.recv(CHUNK)
            other.sendall(data)
        except OSError:
            data = b""
        if not data:
            for side in (source, other):
                self._selector.unregister(side)
                side.close()


@contextlib.contextmanager
def run_proxy(target: str) -> Iterator[Proxy]:
    """Run a proxy in front of the server of the URL ``target`` within a block."""
    proxy = Proxy(target)
    try:
        yield proxy
    finally:
        proxy.stop()
