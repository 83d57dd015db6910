"""An HTTP proxy inside a machine that has no network: ``relay.py PID HOST…``.

It listens on 127.0.0.1:3128 in the network of the process ``PID``, and connects from its own
network to the given hosts, where packages are: to nothing else. It prints a line once it listens.
"""

import asyncio
import ctypes
import os
import socket
import sys
from urllib.parse import urlsplit

PORT = 3128
NEW_NETWORK = 0x40000000  # CLONE_NEWNET of setns(2)


def listen_in_network_of(pid: int) -> socket.socket:
    """Return a socket that listens in the network of another process, and come back."""
    library = ctypes.CDLL(None, use_errno=True)
    own = os.open("/proc/self/ns/net", os.O_RDONLY)
    for namespace, listens in ((os.open(f"/proc/{pid}/ns/net", os.O_RDONLY), True), (own, False)):
        if library.setns(namespace, NEW_NETWORK):
            raise OSError(ctypes.get_errno(), "setns")
        if listens:
            listening = socket.create_server(("127.0.0.1", PORT))
    return listening


async def pass_bytes(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on one request, or the connection that CONNECT asks for."""
    try:
        line, _, rest = (await reader.readuntil(b"\r\n\r\n")).partition(b"\r\n")
        method, target, _version = line.decode().split(" ")
        url = urlsplit(f"//{target}" if method == "CONNECT" else target)
        if url.hostname not in HOSTS:
            print("rejected", url.hostname, flush=True)
            writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            writer.close()
            return
        far_reader, far_writer = await asyncio.open_connection(url.hostname, url.port or 80)
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        else:  # one request on a connection, so that none follows it to another host
            path = url._replace(scheme="", netloc="").geturl() or "/"
            headers = [
                header
                for header in rest.split(b"\r\n")
                if not header.lower().startswith((b"connection:", b"proxy-"))
            ]
            head = [f"{method} {path} HTTP/1.1".encode(), b"Connection: close", *headers]
            far_writer.write(b"\r\n".join(head))
        await asyncio.gather(pass_bytes(reader, far_writer), pass_bytes(far_reader, writer))
    except (OSError, ValueError, asyncio.IncompleteReadError):
        writer.close()


async def main(pid: int) -> None:
    server = await asyncio.start_server(serve, sock=listen_in_network_of(pid))
    print("listens", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    HOSTS = set(sys.argv[2:])
    asyncio.run(main(int(sys.argv[1])))
