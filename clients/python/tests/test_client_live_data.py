"""Data of users against a live service: it accepts them, and results have the same labels."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from conftest import Service
from forecast_client import ForecastClient, cli, prepare
from tests.tables.tables import workbook

DAYS = pd.date_range("2024-02-01", periods=60, freq="D", tz="Europe/Berlin")
WEEKS = np.tile([5.0, 6, 7, 8, 9, 3, 2], 9)[:60]


def test_a_frame_is_indexed_as_its_data_across_a_change_of_clocks(client: ForecastClient) -> None:
    forecast = client.forecast(pd.Series(WEEKS, index=DAYS).head(50), 10, model=2)
    index = forecast.frame.index
    assert isinstance(index, pd.DatetimeIndex)
    assert index.tolist() == DAYS[50:].tolist()


def test_many_series_are_forecast_and_a_bad_one_reported(client: ForecastClient) -> None:
    frame = pd.DataFrame({f"store {n}": WEEKS + n for n in range(12)}, index=DAYS)
    frame.loc[DAYS[5], "store 3"] = np.nan
    frame["short"] = np.where(DAYS[55] <= DAYS, 1.0, np.nan)
    many = client.forecast(frame, 7, model="forecast-model-2")
    assert len(many) == 11
    assert list(many.errors) == ["store 3", "short"]
    assert many.frame.groupby("id", sort=False).size().to_dict() == dict.fromkeys(many, 7)
    single = client.forecast(prepare(frame["store 7"]), 7, model=2)
    assert many["store 7"].median == single.median


def test_points_of_a_zone_go_on_where_a_monitors_history_ended(client: ForecastClient) -> None:
    series = pd.Series(WEEKS, index=DAYS)
    client.monitors.put("visits", history=series.iloc[:50])
    appended = client.monitors.append("visits", series.iloc[50:], frequency="Daily")
    assert appended.status == ["judged"] * 10


def test_the_command_forecasts_a_file(
    service: Service, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key, data, output = tmp_path / "key.txt", tmp_path / "data.csv", tmp_path / "out.csv"
    key.write_text(f"{service.key}\n")
    rows = [f"{day:%d.%m.%Y};{value:.0f},00" for day, value in zip(DAYS, WEEKS, strict=True)]
    data.write_text("\n".join(["Tag;Umsatz", *rows]))
    arguments = [str(data), "--horizon", "7", "--model", "seasonal", "--output", str(output)]
    assert cli.main([*arguments, "--url", service.url, "--key-file", str(key)]) == 0
    assert capsys.readouterr().out == ""
    written = pd.read_csv(output, sep=";", decimal=",")
    assert written["Tag"].tolist()[0] == "01.04.2024"
    assert written["Umsatz"].tolist() == pytest.approx([*WEEKS[4:7], *WEEKS[:4]], abs=1.5)


def test_the_command_forecasts_a_workbook_and_asks_for_its_sheet(
    service: Service, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [(f"{day:%Y-%m-%d}", value) for day, value in zip(DAYS, WEEKS.tolist(), strict=True)]
    data = tmp_path / "data.xlsx"
    data.write_bytes(workbook({"a": [("day", "sales"), *rows], "b": [("day", "sales"), *rows[5:]]}))
    (tmp_path / "key.txt").write_text(service.key)
    arguments = [str(data), "--horizon", "1", "--model", "fast", "--url", service.url]
    arguments += ["--key-file", str(tmp_path / "key.txt")]
    assert cli.main(arguments) == 2
    assert "\n  --sheet b: " in capsys.readouterr().err
    assert cli.main([*arguments, "--sheet", "b"]) == 0
    assert "2024-04-01" in capsys.readouterr().out
    assert cli.main([*arguments, "--sheet", "c"]) == 2
    assert "--sheet: " in capsys.readouterr().err
    data.write_bytes(b"\x89PNG\r\n\x1a\n")
    assert cli.main(arguments) == 2
    assert "forecast: the file: this is a picture (PNG)" in capsys.readouterr().err
