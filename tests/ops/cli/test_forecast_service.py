"""`forecast-service`: a light start, the settings file, no root, the service itself."""

import os
import pwd
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from app.core.database.revisions import known_revisions
from app.ops import privileges
from app.ops.cli import GROUPS, SERVICE_GROUPS
from app.ops.cli.command import command
from tests.support.server import ROOT
from tests.support.services import (
    ENDING_SECONDS,
    accepts_connections,
    free_port,
    run_process,
    wait_until,
)

# Tests may run as root, and the machine has no user of the service.
NOT_AS_ROOT = "import os; os.geteuid = lambda: 1"
PROGRAM = f"""
{NOT_AS_ROOT}
import sys
from app.ops.cli.__main__ import main
main()
"""
LOADED = f"""
{NOT_AS_ROOT}
import sys
from app.ops.cli.__main__ import main
try:
    main()
finally:
    print(len(sys.modules), *{{name.partition(".")[0] for name in sys.modules}}, file=sys.stderr)
    print(*(name for name in sys.modules if name.startswith("app.")), file=sys.stderr)
"""
# A library that is loaded in passing has a hundred and more.
MAX_MODULES = 600
HEAVY = {
    "numpy", "pandas", "scipy", "gunicorn", "alembic", "flask_limiter", "limits", "marshmallow",
    "apispec", "httpx", "prometheus_client", "cryptography", "joserfc", "plotly", "zstandard",
}  # fmt: skip
APPLICATION = {"app.api", "app.api.request_state", "app.api.service"}
HEAVY_PARTS = ("app.api", "app.web.dashboard", "app.web.pages", "app.compute", "app.forecasting")


@pytest.fixture
def settings_file(tmp_path: Path, database_url: str) -> Path:
    file = tmp_path / "environment"
    file.write_text(f"DATABASE_URL={database_url}\nLOG_LEVEL=WARNING\n")
    return file


def run_program(code: str, file: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a shell does, on a machine whose settings are in ``file``."""
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=ROOT,
        env=os.environ | {"FORECAST_SERVICE_SETTINGS": str(file)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("words", ["keys list", "accounts list", "members list", "sources list"])
def test_an_admin_command_loads_neither_views_nor_gunicorn_nor_the_engine(
    settings_file: Path, words: str
) -> None:
    done = run_program(LOADED, settings_file, *words.split())
    assert done.returncode == 0, done.stderr
    packages, parts = done.stderr.splitlines()
    number, *names = packages.split()
    assert set(names) & HEAVY == set()
    loaded = {name for name in parts.split() if name.startswith(HEAVY_PARTS)}
    assert loaded <= APPLICATION
    assert int(number) < MAX_MODULES


def test_a_library_is_first_loaded_when_root_is_given_up() -> None:
    # What Python itself loads at its start differs: a distribution adds modules of its own.
    code = "import sys; before = {*sys.modules}; import app.ops.cli.__main__"
    code += "; print(*{name.partition('.')[0] for name in {*sys.modules} - before})"
    loaded = {*run_program(code, Path("/nowhere")).stdout.split()}
    assert "app" in loaded
    assert loaded - {*sys.stdlib_module_names, "app"} == set()


def test_all_commands_of_flask_are_those_of_the_command(app) -> None:
    context = click.Context(command)
    assert {*GROUPS, "db"} == {*app.cli.list_commands(context)} | {"db"}
    names = command.list_commands(context)
    assert {*names} >= {*GROUPS, *SERVICE_GROUPS, "db", "serve"}
    assert [name for name in names if command.get_command(context, name) is None] == []


def test_the_settings_file_is_where_the_database_is_reported(settings_file: Path) -> None:
    result = run_program(PROGRAM, settings_file, "accounts", "create", "acme")
    assert (result.returncode, result.stderr) == (0, "")
    assert "acme" in run_program(PROGRAM, settings_file, "accounts", "list").stdout
    current = run_program(PROGRAM, settings_file, "db", "current")
    assert current.stdout.split()[0] == known_revisions()[-1]


def test_a_mistake_in_the_settings_file_is_one_line(settings_file: Path) -> None:
    with settings_file.open("a") as file:
        file.write("MAX_POINT=5\n")
    done = run_program(PROGRAM, settings_file, "keys", "list")
    assert done.returncode == 1
    assert done.stderr == (
        f"Error: {settings_file}, line 3: MAX_POINT is not a setting; write MAX_POINTS\n"
    )


def test_settings_that_do_not_fit_each_other_are_one_line(settings_file: Path) -> None:
    with settings_file.open("a") as file:
        file.write("OIDC_CLIENT_ID=me\n")
    done = run_program(PROGRAM, settings_file, "keys", "list")
    (line,) = done.stderr.splitlines()
    assert line.startswith("Error: OIDC_CLIENT_ID: set all of")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """What a root that gives itself up asks the system for, which is not done."""
    results: list[tuple[object, ...]] = []
    monkeypatch.setattr(privileges, "SERVICE_USER", "nobody")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for name in ("initgroups", "setgid", "setuid", "umask"):
        monkeypatch.setattr(
            os, name, lambda *arguments, name=name: results.append((name, *arguments))
        )
    for name in ("SUDO_USER", "HOME", "USER", "LOGNAME"):
        monkeypatch.setenv(name, "x")
    monkeypatch.delenv("SUDO_USER")
    return results


def test_root_is_given_up_for_the_services_user_and_its_groups_first(calls: list) -> None:
    privileges.drop_root(["keys", "list"])
    user = pwd.getpwnam("nobody")
    ids = [("initgroups", "nobody", user.pw_gid), ("setgid", user.pw_gid), ("setuid", user.pw_uid)]
    assert calls[:3] == ids
    assert os.environ["HOME"] == user.pw_dir
    assert os.environ["SUDO_USER"] == pwd.getpwuid(os.getuid()).pw_name  # for the audit trail


@pytest.mark.parametrize(
    "words", ["setup forecast.example.com", "backups restore x.db", "db move x"]
)
def test_commands_that_change_the_system_stay_root(calls: list, words: str) -> None:
    privileges.drop_root(words.split())
    assert calls == []


def test_a_machine_without_the_services_user_says_so(calls: list, monkeypatch) -> None:
    monkeypatch.setattr(privileges, "SERVICE_USER", "nosuch")
    with pytest.raises(ValueError, match="no user nosuch; run `forecast-service setup` again"):
        privileges.drop_root(["keys", "list"])


def test_a_folder_that_only_the_service_may_see_is_not_taken_for_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stat(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(privileges.os, "stat", stat)
    with pytest.raises(PermissionError, match="run the command with sudo"):
        privileges.has_settings_file()


@pytest.mark.parametrize(
    ("user", "operator", "remedy"),
    [
        ("nosuch", "alex", "run the command with sudo"),
        ("root", "alex", "run `sudo forecast-service setup`"),
        ("root", "root", "run `forecast-service setup`"),
    ],
    ids=["another user", "the service itself, by sudo", "the service itself, by root"],
)
def test_an_unreadable_settings_file_gives_a_remedy_that_works(
    monkeypatch: pytest.MonkeyPatch, user: str, operator: str, remedy: str
) -> None:
    """Root has given itself up by then: a hint to use sudo would lead in a circle."""
    monkeypatch.setattr(privileges, "SERVICE_USER", user)
    monkeypatch.setenv("SUDO_USER", operator)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert remedy in str(privileges.unreadable_settings_error())


def test_an_unknown_command_names_the_list_of_commands() -> None:
    for words, group in ((["foo"], "forecast-service"), (["keys", "foo"], "forecast-service keys")):
        done = CliRunner().invoke(command, words, prog_name="forecast-service")
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr == f"Error: No such command 'foo'; `{group} --help` lists all\n"


@pytest.mark.parametrize(("operator", "program"), [("alex", "sudo chown"), ("root", "chown")])
def test_an_unreadable_database_is_reported_with_its_owner_and_the_remedy(
    settings_file: Path, monkeypatch: pytest.MonkeyPatch, operator: str, program: str
) -> None:
    monkeypatch.setenv("SUDO_USER", operator)
    database = Path(settings_file.read_text().split()[0].partition("///")[2])
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{database}")
    monkeypatch.setattr(os, "access", lambda path, _mode: Path(path) != database)
    for words in ("accounts list", "db current", "backups create /nowhere"):
        done = CliRunner().invoke(command, words.split())
        assert (done.exit_code, done.stdout) == (1, "")
        assert f"{database} belongs to {database.owner()}" in done.stderr
        assert re.search(rf"run `{program} \S+ {re.escape(str(database))}\*`", done.stderr)


def test_serve_is_gunicorn_and_ends_as_gunicorn_does(settings_file: Path, tmp_path: Path) -> None:
    port, log = free_port(), tmp_path / "log"
    with settings_file.open("a") as file:
        file.write(f"BIND=127.0.0.1:{port}\nWEB_CONCURRENCY=1\n")
    words = [
        sys.executable,
        "-P",
        "-c",
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{PROGRAM}",
    ]
    environ = os.environ | {"FORECAST_SERVICE_SETTINGS": str(settings_file)}
    with (
        log.open("wb") as output,
        run_process(
            [*words, "serve"], cwd="/", env=environ, stdout=output, stderr=output
        ) as process,
    ):
        wait_until(lambda: accepts_connections(port) or process.poll() is not None, "the service")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz") as response:
            assert response.status == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(ENDING_SECONDS) == 0


def test_serve_with_a_broken_setting_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAX_POINTS", "many")
    done = CliRunner().invoke(command, ["serve"])
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: MAX_POINTS: set a whole number")
