"""Programs and clients that guides name, against a running server."""

import os
import re

from tests.support.keys import new_key
from tests.support.programs import output_of
from tests.support.server import ROOT, Server


def output_with_key(server: Server, words: list[str]) -> str:
    """Return the output of a program that finds the service and a key in its environment."""
    key = new_key(server.environ["DATABASE_URL"])
    environ = os.environ | {"FORECAST_URL": server.url, "FORECAST_KEY": key}
    return output_of(words, env=environ, timeout=120)


def assert_installed_client_is_tested(guide: str) -> None:
    (installed,) = re.findall(r"^pip install (.+)$", guide, re.MULTILINE)
    assert f'"{installed}"' in (ROOT / "pyproject.toml").read_text()
