"""Telling a server's processes apart."""

import re

from tests.support.server import Server
from tests.support.services import children


def booted(server: Server) -> list[int]:
    """All web workers that there have been, by the server's log."""
    return [int(pid) for pid in re.findall(r"Booting worker with pid: ([0-9]+)", server.logged)]


def web_workers(server: Server) -> list[int]:
    """The web workers that run now; the other child of the master supervises the engines."""
    return sorted(set(booted(server)) & set(children(server.process.pid)))
