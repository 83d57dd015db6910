"""Send requests until standard input ends: ``traffic.py NAME KEY EXAMPLE``, in a machine's network.

It prints JSON: how many were sent, what went wrong with which, and the longest wait in seconds.
"""

import http.client
import json
import ssl
import sys
import threading
import time
from pathlib import Path

SENDERS = 4
# A forecast counts against the key's limit of 50 a minute.
PAUSE_SECONDS, PAUSE_OF_FORECASTS = 0.5, 2.5
TIMEOUT_SECONDS = 100


def send(name: str, key: str, body: bytes | None) -> str | None:
    """Send one request on a separate connection; return what went wrong."""
    context = ssl.create_default_context()
    # The authority is the machine's own, and this process has the trust of another.
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    connection = http.client.HTTPSConnection("127.0.0.1", timeout=TIMEOUT_SECONDS, context=context)
    headers = {"Host": name, "Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    try:
        connection.request(
            "POST" if body else "GET", "/forecast" if body else "/verify", body, headers
        )
        response = connection.getresponse()
        received = response.read()
        return None if response.status == 200 else f"{response.status} {received[:200]!r}"
    except (OSError, http.client.HTTPException) as error:
        return repr(error)
    finally:
        connection.close()


def main(name: str, key: str, example: str) -> None:
    ended = threading.Event()
    waits: list[float] = []
    lost: list[str] = []

    def keep_sending(body: bytes | None) -> None:
        while not ended.is_set():
            started = time.monotonic()
            problem = send(name, key, body)
            waits.append(time.monotonic() - started)
            if problem:
                lost.append(f"{time.strftime('%X')} after {waits[-1]:.1f} s: {problem}")
            ended.wait(PAUSE_OF_FORECASTS if body else PAUSE_SECONDS)

    bodies = [Path(example).read_bytes(), *[None] * (SENDERS - 1)]
    threads = [threading.Thread(target=keep_sending, args=(body,)) for body in bodies]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    ended.set()
    for thread in threads:
        thread.join()
    print(json.dumps({"sent": len(waits), "lost": lost, "longest": round(max(waits), 1)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
