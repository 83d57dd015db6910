"""The package's scripts fit the units and the migrations; `make machine-test` installs it."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from app.database import revisions
from tests.support.server import ROOT

PACKAGE = ROOT / "deploy" / "deb"
UNITS = ROOT / "deploy" / "systemd"
SCRIPTS = [PACKAGE / name for name in ("postinst", "prerm", "postrm")]
TRIM = ROOT / "deploy" / "trim.sh"


@pytest.mark.parametrize("script", [*SCRIPTS, PACKAGE / "build.sh", TRIM], ids=lambda one: one.name)
def test_a_shell_finds_nothing_wrong_with_a_script(script: Path) -> None:
    """As shellcheck says where it is installed, else as the shell that runs the script reads it."""
    shell = script.read_text().partition("\n")[0].removeprefix("#!")
    checker = [found] if (found := shutil.which("shellcheck")) else [shell, "-n"]
    done = subprocess.run([*checker, str(script)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda one: one.name)
def test_a_script_of_the_package_knows_every_unit_that_is_enabled(script: Path) -> None:
    enabled = {path.name for path in UNITS.iterdir() if "[Install]" in path.read_text()}
    assert set(
        re.findall(r"forecast-service[\w-]*\.(?:socket|service|timer)", script.read_text())
    ) == (enabled)


def test_what_the_package_makes_is_what_the_units_name() -> None:
    script = (PACKAGE / "postinst").read_text()
    named = "\n".join(path.read_text() for path in UNITS.iterdir())
    for key, name in (("EnvironmentFile", "settings"), ("ReadWritePaths", "backups")):
        (path,) = set(re.findall(rf"^{key}=(.+)$", named, re.MULTILINE))
        assert f"\n{name}={path}\n" in script
    (folder,) = set(re.findall(r"^WorkingDirectory=(.+)$", named, re.MULTILINE))
    assert f"\nroot={Path(folder).parent}\n" in script
    assert folder == "/opt/forecast-service/current"


def test_a_database_that_newer_code_has_migrated_stops_no_installation() -> None:
    """The script knows it by what the command says."""
    words = re.search(r'\*"(.*newer.*)"\*', (PACKAGE / "postinst").read_text())[1]
    assert words in Path(revisions.__file__).read_text()


def test_an_environment_without_what_serves_no_request_still_has_the_rest(tmp_path: Path) -> None:
    site = tmp_path / "lib" / "python3.11" / "site-packages"
    kept = [
        *(
            "numpy/_core/tests/_natype.py",
            "numpy/_core/tests/__init__.py",
            "numpy/random/mtrand.so",
        ),
        *("plotly/package_data/plotly.min.js", "plotly-7.dist-info/METADATA", "app/tests.py"),
    ]
    removed = [
        *(
            "numpy/_core/tests/test_dtype.py",
            "pandas/tests/io/test_csv.py",
            "plotly/graph_objs/a.py",
        ),
        *("numpy/_core/lib/npymath.a", "zstandard/_cffi.cpython.so", "pip/__init__.py", "a/b.pyx"),
    ]
    for name in (*kept, *removed):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).touch()
    (tmp_path / "bin").mkdir()
    for name in ("flask", "gunicorn", "pip", "f2py"):
        (tmp_path / "bin" / name).touch()
    subprocess.run([str(TRIM), str(tmp_path)], check=True)
    assert {path.name for path in (tmp_path / "bin").iterdir()} == {"flask", "gunicorn"}
    left = {str(path.relative_to(site)) for path in site.rglob("*") if path.is_file()}
    assert left == set(kept)
