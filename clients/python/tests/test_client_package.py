"""The built wheel works in an environment that has only its dependencies."""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

import httpx

import forecast_client

PROJECT = Path(forecast_client.__file__).parents[2]
USE = """
import importlib.metadata, pathlib, re, sys
sys.modules |= dict.fromkeys(("app", "flask", "marshmallow", "matplotlib", "scipy", "tqdm"))
import forecast_client
package = "forecast-service-client"
assert importlib.metadata.version(package) == forecast_client.__version__
declared = [each for each in importlib.metadata.requires(package) if "extra ==" not in each]
assert [re.match("[a-z]+", each)[0] for each in declared] == ["httpx", "pandas"], declared
assert "env" in pathlib.Path(forecast_client.__file__).parts
assert pathlib.Path(forecast_client.__file__).with_name("py.typed").exists()
client = forecast_client.ForecastClient("https://forecast.example", "ak_1")
times = [f"2024-{month:02}-01" for month in range(1, 13)]
print(forecast_client.prepare((times, range(12))).frequency)
"""


def run(*command: str | Path) -> str:
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout


def test_the_wheel_works_where_only_its_dependencies_are(tmp_path: Path) -> None:
    shutil.copytree(
        PROJECT, tmp_path / "project", ignore=shutil.ignore_patterns("tests", "*cache*")
    )
    pip = (sys.executable, "-m", "pip", "--quiet")
    built = ("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path)
    run(*pip, *built, tmp_path / "project")
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "env")
    folder = tmp_path / "env" / "bin"
    run(*pip, "--python", folder / "python", "install", "--no-deps", wheel)
    # The dependencies are those of the tests, so that nothing is downloaded.
    (packages,) = (tmp_path / "env").glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(str(Path(httpx.__file__).parents[1]))
    assert run(folder / "python", "-c", USE) == "Monthly\n"
    assert "--horizon" in run(folder / "forecast", "--help")
