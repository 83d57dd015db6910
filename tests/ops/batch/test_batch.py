"""`forecast-service batch`: `cases.py`, run where `make test` installs pyarrow, Fugue and Dask."""

import ast
import csv
import datetime as dt
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from app.ops.batch.command import batch
from tests.support.other_environment import PYTHON, Results, run_cases
from tests.support.programs import output_of
from tests.support.server import ROOT

CASES = Path(__file__).parent / "cases.py"
NAMES = [
    node.name
    for node in ast.parse(CASES.read_text()).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """What was wrong with each case, by its name; empty if nothing was."""
    return run_cases(CASES, tmp_path_factory.mktemp("batch"), PYTHONPATH=str(ROOT))


@pytest.mark.parametrize("name", NAMES)
def test_a_run_is_as_its_page_says(results: Results, name: str) -> None:
    assert name in results
    wrong = [problem for problem in results[name] if "is not installed here" not in problem]
    assert not wrong, wrong[0]


def series_rows(name: str, dates: list[str], seed: int) -> list[list[str]]:
    """Return a made series, with digits that every calculation changes."""
    return [
        [name, date, str(50 + (seed * index * 37 % 101) / 7)] for index, date in enumerate(dates)
    ]


def test_the_numbers_are_those_of_the_api_to_the_last_bit(
    client: FlaskClient, key: str, tmp_path: Path
) -> None:
    first = dt.date(2021, 1, 1)
    days = [(first + dt.timedelta(index)).isoformat() for index in range(150)]
    table = [row for seed in (1, 2) for row in series_rows(f"item {seed}", days, seed)]
    with (tmp_path / "in.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["id", "date", "sold"], *table])
    options = ["--horizon", "7", "--value", "sold", "--confidence", "0.9", "--parts", "1"]
    words = ["forecast", str(tmp_path / "in.csv"), str(tmp_path / "out"), *options]
    command = [str(PYTHON), "-m", "app.ops.batch", *words]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    with (tmp_path / "out" / "part-00000.csv").open() as file:
        output = list(csv.DictReader(file))
    for seed in (1, 2):
        rows = [row for row in table if row[0] == f"item {seed}"]
        response = client.post(
            "/forecast",
            json={
                "series": [
                    {
                        "timestamps": [f"{date}T00:00:00" for _, date, _ in rows],
                        "values": [float(value) for _, _, value in rows],
                    }
                ],
                "forecast_horizon": 7,
                "data_frequency": "Daily",
                "forecast_frequency": "Daily",
                "confidence": 0.9,
            },
            headers={"Authorization": f"Bearer {key}", "X-Model-Id": "forecast-model-2"},
        )
        assert response.status_code == 200, response.json
        mine = [row for row in output if row["id"] == f"item {seed}"]
        assert [f"{row['date']}T00:00:00" for row in mine] == response.json["forecast_timestamps"]
        for column in ("lower_bound", "median", "upper_bound"):
            assert [float(row[column]) for row in mine] == response.json[column], column


def test_without_its_extra_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for name in [name for name in sys.modules if name.startswith("app.ops.batch")]:
        monkeypatch.delitem(sys.modules, name)
    words = ["forecast", str(tmp_path / "in.csv"), str(tmp_path / "out"), "--horizon", "3"]
    done = CliRunner().invoke(batch, words)
    assert done.exit_code == 1
    assert "pip install 'forecast-service[batch]'" in done.output


def test_a_worker_of_a_cluster_needs_neither_flask_nor_sqlalchemy() -> None:
    code = "import sys; import app.ops.batch.command, app.ops.batch.engines; print(*sys.modules)"
    loaded = {*output_of([str(PYTHON), "-c", code]).split()}
    assert "app.forecasting.forecast" in loaded
    assert loaded & {"flask", "sqlalchemy", "marshmallow", "pmdarima"} == set()
