"""The commands of docs/using/migrating-from-azure.md, run unchanged."""

import json
import re
import sys

import pytest

from app.api.dialects.azure_anomaly_detector.schemas import false_alarm_rate
from tests.support.guides import assert_installed_client_is_tested, output_with_key
from tests.support.one_worker import server
from tests.support.programs import find_binary, resolve
from tests.support.server import ROOT, Server

__all__ = ["server"]  # fixtures

GUIDE = (ROOT / "docs" / "using" / "migrating-from-azure.md").read_text()
SPIKES = {"bash": 8, "python": 17, "javascript": 17}
COMMANDS = {
    "bash": ["bash", "-c"],
    "python": [sys.executable, "-c"],
    "javascript": ["node", "--input-type=module", "--eval"],
}


@pytest.mark.parametrize("language", COMMANDS)
def test_the_guides_program_finds_the_spike(language: str, server: Server) -> None:
    if language == "bash":
        find_binary("curl")
    (code,) = re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)
    printed = output_with_key(server, [*resolve(COMMANDS[language]), code])
    if language == "bash":
        assert json.loads(printed)["isAnomaly"][SPIKES[language]]
    else:
        assert SPIKES[language] in json.loads(printed.splitlines()[0])
    if language == "python":
        assert printed.splitlines()[1].startswith("InvalidCustomInterval customInterval: ")


def test_the_client_that_is_installed_is_the_one_that_is_tested() -> None:
    assert_installed_client_is_tested(GUIDE)


def test_the_table_of_sensitivities_is_the_one_in_force() -> None:
    row = r"^\| (?:`sensitivity`|false alarm rate) \| (0 \|.*|0[.].*)\|$"
    sent, rates = re.findall(row, GUIDE, re.MULTILINE)
    table = zip(sent.split("|"), rates.split("|"), strict=True)
    rows = {int(name.split()[0]): float(rate) for name, rate in table}
    assert len(rows) == 8
    assert {sensitivity: false_alarm_rate(sensitivity) for sensitivity in rows} == rows
