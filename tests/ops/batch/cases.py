"""What a run gives, tested where pyarrow, Fugue and Dask are: by `test_batch.py`."""

import datetime as dt
import importlib.metadata
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from pyarrow import dataset, parquet

from app.core.machine import Concurrency
from app.ops.batch import command as batch_command
from app.ops.batch import engines
from app.ops.batch import run as batch_run
from app.ops.batch.command import batch
from app.ops.batch.engines import EngineName, run_parts

MONTHS = pd.date_range("2015-01-01", periods=48, freq="MS")
ENDING_SECONDS = 60


def monthly_frame(name: str | None, seed: int, points: int = 48) -> pd.DataFrame:
    noise = np.random.default_rng(seed).normal(0, 3, points)
    values = 100 + np.arange(points) + 10 * np.sin(np.arange(points) / 2) + noise
    return pd.DataFrame({"unique_id": name, "ds": MONTHS[:points], "y": values})


def many_series(count: int) -> pd.DataFrame:
    return pd.concat([monthly_frame(f"s{index}", index) for index in range(count)])


def command(source: Path | str, folder: Path, *options: str) -> list[str]:
    return ["forecast", str(source), str(folder), "--horizon", "3", *options]


def run(source: Path | str, folder: Path, *options: str) -> pd.DataFrame:
    """Run, in this process if it is one part."""
    options = options if "--parts" in options else (*options, "--parts", "1")
    done = CliRunner().invoke(batch, command(source, folder, *options))
    assert done.exit_code == 0, (done.output, done.exception)
    return dataset.dataset(folder).to_table().to_pandas()


def rejection(source: Path | str, folder: Path, *options: str) -> str:
    done = CliRunner().invoke(batch, command(source, folder, "--parts", "1", *options))
    assert done.exit_code == 1, done.output
    return done.output


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("part-*")}


def test_bad_series_are_rows_with_a_problem_and_the_others_are_forecast(tmp_path: Path) -> None:
    gap = monthly_frame("gap", 1).drop(index=20)
    late = monthly_frame("no number", 2)
    late["y"] = late["y"].astype(str)
    late.loc[5, "y"] = "n/a."
    twice = pd.concat([monthly_frame("twice", 3), monthly_frame("twice", 3).tail(1)])
    untimed = monthly_frame("no time", 4)
    untimed["ds"] = untimed["ds"].astype(object).where(untimed.index != 7, None)
    table = pd.concat(
        [gap, late, twice, untimed, monthly_frame("short", 5, 9), monthly_frame("good", 6)]
    )
    table.to_csv(tmp_path / "in.csv", index=False)
    done = run(tmp_path / "in.csv", tmp_path / "out", "--format", "parquet")
    problems = done.dropna(subset=["problem"]).set_index("unique_id")["problem"]
    assert problems["gap"].startswith("missing entry: 2016-09-01T00:00:00 is missing")
    assert problems["no number"].startswith("2015-06-01 00:00:00 has no number")
    assert problems["twice"].startswith("duplicate timestamp")
    assert problems["no time"].startswith("missing entry: a row has no time")
    assert problems["short"] == "insufficient data points: 9, at least 10 needed"
    good = done[done["unique_id"] == "good"]
    assert [entry[:10] for entry in good["ds"]] == ["2019-01-01", "2019-02-01", "2019-03-01"]
    assert np.isfinite(good["median"]).all()
    assert good["problem"].isna().all()
    summary = json.loads((tmp_path / "out" / "_summary.json").read_text())
    assert (summary["series"], summary["problems"], summary["fallbacks"]) == (6, 5, 0)


def test_columns_that_name_series_and_times_keep_their_types(tmp_path: Path) -> None:
    table = (
        pd.concat(
            [
                monthly_frame(None, 3 * shop + product).assign(shop=shop, product=f"p{product}")
                for shop in range(2)
                for product in range(3)
            ]
        )
        .drop(columns="unique_id")
        .sample(frac=1, random_state=1)
    )
    table["product"] = table["product"].astype("category")
    table.to_parquet(tmp_path / "in.parquet", index=False)
    done = run(tmp_path / "in.parquet", tmp_path / "out", "--id", "shop", "--id", "product")
    assert len(done) == 6 * 3
    assert sorted({*zip(done["shop"], done["product"], strict=True)})[-1] == (1, "p2")
    before = parquet.read_schema(tmp_path / "in.parquet")
    after = parquet.read_schema(next((tmp_path / "out").glob("part-*")))
    for name in ("shop", "product", "ds"):
        assert after.field(name).type == before.field(name).type, name


@pytest.mark.parametrize(
    ("zone", "step", "after"),
    [
        ("Europe/Berlin", "D", "2024-04-01T00:00:00+02:00"),
        ("UTC", "h", "2024-03-03T12:00:00+00:00"),
    ],
)
def test_days_are_counted_by_the_clock_of_their_zone_and_hours_in_utc(
    tmp_path: Path, zone: str, step: str, after: str
) -> None:
    # The night before 31 March 2024 has 23 hours in Berlin.
    count = 31 if step == "D" else 60
    times = pd.date_range("2024-03-01", periods=count, freq=step, tz=zone)
    values = np.random.default_rng(1).normal(100, 5, count)
    table = pd.DataFrame({"ds": times, "y": values, "unique_id": "a"})
    table.to_parquet(tmp_path / "in.parquet", index=False)
    done = run(tmp_path / "in.parquet", tmp_path / "out")
    assert done["problem"].isna().all(), done["problem"].iloc[0]
    assert done["ds"].iloc[0] == dt.datetime.fromisoformat(after)


def test_dates_and_times_are_written_as_they_came(tmp_path: Path) -> None:
    for form in ("%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S+02:00"):
        table = monthly_frame("a", 1)
        table["ds"] = table["ds"].dt.strftime(form)
        folder = tmp_path / str(len(form))
        table.to_csv(f"{folder}.csv", index=False)
        done = run(f"{folder}.csv", folder, "--format", "parquet")
        assert done["ds"].iloc[0] == dt.datetime(2019, 1, 1).strftime(form)


def test_the_same_folder_takes_no_other_run(tmp_path: Path) -> None:
    monthly_frame("a", 1).to_parquet(tmp_path / "in.parquet")
    first = run(tmp_path / "in.parquet", tmp_path / "out")
    assert "another model" in rejection(
        tmp_path / "in.parquet", tmp_path / "out", "--model", "forecast-model-4"
    )
    pd.testing.assert_frame_equal(run(tmp_path / "in.parquet", tmp_path / "out"), first)
    monthly_frame("b", 1).to_parquet(tmp_path / "in.parquet")
    assert "another input" in rejection(tmp_path / "in.parquet", tmp_path / "out")


def test_a_run_of_a_release_with_fewer_options_is_rejected_in_words(tmp_path: Path) -> None:
    monthly_frame("a", 1).to_parquet(tmp_path / "in.parquet")
    run(tmp_path / "in.parquet", tmp_path / "out")
    file = tmp_path / "out" / ".batch" / "run.json"
    started = json.loads(file.read_text())
    del started["asked"]["model"]
    file.write_text(json.dumps(started))
    assert "another model" in rejection(tmp_path / "in.parquet", tmp_path / "out")


def test_an_ambiguous_column_is_asked_for(tmp_path: Path) -> None:
    table = monthly_frame("a", 1).assign(region="north")
    table.rename(columns={"unique_id": "store"}).to_csv(tmp_path / "in.csv", index=False)
    table.rename(columns={"y": "amount"}).to_csv(tmp_path / "amount.csv", index=False)
    for name, options, expected in (
        ("in.csv", [], "--id: store, ds, y, region"),
        ("in.csv", ["--id", "shop"], "no column 'shop'"),
        ("in.csv", ["--id", "ds"], "'ds' is named twice"),
        ("in.csv", ["--id", "store", "--time", "ds", "--value", "ds"], "'ds' is named twice"),
        ("amount.csv", [], "--value"),
        ("away.csv", [], "cannot be read; a CSV file is named .csv or .csv.gz"),
    ):
        assert expected in rejection(tmp_path / name, tmp_path / "out", *options)


def children_of(pid: int | str) -> list[str]:
    try:
        own = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [*own, *(entry for child in own for entry in children_of(child))]


def is_running(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + ENDING_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_run_that_is_killed_is_continued_where_it_was(tmp_path: Path) -> None:
    many_series(60).to_parquet(tmp_path / "in.parquet")
    words = command(tmp_path / "in.parquet", tmp_path / "killed", "--parts", "30")
    started = subprocess.Popen([sys.executable, "-m", "app.ops.batch", *words])
    state = tmp_path / "killed" / ".batch"
    wait_for(lambda: len([*state.glob("done-*")]) >= 3)
    children = children_of(started.pid)
    os.kill(started.pid, signal.SIGKILL)
    started.wait()
    assert children
    wait_for(lambda: not any(is_running(pid) for pid in children))
    done = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "killed").glob("part-*")}
    counted = len([*state.glob("done-*")])
    assert 3 <= counted < 30
    run(tmp_path / "in.parquet", tmp_path / "killed", "--parts", "30")
    kept = [
        name for name, at in done.items() if (tmp_path / "killed" / name).stat().st_mtime_ns == at
    ]
    assert len(kept) == counted
    run(tmp_path / "in.parquet", tmp_path / "whole", "--parts", "30")
    assert files_of(tmp_path / "killed") == files_of(tmp_path / "whole")
    assert not (state / "series").exists()


@pytest.mark.parametrize("engine", ["dask", "ray", "spark"])
def test_each_engine_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    module = {"dask": "distributed", "ray": "ray", "spark": "pyspark"}[engine]
    if not importlib.metadata.packages_distributions().get(module):
        pytest.skip(
            f"{module} is not installed here: Dask always is, Ray and Spark are too large to be"
        )
    # One process of the engine starts faster than one for each core.
    monkeypatch.setattr(engines, "available_concurrency", lambda: Concurrency(1, ""))
    many_series(20).to_parquet(tmp_path / "in.parquet")
    run(tmp_path / "in.parquet", tmp_path / "local", "--parts", "4")
    run(tmp_path / "in.parquet", tmp_path / engine, "--parts", "4", "--engine", engine)
    assert len(files_of(tmp_path / "local")) == 4
    assert files_of(tmp_path / engine) == files_of(tmp_path / "local")


def test_a_dask_worker_on_this_machine_keeps_the_memory_that_it_frees(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(os, "environ", {"MALLOC_MMAP_THRESHOLD_": "1"})
    inherited: list[dict[str, str]] = []

    def client(**_: object) -> SimpleNamespace:
        inherited.append({**os.environ})
        return SimpleNamespace(close=None)

    monkeypatch.setattr(distributed, "Client", client)
    engines._connect_dask(None)
    assert inherited == [
        {"MALLOC_TRIM_THRESHOLD_": str(128 * 2**20), "MALLOC_MMAP_THRESHOLD_": "1"}
    ]


def test_an_engine_that_is_not_installed_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fugue_ray", None)
    monkeypatch.setitem(sys.modules, "fugue.api", None)
    with pytest.raises(Exception, match=r"pip install .*fugue\[ray\]"):
        run_parts(tmp_path, [0], None, EngineName.RAY, None)


def test_a_run_whose_progress_cannot_be_shown_logs_that_once_and_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def show(*_: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(batch_command._ProgressLine, "show", show)
    monkeypatch.setattr(batch_run, "_FOLDER_POLL_SECONDS", 0.001)
    many_series(3).to_csv(tmp_path / "in.csv", index=False)
    assert len(run(tmp_path / "in.csv", tmp_path / "out", "--format", "parquet")) == 9
    assert caplog.messages == ["progress is no longer shown; the run continues"]
