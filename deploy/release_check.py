"""Build a release, serve from it, and list what it still needs, for `make release-check`.

Run from the project's folder: `python deploy/release_check.py`. Exits with 1 if it needs anything.
"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.request
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CLIENT = ROOT / "clients" / "python"
EXAMPLE = ROOT / "docs" / "examples" / "airline-passengers.json"
CLIENT_VERSION = Path("src/forecast_client/version.py")
PAGES = ("/", "/docs", "/docs/errors", "/account/sign-in")
STARTUP_SECONDS = 60


def main() -> int:
    """Build, install, serve and check; return the exit status."""
    dist = ROOT / "dist"
    for project in (ROOT, CLIENT):
        run(sys.executable, "-m", "build", "--outdir", str(dist), str(project))
    with tempfile.TemporaryDirectory() as folder:
        python = install(Path(folder), dist)
        serve_once(Path(folder), python)
    problems = list(find_missing(ROOT))
    for name in sorted(path.name for path in dist.iterdir()):
        print(f"built    dist/{name}")
    for problem in problems:
        print(f"missing  {problem}")
    print("not ready to be released" if problems else "ready to be released")
    return 1 if problems else 0


def run(*command: str, **options: object) -> str:
    """Run a command; return what it printed, or raise CalledProcessError if it fails."""
    print(f"$ {' '.join(command)}", flush=True)
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options)  # type: ignore[call-overload]
    return str(done.stdout).strip()


def version_of(project: Path) -> str:
    """Return the version in a project's ``pyproject.toml``."""
    return str(tomllib.loads((project / "pyproject.toml").read_text())["project"]["version"])


def version_of_client(project: Path) -> str:
    """Return the version that the client at ``project`` has in its code."""
    return str(re.findall(r'__version__ = "(.+)"', (project / CLIENT_VERSION).read_text())[0])


def install(folder: Path, dist: Path) -> Path:
    """Install the wheels and the pinned libraries into an empty environment; return its Python."""
    run(sys.executable, "-m", "venv", str(folder / "venv"))
    python = folder / "venv" / "bin" / "python"
    pip = (str(python), "-m", "pip", "install", "--quiet")
    run(*pip, "--require-hashes", "--requirement", str(ROOT / "requirements.txt"))
    version = version_of(ROOT)
    run(*pip, "--no-deps", str(dist / f"forecast_service-{version}-py3-none-any.whl"))
    version = version_of_client(CLIENT)
    # With its own dependencies, which the service does not pin.
    run(*pip, str(dist / f"forecast_service_client-{version}-py3-none-any.whl"))
    run(str(python), "-m", "pip", "check")
    return python


def serve_once(folder: Path, python: Path) -> None:
    """Serve from the installed wheel, outside the checkout, and forecast once."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    environ = os.environ | {
        "DATABASE_URL": f"sqlite:///{folder}/release.db",
        "BIND": f"127.0.0.1:{port}",
        "WEB_CONCURRENCY": "1",
    }
    options = {"cwd": folder, "env": environ}
    command = str(python.with_name("forecast-service"))
    run(command, "db", "upgrade", **options)
    created = ("keys", "create", "--permissions", "read", "--quiet")
    key = run(command, *created, **options)
    server = subprocess.Popen([command, "serve"], cwd=folder, env=environ)
    try:
        wait_until_ready(server, f"{url}/readyz")
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{url}/forecast", EXAMPLE.read_bytes(), headers)
        with urllib.request.urlopen(request) as response:
            forecast = json.load(response)
        for page in PAGES:
            urllib.request.urlopen(f"{url}{page}").close()  # raises if it is not 200
        periods = len(forecast["median"])
        print(f"served   {', '.join(PAGES)} and a forecast of {periods} periods from the wheel")
        client = "import forecast_client as f; f.ForecastClient().verify(); print(f.__version__)"
        print(
            "client  ",
            run(
                str(python),
                "-c",
                client,
                cwd=folder,
                env=environ | {"FORECAST_URL": url, "FORECAST_KEY": key},
            ),
        )
    finally:
        server.terminate()
        server.wait()


def wait_until_ready(server: "subprocess.Popen[bytes]", url: str) -> None:
    """Poll until the server responds; raise RuntimeError if it ends or takes too long."""
    deadline = time.monotonic() + STARTUP_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(url):
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError("the service did not start from the wheel")


def find_missing(root: Path) -> Iterator[str]:
    """Yield a line for each thing that a release of the checkout at ``root`` still needs."""
    version = version_of(root)
    if version_of_client(root / "clients" / "python") != version:
        yield f"the client's version: set it to {version} in {CLIENT_VERSION}"
    sections = changelog_sections((root / "CHANGELOG.md").read_text())
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", sections.get(version, ("", ""))[0]):
        yield f"the changelog's section: give CHANGELOG.md a heading `## [{version}] - YYYY-MM-DD`"
    if sections.get("Unreleased", ("", ""))[1]:
        yield f"changes under Unreleased in CHANGELOG.md: move them to {version}"
    if git(root, "status", "--porcelain"):
        yield "a clean checkout: commit or ignore what `git status` lists"
    if git(root, "tag", "--list", f"v{version}"):
        yield f"a new version: the tag v{version} exists"


def changelog_sections(changelog: str) -> dict[str, tuple[str, str]]:
    """Return the date and the body of each section of a changelog, by version."""
    heading = r"^## \[(.+?)\](?: - (.*))?$"
    _before, *parts = re.split(heading, changelog, flags=re.MULTILINE)
    triples = zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    return {version: (date or "", body.strip()) for version, date, body in triples}


def git(root: Path, *words: str) -> str:
    """Return what git prints of the checkout at ``root``."""
    return subprocess.run(
        ["git", *words], cwd=root, check=True, capture_output=True, text=True
    ).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
