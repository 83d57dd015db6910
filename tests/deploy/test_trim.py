"""What `deploy/trim.sh` leaves of an environment, for the package and for a checkout."""

import subprocess
from pathlib import Path

import pytest

from tests.support.server import ROOT

LIBRARIES = "lib/python3.11/site-packages"
SERVES = {
    "numpy/__init__.py",
    "numpy/_core/tests/__init__.py",
    "numpy/_core/tests/_natype.py",
    "plotly/package_data/plotly.min.js",
    "zstandard/backend_c.so",
}
FOR_TOOLS = {"pip/__init__.py", "numpy/__init__.pyi"}
SERVES_NOTHING = {
    "scipy/stats/tests/test_stats.py",
    "numpy/_core/tests/test_array.py",
    "numpy/__pycache__/__init__.cpython-311.pyc",
    "numpy/core.pyx",
    "statsmodels/datasets/co2.csv",
    "Cython/Compiler/Main.py",
    "plotly/graph_objects.py",
    "plotly/package_data/widgetbundle.js",
    "zstandard/_cffi.cpython-311.so",
}


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    for name in SERVES | FOR_TOOLS | SERVES_NOTHING:
        path = tmp_path / LIBRARIES / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "bin").mkdir()
    for name in ("pip", "gunicorn"):
        (tmp_path / "bin" / name).touch()
    return tmp_path


def trim(environment: Path, *words: str) -> tuple[set[str], set[str]]:
    """Trim the environment; return the libraries' files and the programs that are left."""
    subprocess.run([ROOT / "deploy" / "trim.sh", *words, environment], check=True)
    libraries = environment / LIBRARIES
    files = {str(path.relative_to(libraries)) for path in libraries.rglob("*") if path.is_file()}
    return files, {path.name for path in (environment / "bin").iterdir()}


def test_the_package_has_only_what_serves(environment: Path) -> None:
    assert trim(environment) == (SERVES, {"gunicorn"})


def test_in_a_checkout_more_can_be_installed_and_types_checked(environment: Path) -> None:
    assert trim(environment, "--keep-tools") == (SERVES | FOR_TOOLS, {"pip", "gunicorn"})


def test_a_second_time_changes_nothing(environment: Path) -> None:
    assert trim(environment, "--keep-tools") == trim(environment, "--keep-tools")
