"""What a command and a server load before they do anything: half a second a library, each time."""

import sys

from tests.support.programs import output_of

LOADED = """
import sys
import wsgi
print(sorted({"alembic", "httpx", "pandas", "psycopg", "redis", "scipy"} & {*sys.modules}))
"""


def test_an_application_loads_only_the_libraries_that_it_needs() -> None:
    command = [sys.executable, "-c", LOADED]
    assert output_of(command).strip() == "[]"
