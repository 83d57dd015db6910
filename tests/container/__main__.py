"""Build the image on a stand-in for its base, run it as on a server, and print figures.

It exits with 77 where podman is not installed, or may not run.
"""

import http.client
import json
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.container.engine import BOUNDS, OPTIONS, Engine, EngineError, reason_to_skip, run
from tests.machine.building import runs_here
from tests.support.polling import poll
from tests.support.server import ROOT
from tests.support.services import accepts_connections, free_port

CANNOT_RUN = 77
CONTAINERFILE = ROOT / "deploy/container/Containerfile"
EXAMPLE = (ROOT / "docs/examples/airline-passengers.json").read_bytes()
BASE, SUITE = "docker.io/library/debian:bookworm-slim", "bookworm"
IMAGE = "localhost/forecast-service"
MAX_MEGABYTES = 200
START_SECONDS = 120
SENDERS = 4


def make_base(engine: Engine, folder: Path) -> None:
    """Make an image of the base's name: no registry of images is asked."""
    archive = str(folder / "base.tar")
    run("mmdebstrap", "--quiet", "--variant=minbase", SUITE, archive)
    engine.podman("import", "--quiet", archive, BASE)


def fetch_libraries(folder: Path) -> Path:
    """Download the pinned libraries by this machine's settings of pip, for its own Python."""
    run("/usr/bin/python3", "-m", "venv", str(folder / "pip"))
    wheels = folder / "wheels"
    words = ["--quiet", "--only-binary=:all:", "--require-hashes", f"--dest={wheels}"]
    pip = str(folder / "pip/bin/pip")
    run(pip, "download", *words, f"--requirement={ROOT / 'requirements.txt'}")
    return wheels


def build(engine: Engine, wheels: Path) -> None:
    options = ["--quiet", "--isolation=chroot", "--layers=false", f"--volume={wheels}:/wheels:ro"]
    options += ["--build-arg=PIP_FIND_LINKS=/wheels", "--build-arg=PIP_NO_INDEX=1"]
    options += [f"--ignorefile={ROOT / '.dockerignore'}", f"--file={CONTAINERFILE}"]
    engine.podman("build", *options, f"--tag={IMAGE}", str(ROOT))


def compressed_megabytes(engine: Engine) -> float:
    with (
        subprocess.Popen(engine.podman_words("save", IMAGE), stdout=subprocess.PIPE) as saving,
        subprocess.Popen(["zstd", "-3"], stdin=saving.stdout, stdout=subprocess.PIPE) as packing,
    ):
        assert packing.stdout
        return sum(map(len, iter(lambda: packing.stdout.read(2**20), b""))) / 1e6


class Service:
    """Containers of the image that share a volume for the database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.port = free_port()
        self._options = [*OPTIONS, *BOUNDS, "--volume=data:/data", f"--env=PORT={self.port}"]
        self.url = f"http://127.0.0.1:{self.port}"

    def run_once(self, *words: str) -> str:
        """Run a command in a separate container; return what it printed."""
        return self._engine.podman("run", "--rm", *self._options, IMAGE, *words)

    @contextmanager
    def run_named(self, name: str, *words: str) -> Iterator[None]:
        self._engine.podman("run", "--detach", f"--name={name}", *self._options, IMAGE, *words)
        try:
            yield
        finally:
            self._engine.podman("rm", "--force", "--time=1", name)

    def run_inside(self, name: str, script: str) -> str:
        """Run a script of the shell in a running container."""
        return self._engine.podman("exec", name, "sh", "-c", script)

    def stop(self, name: str) -> int:
        """Stop a container as a server does; return its exit code."""
        self._engine.podman("stop", "--time=60", name)
        return int(self._engine.podman("inspect", "--format={{.State.ExitCode}}", name))

    def log(self, name: str) -> str:
        """Return what a container has printed."""
        done = subprocess.run(
            self._engine.podman_words("logs", name), capture_output=True, text=True, check=False
        )
        return done.stdout + done.stderr

    def request(self, path: str, key: str = "", body: bytes | None = None) -> tuple[int, bytes]:
        """Send a request; return the status and the body."""
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, body, headers if key else {})
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.status, response.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()


def wait_until(problem: str, condition: Callable[[], bool]) -> float:
    """Return the seconds until ``condition`` is true."""
    started = time.monotonic()
    expect(poll(condition, START_SECONDS), problem)
    return time.monotonic() - started


def stop_under_load(service: Service, key: str) -> tuple[float, int]:
    """Stop the service while forecasts are computed; return the seconds and the number of requests.

    Clients keep their connections, as nginx does: every request gets its response, and the last one
    on a connection says so.
    """
    results: list[object] = []
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def keep_sending() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
        is_last = False
        while not is_last:
            try:
                connection.request("POST", "/forecast", EXAMPLE, headers)
                response = connection.getresponse()
                body, is_last = response.read(), response.will_close
                # The key's limit of a minute is a response, too.
                results.append(None if response.status in {200, 429} else body)
            except (OSError, http.client.HTTPException) as error:
                results.append(error)
                return

    threads = [threading.Thread(target=keep_sending) for _ in range(SENDERS)]
    for thread in threads:
        thread.start()
    wait_until("not every client got a response", lambda: len(results) >= SENDERS)
    started = time.monotonic()
    ended = service.stop("web")
    seconds = time.monotonic() - started
    for thread in threads:
        thread.join()
    expect(ended == 0, f"the service ended with {ended}:\n{service.log('web')[-2000:]}")
    lost = [result for result in results if result is not None]
    expect(not lost, f"of {len(results)} requests were lost: {lost[:3]}")
    return seconds, len(results)


def check(engine: Engine) -> None:
    """Run the image as on a server, and say what was measured."""
    megabytes = compressed_megabytes(engine)
    print_figure("compressed", f"{megabytes:.0f} MB (at most {MAX_MEGABYTES})")
    expect(megabytes <= MAX_MEGABYTES, "the image is too large")
    service = Service(engine)
    print_figure("migrated", service.run_once("forecast-service", "db", "upgrade").strip())
    create = ("keys", "create", "--permissions", "read", "--label", "first", "--quiet")
    key = service.run_once("forecast-service", *create).split()[-1]
    with service.run_named("web"):
        listens = wait_until("does not listen", lambda: accepts_connections(service.port))
        started = time.monotonic()
        status, body = service.request("/forecast", key, EXAMPLE)
        expect(status == 200 and len(json.loads(body)["median"]) == 12, f"no forecast: {body!r}")
        print_figure("listens after", f"{listens:.1f} s")
        print_figure("first forecast", f"sent then, after {time.monotonic() - started:.1f} s more")
        expect(service.request("/readyz")[0] == 200, "not ready after a forecast")
        user = service.run_inside("web", "id -u; id -g").split()
        expect(user == ["10001", "10001"], f"the user is {user}")
        tries = "for one in /opt/forecast-service/x /etc/x /x; do ! touch $one 2> /dev/null; done"
        service.run_inside("web", f"set -e; {tries}; touch /data/x /tmp/x; rm /data/x")
        capabilities = service.run_inside(
            "web", "grep -E '^(CapEff|NoNewPrivs)' /proc/1/status"
        ).split()
        expect(capabilities[1::2] == ["0" * 16, "1"], f"the process may do more: {capabilities}")
        print_figure("user", "10001, read-only root, no capabilities")
        with service.run_named("worker", "forecast-service", "worker"):
            wait_until("the worker did not start", lambda: "started" in service.log("worker"))
            expect(service.stop("worker") == 0, f"the worker failed: {service.log('worker')}")
        seconds, count = stop_under_load(service, key)
        expect("Traceback" not in service.log("web"), service.log("web")[-3000:])
        print_figure("stopped in", f"{seconds:.1f} s, 0 of {count} requests lost")
    files = ("--certificate", "/tls/fullchain.pem", "--key", "/tls/privkey.pem")
    site = service.run_once("python", "-m", "nginx.render", "--server-name", "localhost", *files)
    expect("forecast_engines" in site, f"no site was rendered: {site[:300]}")
    print_figure("nginx's site", f"{len(site.splitlines())} lines")


def expect(condition: bool, problem: str) -> None:
    """Raise EngineError with ``problem`` unless ``condition`` is true."""
    if not condition:
        raise EngineError(problem)


def print_figure(name: str, figure: str) -> None:
    print(f"{name + ':':16} {figure}", flush=True)


def main() -> int:
    reason = reason_to_skip()
    if not reason and not runs_here(SUITE):
        reason = f"the libraries are fetched for the image's Python, so here must be {SUITE}"
    if reason:
        print(f"The container's test cannot run: {reason}.")
        return CANNOT_RUN
    with tempfile.TemporaryDirectory(prefix="container-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        engine = Engine(folder)
        try:
            started = time.monotonic()
            make_base(engine, folder)
            wheels = fetch_libraries(folder)
            build(engine, wheels)
            print_figure("built in", f"{time.monotonic() - started:.0f} s")
            check(engine)
        except EngineError as error:
            print(f"FAILED: {error}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
