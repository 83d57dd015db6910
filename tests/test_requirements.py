"""The pinned libraries: each is one version with its hashes, from wherever pip is set up to ask."""

import re

import pytest

from tests.support.server import ROOT

PIN = r"[a-z0-9-]+(\[[a-z]+\])?==[^ ]+( ; .*?)?( --hash=sha256:[0-9a-f]{64})+"


@pytest.mark.parametrize(
    "name", ["requirements.txt", "requirements-dev.txt", "requirements-nixtla.txt"]
)
def test_every_line_is_a_version_with_its_hashes(name: str) -> None:
    text = re.sub(r"^#.*\n", "", (ROOT / name).read_text(), flags=re.MULTILINE)
    pins = re.sub(r" \\\n +", " ", text).splitlines()
    assert len(pins) > 20
    assert [pin for pin in pins if not re.fullmatch(PIN, pin)] == []
