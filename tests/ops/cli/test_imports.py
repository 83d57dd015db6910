"""What a command and a server load before they do anything: half a second a library, each time."""

import os
import sys

import pytest

from tests.support.programs import output_of

LOADED = """
import sys
import wsgi
print(sorted({"alembic", "httpx", "pandas", "psycopg", "redis", "scipy"} & {*sys.modules}))
"""
COMMAND = """
import sys
import wsgi
print("app.api.blueprints" in sys.modules, len([*wsgi.app.url_map.iter_rules()]) > 0)
"""


def test_an_application_loads_only_the_libraries_that_it_needs() -> None:
    command = [sys.executable, "-c", LOADED]
    assert output_of(command).strip() == "[]"


@pytest.mark.parametrize(
    ("words", "printed"),
    [(["keys", "list"], "False False"), (["routes"], "True True"), (["run"], "True True")],
    ids=["keys", "routes", "run"],
)
def test_a_command_of_flask_loads_the_views_only_if_it_uses_them(
    words: list[str], printed: str
) -> None:
    environ = os.environ | {"FLASK_RUN_FROM_CLI": "true"}
    command = [sys.executable, "-c", COMMAND, *words]
    assert output_of(command, env=environ).strip() == printed
