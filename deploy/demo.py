"""Run the service for `make run`: gunicorn at BIND, and the worker; print links once it responds.

Run from the project's folder: `BIND=127.0.0.1:8000 python deploy/demo.py KEY_FILE EXAMPLE_FILE`.
"""

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from http import HTTPStatus
from pathlib import Path

ANNOUNCEMENT = """
Open the playground with this link, which contains the demo key (Ctrl-C stops the service):

{url}/#key={key}

The key is stored in {key_file}.

Or, in another shell, forecast the airline passengers of 1961:

curl -s {url}/forecast \\
  -H "Authorization: Bearer {key}" \\
  -H "Content-Type: application/json" \\
  -d @"{example}"
"""
SIGN_IN = """
Or sign in to the account dashboard, to manage keys, with this link (it works once):

{link}
"""
DASHBOARD = "/account/sign-in"  # not found with ACCOUNT_DASHBOARD=0
MEMBER = "demo@localhost"
INVITE = [sys.executable, "-m", "flask", "members", "invite", "default", MEMBER, "--quiet", "--url"]
STOP_SECONDS = 4  # for requests under way when the service stops; then they are aborted
SERVER = [sys.executable, "-m", "gunicorn", "--config", "python:app.ops.server.config"]
SERVER += ["--graceful-timeout", str(STOP_SECONDS), "wsgi:app"]
WORKER = [sys.executable, "-m", "flask", "worker"]
POLL_SECONDS = 1
LOOPBACK_BY_WILDCARD = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def main() -> int:
    """Serve until gunicorn ends; return its exit status."""
    host, _, port = os.environ["BIND"].rpartition(":")
    host = host.strip("[]")
    if not host or not port.isdigit() or not 0 < int(port) < 65_536:
        return fail(f"BIND={os.environ['BIND']} is not an address and port, such as 127.0.0.1:8001")
    if problem := listening_problem(host, int(port)):
        return fail(f"{problem}. Use another port, for example: make run PORT={free_port()}")
    server, worker = subprocess.Popen(SERVER), subprocess.Popen(WORKER)
    is_stopping = False

    def stop(*_signal: object) -> None:
        nonlocal is_stopping
        is_stopping = True
        server.terminate()
        worker.terminate()

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    print_links(server, LOOPBACK_BY_WILDCARD.get(host, host), int(port))
    while server.poll() is None:
        if worker.poll() is not None and not is_stopping:
            worker = subprocess.Popen(WORKER)
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(POLL_SECONDS)
    worker.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        worker.wait(STOP_SECONDS)
    worker.kill()
    return server.returncode


def fail(problem: str) -> int:
    """Print why the service cannot start; return the exit status."""
    print(f"Error: {problem}", file=sys.stderr)
    return 1


def listening_problem(host: str, port: int) -> str | None:
    """Return why the address cannot be listened on, or None."""
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as gunicorn does
            probe.bind((host, port))
    except OSError as error:
        return f"The service cannot listen on {host}, port {port}: {error.strerror}"
    return None


def free_port() -> int:
    """Return a free port on loopback."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def print_links(server: subprocess.Popen[bytes], host: str, port: int) -> None:
    """Print the address, the key, a first request and a sign-in link once ``server`` responds."""
    key_file, example = sys.argv[1:]
    while server.poll() is None:
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection(host, port, timeout=5)
            connection.request("GET", DASHBOARD)
            has_dashboard = connection.getresponse().status != HTTPStatus.NOT_FOUND
            break
        time.sleep(0.1)
    else:
        return
    url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    key = Path(key_file).read_text().strip()
    announcement = ANNOUNCEMENT.format(url=url, key_file=key_file, key=key, example=example)
    if has_dashboard:
        link = subprocess.run([*INVITE, url], stdout=subprocess.PIPE, text=True, check=False)
        announcement += SIGN_IN.format(link=link.stdout.strip())
    print(announcement, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
