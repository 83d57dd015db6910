"""The processes of a server by their kind."""

import re

from tests.support.server import Server
from tests.support.services import children


def worker_ids(server: Server) -> list[int]:
    """Return all web workers so far, by the server's log."""
    return [int(pid) for pid in re.findall(r"Booting worker with pid: ([0-9]+)", server.logged)]


def web_workers(server: Server) -> list[int]:
    """Return the web workers that run now."""
    return sorted(set(worker_ids(server)) & set(children(server.process.pid)))


def fork_server(server: Server) -> int:
    """Return the fork server, which loads the engines' libraries; 0 while there is none."""
    return next((pid for pid in children(server.process.pid) if pid not in worker_ids(server)), 0)


def supervisor(server: Server) -> int:
    """Return the child of the fork server, which supervises the engines; 0 while there is none."""
    return next(iter(children(fork_server(server))), 0)
