"""What `deploy/trim.sh` leaves of an environment, for the package and for a checkout."""

import importlib.util
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.support.server import ROOT

LIBRARIES = "lib/python3.11/site-packages"
SERVES = {
    "numpy/__init__.py",
    "numpy/_core/tests/__init__.py",
    "numpy/_core/tests/_natype.py",
    "plotly/package_data/plotly.min.js",
    "plotly-7.dist-info/METADATA",
    "zstandard/backend_c.so",
    "app/tests.py",
}
FOR_TOOLS = {"pip/__init__.py", "numpy/__init__.pyi"}
SERVES_NOTHING = {
    "scipy/stats/tests/test_stats.py",
    "numpy/_core/tests/test_array.py",
    "numpy/__pycache__/__init__.cpython-311.pyc",
    "numpy/core.pyx",
    "numpy/_core/lib/npymath.a",
    "statsmodels/datasets/co2.csv",
    "statsmodels/datasets/co2/src/maunaloa_c.dat",
    "statsmodels/tsa/statespace/_kalman_filter.pyx.in",
    "sklearn/svm/src/libsvm/svm.cpp",
    "Cython/Compiler/Main.py",
    "plotly/graph_objects.py",
    "plotly/package_data/widgetbundle.js",
    "zstandard/_cffi.cpython-311.so",
    "setuptools/cli.exe",
}


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    for name in SERVES | FOR_TOOLS | SERVES_NOTHING:
        path = tmp_path / LIBRARIES / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "bin").mkdir()
    for name in ("pip", "gunicorn", "forecast-service", "f2py"):
        (tmp_path / "bin" / name).touch()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    return tmp_path


def trim(environment: Path, *words: str) -> tuple[set[str], set[str]]:
    """Trim the environment; return the libraries' files and the programs that are left."""
    subprocess.run([ROOT / "deploy" / "trim.sh", *words, environment], check=True)
    libraries = environment / LIBRARIES
    files = {str(path.relative_to(libraries)) for path in libraries.rglob("*") if path.is_file()}
    return files, {path.name for path in (environment / "bin").iterdir()}


def test_the_package_has_only_what_serves(environment: Path) -> None:
    assert trim(environment) == (SERVES, {"gunicorn", "forecast-service", "python"})


def test_the_trimmed_environment_of_a_checkout_keeps_its_tools(environment: Path) -> None:
    programs = {path.name for path in (environment / "bin").iterdir()}
    assert trim(environment, "--keep-tools") == (SERVES | FOR_TOOLS, programs)


def test_a_second_time_changes_nothing(environment: Path) -> None:
    assert trim(environment, "--keep-tools") == trim(environment, "--keep-tools")


def test_a_library_without_what_only_a_debugger_reads_loads(environment: Path) -> None:
    (built,) = Path(sysconfig.get_config_var("DESTSHARED")).glob("_json.*.so")
    path = environment / LIBRARIES / built.name
    path.write_bytes(built.read_bytes() + b"debugging information" * 1000)
    path.chmod(0o755)
    trim(environment)
    assert path.stat().st_size < built.stat().st_size
    assert path.stat().st_mode & 0o777 == 0o755
    spec = importlib.util.spec_from_file_location("_json", path)
    assert spec.loader.create_module(spec).encode_basestring("é") == '"é"'
