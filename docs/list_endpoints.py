"""Write the table of endpoints into docs/using/endpoints.md, from their declarations.

``python docs/list_endpoints.py``
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from flask import Flask

from app import create_app
from app.api.endpoints.endpoint import Endpoint, endpoints_of
from docs.tables import Table

HEADER = "| Endpoint | Permission | Counts | |\n|---|---|---|---|\n"


def table(app: Flask) -> Table:
    """Return the table of what is not only refused, by tag and path."""
    offered = (one for one in endpoints_of(app).values() if one.successes)
    declared = sorted(offered, key=lambda one: (one.tag.name, one.path))
    lines = "".join(map(_row, declared))
    return Table("docs/using/endpoints.md", "endpoints", HEADER + lines)


def _row(one: Endpoint) -> str:
    """Return the line of an endpoint."""
    permission = f"`{one.permission}`" if one.permission else "any key"
    if one.is_public:
        permission = "no key needed"
    counts = "yes" if one.is_counted else "no"
    return f"| `{one.name}` | {permission} | {counts} | {one.summary} |\n"


if __name__ == "__main__":
    table(create_app()).write()
