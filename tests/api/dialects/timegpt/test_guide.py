"""The first program of docs/using/migrating-from-timegpt.md runs unchanged."""

import csv
import io
import re
from pathlib import Path

from app.api.computing.batch_cost import FORECASTS_PER_REQUEST, POINTS_PER_REQUEST
from app.api.dialects.timegpt import bounds
from app.api.dialects.timegpt.models import DEFAULT_TIMEGPT_MODEL, TIMEGPT_MODELS
from tests.api.dialects.timegpt.test_load import server  # noqa: F401 - a fixture
from tests.support.guides import assert_installed_client_is_tested, output_with_key
from tests.support.other_environment import PYTHON
from tests.support.server import ROOT, Server

GUIDE = (ROOT / "docs" / "using" / "migrating-from-timegpt.md").read_text()


def test_the_first_program_forecasts(server: Server) -> None:  # noqa: F811
    code = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)[0]
    printed = output_with_key(server, [str(PYTHON), "-c", code])
    assert "TimeGPT-hi-95" in printed
    assert "1961-01-01" in printed
    (error,) = re.findall(r"mean absolute error: ([0-9.]+)", printed)
    assert float(error) < 30


def test_the_example_forecasts_every_column(server: Server, tmp_path: Path) -> None:  # noqa: F811
    table = tmp_path / "sales.csv"
    rows = [f"2024-{month:02}-01,{100 + month},{month % 3}" for month in range(1, 13)]
    table.write_text("\n".join(["month,shirts,shoes", *rows]))
    words = ["docs/clients/nixtla_series.py", str(table), "MS", "3"]
    printed = output_with_key(server, [str(PYTHON), *words])
    result = list(csv.DictReader(io.StringIO(printed)))
    assert [row["unique_id"] for row in result] == ["shirts"] * 3 + ["shoes"] * 3
    assert all(float(row["TimeGPT-lo-95"]) <= float(row["TimeGPT"]) for row in result)


def test_the_sdk_that_is_installed_is_the_one_that_is_tested() -> None:
    assert_installed_client_is_tested(GUIDE)


def test_the_table_of_models_is_the_one_in_force() -> None:
    rows = re.findall(r"^\| (`timegpt-.*?) \| `(forecast-model-\d)` \|", GUIDE, re.MULTILINE)
    documented = {name: ours for names, ours in rows for name in re.findall("`([^`]+)`", names)}
    assert documented == {name: ours for name, ours in TIMEGPT_MODELS.items() if name != ours}
    assert f"`{DEFAULT_TIMEGPT_MODEL}` (default)" in GUIDE


def test_the_table_of_limits_is_the_one_in_force() -> None:
    for number in (
        *(bounds.MAX_SERIES, bounds.MAX_POINTS, bounds.MAX_STEPS, bounds.MAX_WINDOWS),
        *(
            bounds.MAX_LEVELS,
            bounds.MAX_DETECTION_SIZE,
            bounds.MAX_RESPONSE_NUMBERS,
            bounds.MAX_DETECTION_POINTS,
        ),
        *(FORECASTS_PER_REQUEST, POINTS_PER_REQUEST),
    ):
        assert f"{number:,}" in GUIDE
    sent, unpacked = bounds.BATCH.max_sent_bytes, bounds.BATCH.max_unpacked_bytes
    assert f"{sent // 2**20} MiB as sent" in GUIDE
    assert f"up to {unpacked // 2**20} MiB if the operator" in GUIDE
    assert f"{bounds.BATCH_SECONDS:g} s" in GUIDE
