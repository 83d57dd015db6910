"""Tests in the environment of Nixtla's SDK, whose pandas is older than the service's."""

import os
import subprocess
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

from tests.support.server import ROOT

PYTHON = ROOT / ".venv-nixtla" / "bin" / "python"
PATIENCE_SECONDS = 400
Results = dict[str, list[str]]


def run_cases(file: Path, folder: Path, **environ: str) -> Results:
    """Run the tests of a file in ``folder``; return the problem of each, or why it was skipped."""
    assert PYTHON.exists(), "the environment is missing: make .venv-nixtla/installed"
    report = folder / "report.xml"
    inherited = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    # without the project's configuration, whose packages that environment lacks
    options = ["--noconftest", "-c", os.devnull, "-p", "no:cacheprovider", "-q"]
    command = [str(PYTHON), "-m", "pytest", *options, f"--junit-xml={report}", str(file)]
    done = subprocess.run(
        command,
        cwd=folder,
        env=inherited | environ,
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert report.exists(), done.stdout + done.stderr
    result: Results = defaultdict(list)
    for case in ElementTree.parse(report).iter("testcase"):
        problems = [problem for problem in case if problem.tag != "system-out"]
        problem_texts = [problem.text or problem.attrib.get("message", "") for problem in problems]
        result[case.attrib["name"].partition("[")[0]] += problem_texts
    return result
