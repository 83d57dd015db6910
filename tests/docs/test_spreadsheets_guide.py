"""The recipes of docs/using/spreadsheets.md: run against a service, or held to what it takes."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from app.api.tables.routes import MEDIA_TYPES
from app.api.tables.schemas import TableForecastQuerySchema
from tests.docs.pages import shell_blocks
from tests.support.one_worker import key, server
from tests.support.programs import find_binary, find_node
from tests.support.server import ROOT, Server

__all__ = ["key", "server"]  # fixtures

PAGE = ROOT / "docs" / "using" / "spreadsheets.md"
TEXT = PAGE.read_text()
SALES = "shop,month,sales\n" + "\n".join(
    f"{shop},{2023 + month // 12}-{month % 12 + 1:02}-01,{100 + 10 * (month % 12) + 5 * number}"
    for number, shop in enumerate(("North", "Süd, Mitte"))
    for month in range(24)
).replace("Süd, Mitte", '"Süd, Mitte"')
# A program that a recipe calls, in its place: it writes the table, or prints the result.
STAND_IN = """#!/bin/sh
case "$*" in
  *parquet*) if [ "$1" = -c ]; then cp "$SALES" sales.csv; else cat "$SALES"; fi ;;
  *) cat forecast.csv ;;
esac
"""
# Apps Script's services, by Node: fetch is synchronous there, so curl sends the request.
SERVICES = """
import { execFileSync } from "node:child_process";
const getProperty = (name) => process.env[name];
const PropertiesService = { getScriptProperties: () => ({ getProperty }) };
const SpreadsheetApp = { getActive: () => ({ getSpreadsheetTimeZone: () => "UTC" }) };
const Utilities = {
  formatDate: (date, zone, pattern) => {
    if (zone !== "UTC" || pattern !== "yyyy-MM-dd HH:mm:ss") throw new Error(pattern);
    return date.toISOString().slice(0, 19).replace("T", " ");
  },
  parseDate: (text, zone, pattern) => {
    if (zone !== "UTC" || pattern !== "yyyy-MM-dd HH:mm:ss") throw new Error(pattern);
    return new Date(`${text.replace(" ", "T")}Z`);
  },
  parseCsv: (text) => text.trim().split("\\r\\n").map((line) => {
    const cells = [...line.matchAll(/(?:^|,)(?:"([^"]*)"|([^,]*))/g)];
    return cells.map(([, quoted, plain]) => quoted ?? plain);
  }),
};
const UrlFetchApp = {
  fetch: (url, { method, contentType, headers, payload, muteHttpExceptions }) => {
    if (!muteHttpExceptions) throw new Error("a rejection has to be read");
    const sent = Object.entries({ ...headers, "Content-Type": contentType });
    const options = sent.flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
    const all = ["-s", "-X", method.toUpperCase(), ...options, "--data-binary", "@-"];
    const words = [...all, "-w", "\\n\\n%{http_code}", url];
    const done = execFileSync("curl", words, { input: payload });
    const [body, status] = done.toString().split(/\\n\\n(?=\\d+$)/);
    return { getContentText: () => body, getResponseCode: () => Number(status) };
  },
};
"""
RANGE = """
const range = [["day", "Süd, Mitte", "plain"]];
for (let day = 1; day <= 14; day += 1) {
  range.push([new Date(Date.UTC(2024, 0, day)), day + 0.5, day % 3]);
}
range.push(["", "", ""]);
"""


def block(language: str) -> str:
    """Return the code of a recipe."""
    (code,) = re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
    return code


def parameters(text: str) -> set[str]:
    """Return the names of parameters in addresses."""
    return {
        name
        for query in re.findall(r"\?([\w=&.-]+)", text)
        for name in re.findall(r"(\w+)=", query)
    }


def environ_of(server: Server, key: str, folder: Path) -> dict[str, str]:
    for name in ("duckdb", "clickhouse"):
        (folder / name).write_text(STAND_IN)
        (folder / name).chmod(0o755)
    (folder / "table.csv").write_text(SALES)
    (folder / "sales.csv").write_text(SALES)
    path = f"{folder}:{os.environ['PATH']}"
    known = {"FORECAST_URL": server.url, "FORECAST_KEY": key, "PATH": path, "TZ": "UTC"}
    return os.environ | known | {"SALES": str(folder / "table.csv")}


@pytest.mark.parametrize("number", range(3))
def test_the_commands_get_a_forecast_of_each_shop(
    number: int, server: Server, key: str, tmp_path: Path
) -> None:
    find_binary("curl")
    environ = environ_of(server, key, tmp_path)
    commands = shell_blocks(PAGE)[number].commands
    shell = ["bash", "-euo", "pipefail", "-c", commands]
    subprocess.run(shell, cwd=tmp_path, env=environ, check=True, capture_output=True, timeout=120)
    lines = (tmp_path / "forecast.csv").read_text("utf-8-sig").splitlines()
    assert lines[0] == "shop,month,sales,lower_bound,upper_bound"
    assert len(lines) == 1 + 2 * 12
    assert lines[13].startswith('"Süd, Mitte",2025-01-01,')


def run_script(call: str, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    script = f"{SERVICES}{block('js')}{RANGE}console.log(JSON.stringify({call}));"
    command = [find_node(), "--input-type=module", "--eval", script]
    return subprocess.run(
        command, env=environ, check=False, capture_output=True, text=True, timeout=120
    )


def test_the_function_of_google_sheets_returns_dates_and_numbers(
    server: Server, key: str, tmp_path: Path
) -> None:
    done = run_script('FORECAST_TABLE(range, 3, "sum=true")', environ_of(server, key, tmp_path))
    assert done.returncode == 0, done.stderr
    header, *rows = json.loads(done.stdout)
    assert header[:4] == ["day", "Süd, Mitte", "Süd, Mitte_lower_bound", "Süd, Mitte_upper_bound"]
    assert [row[0] for row in rows] == [f"2024-01-{day}T00:00:00.000Z" for day in (15, 16, 17)]
    assert all(isinstance(cell, (int, float)) for row in rows for cell in row[1:])
    assert header[-3] == "all"


def test_the_function_of_google_sheets_shows_what_is_wrong(
    server: Server, key: str, tmp_path: Path
) -> None:
    done = run_script("FORECAST_TABLE(range, 1001)", environ_of(server, key, tmp_path))
    assert "Must be between 1 and 1,000" in done.stderr


def test_the_node_of_n8n_sends_what_the_service_takes(server: Server, key: str) -> None:
    (node,) = json.loads(block("json"))["nodes"]
    fields = node["parameters"]
    headers = {
        header["name"]: header["value"] for header in fields["headerParameters"]["parameters"]
    }
    query = "&".join(
        f"{parameter['name']}={parameter['value']}"
        for parameter in fields["queryParameters"]["parameters"]
    )
    path = fields["url"].partition("example.com")[2]
    sent = {name.replace("-", "_"): value for name, value in headers.items()}
    response = server.request(f"{path}?{query}", SALES.encode(), key, fields["method"], 60, **sent)
    assert response.status == 200
    assert [series["name"] for series in json.loads(response.body)["series"]] == [
        "North",
        "Süd, Mitte",
    ]


def test_the_query_of_excel_sends_the_key_in_a_header_and_has_no_open_bracket() -> None:
    code = block("m")
    without_texts = re.sub(r'"(?:[^"]|"")*"', "", code)
    for opening, closing in ("()", "[]", "{}"):
        assert without_texts.count(opening) == without_texts.count(closing)
    assert '"' not in without_texts
    assert 'Authorization = "Bearer " & Key' in code
    assert "Key" not in re.search(r"Query = \[.*?\]", code)[0]
    assert re.search(r'RelativePath = "([^"]+)"', code)[1] == "tables/forecast"
    assert re.search(r'Accept = "([^"]+)"', code)[1] in MEDIA_TYPES
    assert set(re.findall(r"Query = \[(\w+) =", code)) <= set(TableForecastQuerySchema().fields)
    statuses = re.search(r"ManualStatusHandling = \{([\d, ]+)\}", code)[1]
    assert statuses == "400, 401, 403, 404, 413, 415, 422, 429, 500, 503"


def test_the_script_of_r_sends_what_the_service_takes() -> None:
    code = block("r")
    assert re.search(r'Accept = "([^"]+)"', code)[1] in MEDIA_TYPES
    assert 'req_url_path_append("tables/forecast")' in code
    assert set(re.findall(r"req_url_query\((\w+) =", code)) <= set(
        TableForecastQuerySchema().fields
    )
    assert code.count("(") == code.count(")")


def test_every_parameter_in_an_address_is_one_of_the_endpoint() -> None:
    sent = parameters(TEXT)
    assert {"horizon", "model"} <= sent <= set(TableForecastQuerySchema().fields)
