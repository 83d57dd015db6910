"""The output of the command: printed, saved, plotted, and its messages if it fails."""

import datetime as dt
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from werkzeug.datastructures import MultiDict

from app.api.read.response_schemas import ReadResponseSchema
from app.api.read.schemas import ReadQuerySchema
from app.tables.answers import TableBounds
from app.tables.read_table import read_file
from app.tables.reading import Reading
from forecast_client import ForecastClient, cli
from scripted import KEY, URL, ok, rejection

SCORES = {
    score: {"model_id": score, "rank": rank, "mae": mae, "rmse": mae, "smape": mae, "mase": mae}
    | {"coverage": 0.95, "mean_width": 9.0, "msis": 9.0, "seconds": 0.1}
    for rank, (score, mae) in enumerate(
        [("forecast-model-4", 9.0), ("forecast-model-2", 12.0), ("seasonal_naive", 20.0)], 1
    )
}
MONTHS = [f"{year}-{month:02}" for year in (2023, 2024) for month in range(1, 13)]
DATA = "month,sales\n" + "".join(f"{month}-01,{n + 100}\n" for n, month in enumerate(MONTHS))
BOUNDS = TableBounds(max_points=50_000, max_unpacked_bytes=0, today=dt.date(2026, 12, 31))
SAVED = b"\xef\xbb\xbfmonth;sales\r\n"
Command = Callable[..., tuple[int, str, str]]
QUESTION = "“1.480” may be a thousand."
SHOPS = "\n".join(
    [
        "month,shop,sales",
        *(f"{month}-01,{shop},{n + 10}.5" for shop in "ab" for n, month in enumerate(MONTHS)),
        "2024-01-01,short,1",
    ]
)
IRREGULAR_DAYS = "day,a,b\n" + "".join(f"{month}-01,1,\n" for month in MONTHS)
IRREGULAR = "day,n\n" + "".join(f"2024-01-{day:02},{day}\n" for day in (1, 2, 5, 13, 14, 27))
PIPED = """\
import functools, httpx, sys
from forecast_client import ForecastClient, cli
assert not {"pandas", "numpy", "matplotlib", "tqdm"} & set(sys.modules)
body = {"forecast_timestamps": ["2025-01-01T00:00:00"]}
body |= dict.fromkeys(("median", "lower_bound", "upper_bound"), [1.0])
response = httpx.Response(200, json=body, headers={"X-Model-Id": "forecast-model-1"})
one = {"name": "sales", "timestamps": ["2024-11-01T00:00:00", "2024-12-01T00:00:00"]}
one |= {"values": [1, 2], "data_frequency": "Monthly", "step": 1, "missing": []}
chosen = {"timezone": None, "number_forms": [{"decimals": 0}]}
table = {"series": [one], "chosen": chosen, "questions": [], "remarks": []}
read = httpx.Response(200, json=table)
mock = httpx.MockTransport(lambda request: read if "read" in request.url.path else response)
cli.ForecastClient = functools.partial(ForecastClient, transport=mock)
sys.exit(cli.main(sys.argv[1:]))
"""


def backtest_of(models: list[dict[str, Any]]) -> httpx.Response:
    band = {"median": [1.0], "lower_bound": [0.0], "upper_bound": [2.0]}
    window = {
        "cutoff": "2024-11-01T00:00:00",
        "short_history": False,
        "timestamps": ["2024-12-01T00:00:00"],
        "actual": [123.0],
        "forecasts": {model["model_id"]: band for model in models},
    }
    best = next(model["model_id"] for model in models if model["model_id"] != "seasonal_naive")
    return ok({"models": models, "best_model": best, "windows": [window]})


def reading_of(request: httpx.Request) -> httpx.Response:
    """Read a file as the service does."""
    answers = ReadQuerySchema().load(MultiDict(request.url.params.multi_items()))
    reading = read_file(request.content, answers, BOUNDS)
    if isinstance(reading, Reading):
        return ok(orjson.loads(orjson.dumps(ReadResponseSchema().dump(reading))))
    field = getattr(reading, "parameter", "body")
    return rejection(422, "Rejected", {"field": field, "issue": reading.issue})


def forecast_of(horizon: int) -> dict[str, list[Any]]:
    median = [123.456789012 + step for step in range(horizon)]
    return {
        "forecast_timestamps": [f"2025-{n + 1:02}-01T00:00:00" for n in range(horizon)],
        "median": median,
        "lower_bound": [value - 10 for value in median],
        "upper_bound": [value + 10 for value in median],
    }


def sent_rows(request: httpx.Request) -> list[list[str]]:
    """Return the rows of a table of several series: name, timestamp, value."""
    return [line.split(",") for line in request.content.decode().splitlines()[1:]]


class Service:
    """Forecasts the first months of 2025, and backtests by a script; keeps these requests.

    Files are read as the service does.
    """

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []
        self.backtest: httpx.Response = backtest_of(list(SCORES.values()))
        self.rejection: Any = None

    def respond(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/read"):
            return reading_of(request)
        self.requests.append(request)
        if self.rejection is not None:
            return httpx.Response(self.rejection.status_code, content=self.rejection.content)
        is_table = request.url.path.endswith("/tables/forecast")
        if is_table and request.headers["Content-Type"] == "text/csv":  # of several series
            names = dict.fromkeys(row[0] for row in sent_rows(request))
            forecast = {"problem": None, "notices": [], **forecast_of(1)}
            return ok({"series": [{"name": name} | forecast for name in names]})
        if is_table:
            return httpx.Response(
                200,
                content=SAVED,
                headers={"X-Forecast-Notice": "1 of 3 series could not be forecast"},
            )
        if request.url.path.endswith("/backtest"):
            return self.backtest
        horizon = json.loads(request.content)["forecast_horizon"]
        return ok(
            forecast_of(horizon),
            X_Model_Id=request.headers.get("X-Model-Id", "forecast-model-1"),
            X_Forecast_Notice="the history is short",
        )


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def run(
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Command:
    """Run the command on a file of ``data`` and return the exit code and what was printed."""
    mock = httpx.MockTransport(service.respond)
    monkeypatch.setattr(cli, "ForecastClient", partial(ForecastClient, transport=mock))
    monkeypatch.setenv("FORECAST_URL", URL)
    monkeypatch.setenv("FORECAST_KEY", KEY)
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str, data: str = DATA) -> tuple[int, str, str]:
        Path("data.csv").write_text(data, encoding="utf-8")
        try:
            code = cli.main(["data.csv", *arguments])
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return command


def test_a_forecast_has_as_many_digits_as_the_data(run: Command, service: Service) -> None:
    code, out, err = run("--horizon", "2", "--model", "fast", "--confidence", "90%")
    assert code == 0
    assert out.splitlines() == [
        "Forecast by Fast (forecast-model-2):",
        "timestamp   median  lower_bound  upper_bound",
        "2025-01-01     123          113          133",
        "2025-02-01     124          114          134",
    ]
    assert err == "note: the history is short\n"
    body = json.loads(service.requests[0].content)
    assert (body["data_frequency"], body["confidence"]) == ("Monthly", 0.9)


@pytest.mark.parametrize("model", ["2", "forecast-model-2", "Fast"])
def test_models_have_names_and_numbers(model: str, run: Command, service: Service) -> None:
    assert run("--horizon", "1", "--model", model)[0] == 0
    assert service.requests[0].headers["X-Model-Id"] == "forecast-model-2"


def test_holidays_are_named(run: Command, service: Service) -> None:
    assert run("--horizon", "1", "--holidays", "AU-VIC")[0] == 0
    assert service.requests[0].headers["X-Holidays"] == "AU-VIC"


def test_a_remark_comes_with_the_option_that_changes_it(run: Command) -> None:
    marked = "month,n\n" + "".join(f"{month},{n}\n" for n, month in enumerate(MONTHS))
    code, _, err = run("--horizon", "1", data=marked.replace(MONTHS[-1], f"{MONTHS[-1]} (p)"))
    assert code == 0
    last = f"{MONTHS[-2]}-01"
    assert f"read like the others. To change that, use --until {last}.\n" in err


def test_a_remark_names_the_option_of_a_value_that_depends_on_the_person(run: Command) -> None:
    code, _, err = run("--horizon", "1", data=f"Actuals through September\n\n{DATA}")
    assert code == 0
    assert "send the last day before them. Use --until.\n" in err


def test_digits_after_the_mark_are_kept(run: Command) -> None:
    data = DATA.replace("100\n", "100.25\n")
    assert "123.46" in run("--horizon", "1", data=data)[1]


def test_a_backtest_chooses_the_model_and_says_how_to_use_it(
    run: Command, service: Service
) -> None:
    code, out, _ = run("--horizon", "1", "--backtest")
    assert code == 0
    lines = out.splitlines()
    assert lines[1].split() == ["model", "id", "MAE", "RMSE", "sMAPE", "MASE", "coverage"]
    assert lines[2].split() == [
        *("*", "Robust", "forecast-model-4", "9", "9", "9.0", "9.00", "95", "%")
    ]
    assert lines[4].split()[:3] == ["Seasonal", "naive", "seasonal_naive"]
    assert lines[5] == "Robust (forecast-model-4) is the best here. Use it with --model 4."
    assert lines[7] == "Forecast by Robust (forecast-model-4):"
    assert service.requests[1].headers["X-Model-Id"] == "forecast-model-4"
    assert "Forecast by General" in run("--horizon", "1", "--backtest", "--model", "1")[1]


def test_a_tie_is_reported_as_one(run: Command, service: Service) -> None:
    best, _, naive = SCORES.values()
    close = [SCORES["forecast-model-2"] | {"mae": mae} for mae in (9.1, 9.15, 9.3)]
    service.backtest = backtest_of([best, *close, naive])
    out = run("--horizon", "1", "--backtest")[1]
    assert "Robust, Fast and Fast are equally good here, within 2 %." in out
    assert "Use the first with --model 4." in out


def test_a_backtest_that_the_naive_forecast_wins_says_so(run: Command, service: Service) -> None:
    model = SCORES["forecast-model-4"] | {"rank": 2}
    for mae in (1.0, 8.9):
        naive = SCORES["seasonal_naive"] | {"mae": mae, "rank": 1}
        service.backtest = backtest_of([naive, model])
        out = run("--horizon", "1", "--backtest")[1]
        assert "No model is clearly better than repeating the last season here." in out
        assert "Forecast by Robust" in out
    service.backtest = backtest_of([model | {"rank": 1}, naive | {"mae": 9.1, "rank": 2}])
    assert "No model is clearly better" in run("--horizon", "1", "--backtest")[1]


@pytest.mark.parametrize(
    ("name", "media_type"),
    [("out.xlsx", "spreadsheetml.sheet"), ("OUT.CSV", "text/csv"), ("out.json", "json")],
)
def test_a_file_is_sent_and_the_table_saved_unchanged(
    run: Command, service: Service, name: str, media_type: str
) -> None:
    more = ("--model", "Fast", "--decimal", "comma", "--column", "a", "--column", "b")
    code, out, err = run("--horizon", "12", "-o", name, *more)
    assert (code, out) == (0, "")
    assert "note: 1 of 3 series could not be forecast" in err
    assert Path(name).read_bytes() == SAVED
    [request] = service.requests
    assert request.content == DATA.encode()
    assert request.headers["Accept"].endswith(media_type)
    assert request.url.query.decode() == (
        "horizon=12&model=forecast-model-2&columns=a&columns=b&decimal=comma"
    )


@pytest.mark.parametrize(
    "question",
    [
        {"issue": f"{QUESTION} Send decimal=… in the query."},  # as services before 2.0.0 send it
        {"issue": f"{QUESTION} Add decimal=… to the query.", "question": QUESTION},
    ],
)
def test_questions_about_a_table_name_options_with_their_choices(
    run: Command, service: Service, question: dict[str, str]
) -> None:
    choice = {"value": "comma", "meaning": "1480 (thousands)", "example": "1.480 is 1480"}
    error = {"field": "decimal", "provided": None, "choices": [choice]} | question
    service.rejection = rejection(
        422, "The table leaves questions open", error | {"errors": [error]}
    )
    code, _, err = run("--horizon", "1", "-o", "out.csv")
    assert code == 2
    assert "“1.480” may be a thousand. Choose with --decimal.\n  --decimal comma: 1480" in err
    assert not Path("out.csv").exists()


def test_the_model_that_a_backtest_chose_saves_the_table(run: Command, service: Service) -> None:
    assert run("--horizon", "2", "--backtest", "-o", "out.csv")[0] == 0
    assert "model=forecast-model-4" in str(service.requests[-1].url)


def test_the_output_has_all_series(run: Command) -> None:
    code, _, err = run("--horizon", "2", "-o", "out.csv", "--series", "a")
    assert code == 2
    assert "leave --series out" in err


def test_the_output_and_the_plot_are_written(run: Command) -> None:
    written = ("--output", "out.csv", "--plot", "out.png")
    assert run("--horizon", "2", "--backtest", *written)[0] == 0
    assert Path("out.csv").read_bytes() == SAVED
    assert Path("out.png").read_bytes().startswith(b"\x89PNG")


def test_several_series_are_forecast_and_one_chosen(run: Command, service: Service) -> None:
    code, out, err = run("--horizon", "1", data=SHOPS)
    assert code == 2
    assert [line.split()[0] for line in out.splitlines()] == ["series", "a", "b"]
    assert "forecast: short: the series has one point, 2024-01-01T00:00:00: send at least" in err
    assert "note: 3 series by “shop”. Choose with --layout." in err
    code, out, _ = run("--horizon", "1", "--series", "b", data=SHOPS)
    assert code == 0
    assert "2025-01-01   123.5" in out
    assert len(service.requests) == 2


def test_series_of_a_table_are_added_up(run: Command, service: Service) -> None:
    summed = ("--layout", "columns", "--duplicates", "sum")
    assert run("--horizon", "1", *summed, data=SHOPS.replace(",short,1", ",b,1"))[0] == 0
    series = json.loads(service.requests[0].content)["series"][0]
    assert (series["values"][0], series["values"][12]) == (21, 46)


def test_columns_are_chosen_and_months_may_be_side_by_side(run: Command, service: Service) -> None:
    rows = [f"{month}-01,{n},{n + 1},{n + 2}" for n, month in enumerate(MONTHS)]
    data = "\n".join(["month,a,b,c", *rows])
    assert run("--horizon", "1", "--column", "c", "--column", "a", data=data)[0] == 0
    rows = sent_rows(service.requests[0])
    assert [float(row[2]) for row in rows if row[1].startswith(MONTHS[0])] == [2, 0]
    wide = "\n".join(["sales," + ",".join(MONTHS), "shop," + ",".join(map(str, range(24)))])
    assert run("--horizon", "1", data=wide)[0] == 0


def test_times_are_shown_in_the_zone_that_was_named(run: Command, service: Service) -> None:
    hours = [f"2024-12-{day:02} {hour:02}:00,{hour}" for day in (30, 31) for hour in range(24)]
    data = "\n".join(["time,load", *hours])
    code, out, _ = run("--horizon", "1", "--timezone", "Europe/Berlin", data=data)
    assert code == 0
    assert "2025-01-01T01:00:00+01:00" in out  # the service forecasts 2025-01-01T00:00:00
    sent = json.loads(service.requests[0].content)["series"][0]["timestamps"]
    assert sent[0] == "2024-12-29T23:00:00Z"


IRREGULAR_DAYS += "2025-01-03,,5\n2025-02-09,,6\n2025-02-20,,7\n"


@pytest.mark.parametrize(
    ("arguments", "data", "message"),
    [
        ([], IRREGULAR, "dates are irregular: .*line 4, 2024-01-05.*--frequency Daily: 1 day"),
        (["--fill", "zero"], IRREGULAR, "dates are irregular: .*--frequency Daily: 1 day"),
        (
            ["--frequency", "Daily"],
            IRREGULAR,
            "^forecast: Missing: 21 values from 2024-01-03.*--fill linear",
        ),
        (
            ["--frequency", "Monthly", "--fill", "zero", "--series", "b"],
            IRREGULAR_DAYS,
            "forecast: no step of --frequency Monthly fits the dates: leave it out",
        ),
        (
            ["--frequency", "Weekly"],
            IRREGULAR,
            "^forecast: Between the other.*1 week apart.*--fill linear",
        ),
        (
            [],
            DATA.replace("2023-05-01,104\n", ""),
            "Missing: 2023-05-01.*--fill linear: .*2023-05-01 becomes 104.*--fill zero",
        ),
        ([], DATA.replace("104", ""), "Missing: 2023-05-01.*--fill linear"),
        (
            [],
            DATA.replace(",104", ",1.480"),
            "Line 6: “1.480” may have .*--decimal comma: .*is 1480 --decimal point: .*is 1.48",
        ),
        ([], DATA.replace("2023-05-01", "2023-05-09"), "which are 1 month apart: .*--fill linear"),
        ([], SHOPS.replace("shop,", ",").replace(",b,", ",a,"), "date again.*--duplicates sum"),
        ([], "sales\n1\n2\n3", "When was the first.*--start.*--frequency Daily: 1 day apart"),
        ([], "month,shop\nnorth,south", "^forecast: the file: no column of dates"),
        (["--start", "2024-01-01"], "sales\n1\n2\n3", "^(?!.*--start).*--frequency Daily"),
        (
            ["--header", "0", "--column", "x"],
            DATA,
            "--column: there is no such column; send one of",
        ),
        (["--series", "b"], DATA, "--series b: there is none; there are 'sales'"),
        (
            ["--backtest"],
            SHOPS,
            "--backtest is for one series: choose it with --series NAME; .*'a'",
        ),
        (["--plot", "a.png"], SHOPS, "--plot is for one series"),
        (["--fill", "spline"], DATA, "--fill: invalid choice"),
        (["--decimal", ";"], DATA, "--decimal: invalid choice: ';'"),
        (["--frequency", "dayly"], DATA, "--frequency: invalid choice: 'Dayly' .choose from '?Sec"),
        (["--frequency", "Daily"], DATA, "--frequency: the dates are 1 month apart; leave it out"),
        (["--model", "5"], DATA, "--model: invalid choice: 'forecast-model-5'"),
        (["--confidence", "95"], DATA, "--confidence: 95 is not from 0.1 to 0.99"),
        (["--dates", "x"], DATA, "--dates: there is no such column"),
        (["--plot", "no/where.png"], DATA, "no/where.png: there is no such folder"),
        (["--windows", "3"], DATA, "--windows is only for --backtest"),
        (["--key-file", "none.txt"], DATA, "none.txt cannot be read: No such file"),
        (["--holidays", "A U"], DATA, "--holidays: 'A U' is not a country"),
    ],
)
def test_wrong_input_names_the_option_and_spends_no_request(
    arguments: list[str], data: str, message: str, run: Command, service: Service
) -> None:
    code, out, err = run("--horizon", "2", *arguments, data=data)
    assert (code, out) == (2, "")
    assert re.search(message, " ".join(err.split()))
    assert service.requests == []


def test_a_question_about_the_table_is_settled_by_the_option_that_it_names(
    run: Command, service: Service
) -> None:
    data = DATA.replace(",104", ",1.480")
    for option, value in (("comma", 1480), (",", 1480), ("point", 1.48)):
        assert run("--horizon", "1", "--decimal", option, data=data)[0] == 0
        assert json.loads(service.requests[-1].content)["series"][0]["values"][4] == value
    days = "".join(f"0{day}/02/2024,{day}\n" for day in range(1, 10))
    for option, first in (("--day-first", "2024-02-01"), ("--month-first", "2024-01-02")):
        code, _, err = run("--horizon", "1", option, data="day,sales\n" + days)
        sent = json.loads(service.requests[-1].content)["series"][0]["timestamps"]
        assert (code, sent[0][:10]) == (0, first), err


def test_a_rejection_of_the_service_names_the_option(run: Command, service: Service) -> None:
    service.rejection = rejection(
        400, details={"field": "forecast_horizon", "issue": "Must be between 1 and 100"}
    )
    code, _, err = run("--horizon", "500")
    assert (code, err) == (2, "forecast: --horizon: Must be between 1 and 100\n")


def test_a_service_that_rejects_the_key_is_another_exit_code(
    run: Command, service: Service
) -> None:
    service.rejection = rejection(401, "The key is unknown")
    code, _, err = run("--horizon", "2")
    assert code == 1
    assert err.startswith("forecast: ")
    assert KEY not in err


def test_a_key_file_of_another_encoding_is_reported(run: Command) -> None:
    Path("key.txt").write_bytes("ak_…".encode("utf-16"))
    code, _, err = run("--horizon", "2", "--key-file", "key.txt")
    assert code == 2
    assert "--key-file: key.txt is not UTF-8" in err


def test_missing_settings_name_options(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORECAST_KEY")
    assert "--key-file: the API key is missing: pass it, or" in run("--horizon", "2")[2]
    monkeypatch.delenv("FORECAST_URL")
    assert "--url: the address is missing: pass it, or set" in run("--horizon", "2")[2]


def test_a_dash_reads_the_standard_input(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(DATA.encode())))
    assert cli.main(["-", "--horizon", "1"]) == 0
    assert cli.main(["gone.csv", "--horizon", "1"]) == 2


def test_a_broken_pipe_is_quiet_and_pandas_is_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text(DATA)
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(cli.__file__).parents[1]),
        "FORECAST_URL": URL,
        "FORECAST_KEY": KEY,
    }
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.run(
        [sys.executable, "-c", PIPED, str(tmp_path / "data.csv"), "--horizon", "1"],
        stdout=writer,
        stderr=subprocess.PIPE,
        env=environment,
        check=False,
        timeout=30,
    )
    os.close(writer)
    assert (process.returncode, process.stderr) == (0, b"")
