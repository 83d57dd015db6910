"""Run Nixtla's own tests of its SDK against a live service, and count failures by their causes.

``make nixtla-tests``; the tests are fetched into a temporary folder, with the SDK of their commit.
They are not ours to distribute. SOURCE=another repository or a path, DATA=a folder with their three
data sets, where GitHub cannot be reached.
"""

import argparse
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

from tests.support.databases import SqliteDatabases
from tests.support.keys import new_key
from tests.support.server import ROOT, run_server

SOURCE = "https://github.com/Nixtla/nixtla"
DATA = "https://raw.githubusercontent.com/Nixtla/transfer-learning-time-series/main/datasets"
COPIED_PATHS = ("nixtla", "nixtla_tests", "pyproject.toml")
PYTHON = ROOT / ".venv-nixtla" / "bin" / "python"
# Other engines and Snowflake, which are not installed here.
LEFT_OUT = ("nixtla_client/test_spark.py", "nixtla_client/test_ray.py", "snowflake")
UNEXPLAINED = "not explained"
# The first that is found in a failure's text or its name is its cause.
CAUSES = {
    "a package is missing": r"ModuleNotFoundError|ImportError|fixture '\w+' not found",
    "usage has minute, hour and day, but no month": r"test_custom_client_success",
    "columns of the past only have no effect": r"test_forecast_different_hist_exog",
    "fine-tuning is rejected": r"leave out finetune_steps|fine-tuned model|finetune is not offered"
    r"|finetune/async is not offered|finetune",
    "series are judged each by itself": r"threshold_method|multivariate",
    "input_size is 10,000, so that the SDK does not cut seasons": r"test_get_model_params"
    r"|test_forecast_warning",
    "short series are rejected in other words": r"test_forecast_error\[short horizon",
    "historic detection does not depend on the model": r"test_different_models_give_different"
    r"_results\[detect_anomalies-",
}


def main() -> None:
    """Fetch the tests, run them, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", default=SOURCE, help="the repository of the tests")
    parser.add_argument("--data", default=DATA, help="where their data sets are")
    options = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        checkout = folder / "nixtla"
        commit = _fetch(options.source, checkout)
        fixtures = checkout / "nixtla_tests" / "conftest.py"
        fixtures.write_text(fixtures.read_text().replace(DATA, options.data))
        cases = _run(folder, checkout)
    print(f"commit {commit}")
    _print_tables(cases)


def _fetch(source: str, checkout: Path) -> str:
    """Fetch the SDK and its tests, without notebooks and films; return their commit in words."""
    git = ["git", "-C", str(checkout)]
    shallow = ["--quiet", "--no-checkout", "--depth", "1", "--filter=blob:none"]
    subprocess.run(["git", "clone", *shallow, source, str(checkout)], check=True)
    subprocess.run([*git, "checkout", "HEAD", "--", *COPIED_PATHS], check=True)
    return subprocess.check_output([*git, "log", "-1", "--format=%h of %as"], text=True).strip()


def _run(folder: Path, checkout: Path) -> list[ElementTree.Element]:
    """Return what pytest reports of each test."""
    databases = SqliteDatabases(folder)
    database_url = databases.migrated()
    report = folder / "report.xml"
    with run_server(folder, database_url, WEB_CONCURRENCY="2") as server:
        key = new_key(database_url)
        url = f"{server.url}/timegpt"
        environ = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
        for suffix in ("", "_CUSTOM", "_FOR_SF"):
            environ |= {f"NIXTLA_API_KEY{suffix}": key, f"NIXTLA_BASE_URL{suffix}": url}
        left_out = [f"--ignore=nixtla_tests/{name}" for name in LEFT_OUT]
        # From the folder of the checkout, whose SDK is imported.
        command = [
            *(
                str(PYTHON),
                "-m",
                "pytest",
                "-q",
                "-p",
                "no:cacheprovider",
                "--tb=short",
                "-o",
                "addopts=",
            ),
            f"--junit-xml={report}", *left_out, "nixtla_tests",
        ]  # fmt: skip
        subprocess.run(command, cwd=checkout, env=environ, check=False, stdout=sys.stderr)
    return list(ElementTree.parse(report).iter("testcase"))


def _cause(name: str, text: str) -> str:
    causes = (cause for cause, pattern in CAUSES.items() if re.search(pattern, name + "\n" + text))
    return next(causes, UNEXPLAINED)


def _print_tables(cases: list[ElementTree.Element]) -> None:
    """Print how many passed, and the failures by cause, as tables of the documents."""
    passed = skipped = 0
    failures: dict[str, list[str]] = defaultdict(list)
    for case in cases:
        module = case.attrib["classname"].removeprefix("nixtla_tests.")
        name = f"{module}::{case.attrib['name']}"
        problems = [element for element in case if element.tag in ("failure", "error")]
        if problems:
            text = problems[0].attrib.get("message", "") + (problems[0].text or "")
            failures[_cause(name, text)].append(name)
        elif case.find("skipped") is not None:
            skipped += 1
        else:
            passed += 1
    failed = sum(map(len, failures.values()))
    print(f"| passed | failed | skipped |\n|---|---|---|\n| {passed} | {failed} | {skipped} |\n")
    print("| cause of failures | tests |\n|---|---|")
    for cause, names in sorted(failures.items(), key=lambda item: -len(item[1])):
        print(f"| {cause} | {len(names)} |")
    print()
    for cause, names in failures.items():
        print(f"{cause}:", *sorted(names), sep="\n  ")


if __name__ == "__main__":
    main()
