"""The built wheel, installed into an environment where nothing else is."""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

import forecast_client

PROJECT = Path(forecast_client.__file__).parents[2]
USE = """
import importlib.metadata, importlib.util, pathlib
import forecast_client
assert importlib.metadata.version("forecast-service-client") == forecast_client.__version__
assert "site-packages" in forecast_client.__file__
assert pathlib.Path(forecast_client.__file__).with_name("py.typed").exists()
assert not any(map(importlib.util.find_spec, ("matplotlib", "tqdm")))
client = forecast_client.ForecastClient("https://forecast.example", "ak_1")
times = [f"2024-{month:02}-01" for month in range(1, 13)]
print(forecast_client.prepare((times, range(12))).frequency)
"""


def run(*command: str | Path) -> str:
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout


def test_the_wheel_works_where_nothing_else_is_installed(tmp_path: Path) -> None:
    shutil.copytree(
        PROJECT, tmp_path / "project", ignore=shutil.ignore_patterns("tests", "*cache*")
    )
    pip = (sys.executable, "-m", "pip", "--quiet")
    built = ("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path)
    run(*pip, *built, tmp_path / "project")
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "env")
    folder = tmp_path / "env" / "bin"
    run(*pip, "--python", folder / "python", "install", wheel)
    assert run(folder / "python", "-c", USE) == "Monthly\n"
    assert "--horizon" in run(folder / "forecast", "--help")
