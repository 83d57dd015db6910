"""A test whose program is missing is skipped by its name and counted; in CI it fails."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.support import programs
from tests.support.programs import add_to_file, count_missing, find_binary, summary
from tests.support.server import ROOT

SCRIPT = ROOT / "tests" / "setup.sh"


@pytest.fixture
def without_programs(tmp_path: Path) -> dict[str, str]:
    """An environment whose PATH has git and a shell's programs, and no others."""
    for name in ("git", "sh", "bash", "env"):
        (tmp_path / name).symlink_to(find_binary(name))
    names = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    return names | {"PATH": str(tmp_path), "CI": ""}


def run_pytest(environ: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    """Run some tests in a process of their own, where only ``PATH`` has programs."""
    code = (
        "import sys, pytest\nfrom tests.support import programs\n"
        "programs.OTHER_FOLDERS = ()\nsys.exit(pytest.main(sys.argv[1:]))"
    )
    return subprocess.run(
        [sys.executable, "-c", code, "-p", "no:cacheprovider", *words],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_missing_program_skips_its_tests_and_the_end_says_how_many(
    without_programs: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "skipped"
    add_to_file(Counter(openssl=100), file)  # by an earlier run of `make test`
    words = ["tests/edge/test_render.py", "tests/identity/limits/test_tiers.py"]
    done = run_pytest(without_programs | {"SKIPPED_TESTS": str(file)}, *words)
    assert done.returncode == 0, done.stdout
    (number,) = re.findall(r"^(\d+) skipped: openssl is missing$", done.stdout, re.MULTILINE)
    assert re.search(rf"\d+ passed, {int(number) - 100} skipped", done.stdout)
    assert add_to_file(Counter(), file) == Counter(openssl=int(number))


@pytest.mark.parametrize("value", ["1", "true", "True"])
def test_ci_does_not_pass_for_lack_of_a_program(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("CI", value)
    with pytest.raises(pytest.fail.Exception, match="missing: no-such-program"):
        find_binary("no-such-program")


@pytest.mark.parametrize("value", ["", "0", "false"])
def test_outside_ci_a_missing_program_skips_the_test(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("CI", value)
    with pytest.raises(pytest.skip.Exception, match="missing: no-such-program"):
        find_binary("no-such-program")


def test_a_resolver_without_localhost_is_reported_before_a_webhook_times_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_words: object) -> None:
        raise OSError

    monkeypatch.setenv("CI", "")
    monkeypatch.setattr(programs.socket, "getaddrinfo", fail)
    with pytest.raises(pytest.skip.Exception, match="localhost in /etc/hosts"):
        programs.need_localhost()


def test_the_runs_of_make_test_are_counted_together(tmp_path: Path) -> None:
    counts = count_missing(["Skipped: missing: nginx; x", "missing: nginx; x", "only root"])
    assert counts == Counter(nginx=2)
    add_to_file(counts, tmp_path / "counts")
    sums = add_to_file(Counter(nginx=1, curl=1), tmp_path / "counts")
    assert summary(sums) == ["3 skipped: nginx is missing", "1 skipped: curl is missing"]


def test_every_program_that_a_test_looks_for_is_installed_by_the_script() -> None:
    tests = [path.read_text() for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
    looked_for = {name for text in tests for name in re.findall(r'find_binary\("([\w-]+)"', text)}
    assert {"initdb", "nginx", "chromium"} <= looked_for
    installed = set(re.findall(r"^([\w.-]+) {2,}[\w-]+$", SCRIPT.read_text(), re.MULTILINE))
    assert looked_for - installed == set()


def set_up(folder: Path, *pretended: str) -> subprocess.CompletedProcess[str]:
    """Run the script where apt and sudo are these pretended programs, or missing."""
    for name in ("sh", "tr", "sort", "python3"):
        (folder / name).symlink_to(find_binary(name))
    scripts = {
        "getent": "exit 0",
        "id": "echo 1000",
        "sudo": '[ "$1" != -n ] || exit 1\necho "sudo $*"',
    }
    for name in ("getent", "id", *pretended):
        (folder / name).write_text(f"#!/bin/sh\n{scripts.get(name, 'exit 0')}\n")
        (folder / name).chmod(0o755)
    return subprocess.run(
        [str(folder / "sh"), str(SCRIPT)],
        env={"PATH": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("provided", [(), ("sudo",), ("apt-get",), ("apt-get", "sudo")])
def test_missing_packages_are_named_in_one_line_and_the_tests_run(
    tmp_path: Path, provided: tuple[str, ...]
) -> None:
    """Neither root nor sudo, no apt, or a sudo that asks for a password where nobody is."""
    done = set_up(tmp_path, *provided)
    assert (done.returncode, done.stderr) == (0, "")
    (line,) = done.stdout.splitlines()
    assert line.startswith("Not installed, so the tests that need them are skipped: ")
    assert {"curl", "chromium", "node-typescript"} <= set(line.rpartition(": ")[2].split())
