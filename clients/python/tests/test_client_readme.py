"""The README's examples, run one after the other as a reader would, against a live service."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import forecast_client
from conftest import Service

SOURCE = Path(forecast_client.__file__).parents[1]
README = (SOURCE.parent / "README.md").read_text()
COMMAND = [sys.executable, "-c", "import sys, forecast_client.cli as cli; sys.exit(cli.main())"]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.fixture
def shell(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder and environment of a reader."""
    monkeypatch.setenv("FORECAST_URL", service.url)
    monkeypatch.setenv("FORECAST_KEY", service.new_key())
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.chdir(tmp_path)


def test_the_examples_in_python_run_and_show_what_they_say(
    shell: None, capsys: pytest.CaptureFixture[str]
) -> None:
    names: dict[str, object] = {}
    for block in blocks("python"):
        exec(block, names)
    printed = capsys.readouterr().out
    assert "2026-01-01" in printed
    assert "2 missing points filled" in printed
    assert "new " in printed
    assert "forecast_horizon" in printed
    assert "nightly batch" in printed
    assert Path("forecast.png").stat().st_size > 5_000


def test_the_commands_run(shell: None) -> None:
    days = [f"2024-01-{day:02},{day % 7}" for day in range(1, 32)]
    Path("data.csv").write_text("\n".join(["day,sales", *days]))
    environ = os.environ | {"PYTHONPATH": str(SOURCE)}
    commands = [line for block in blocks("sh") for line in block.splitlines()]
    calls = [shlex.split(line)[1:] for line in commands if line.startswith("forecast ")]
    for words in calls:
        command = [*COMMAND, *words]
        done = subprocess.run(command, check=True, env=environ, capture_output=True, text=True)
        assert "-o" in words or "2024-02-01" in done.stdout
    assert Path("forecast.xlsx").read_bytes().startswith(b"PK")
    assert Path("out.png").stat().st_size > 5_000


def test_instructions_work_from_any_folder() -> None:
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    own = [line for line in lines if "clients/python" in line or "demo-key" in line]
    assert len(own) == 2
    assert all('"$CHECKOUT/' in line for line in own), own


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, kind in vars(forecast_client).items()
        if isinstance(kind, type) and issubclass(kind, forecast_client.ForecastError)
    ],
)
def test_every_exception_is_documented(name: str) -> None:
    assert f"`{name}`" in README or name == "ResponseError"
