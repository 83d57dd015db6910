"""Telling a server's processes apart."""

import re

from tests.support.server import Server
from tests.support.services import children


def web_workers(server: Server) -> list[int]:
    """The web workers that run now; the other child of the master supervises the engines."""
    booted = re.findall(r"Booting worker with pid: ([0-9]+)", server.log.read_text())
    return sorted({int(pid) for pid in booted} & set(children(server.process.pid)))
