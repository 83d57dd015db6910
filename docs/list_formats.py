"""Write the table of webhook formats into docs/using/webhooks.md, from their declarations.

``python docs/list_formats.py``
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from app.delivery.formats import FORMATS
from docs.tables import Table

HEADER = "| `format` | Message | Signed |\n|---|---|---|\n"


def table() -> Table:
    rows = (
        f"| `{name}` | {each.description} | {'yes' if each.is_signed else 'no'} |\n"
        for name, each in FORMATS.items()
    )
    return Table("docs/using/webhooks.md", "formats", HEADER + "".join(rows))


if __name__ == "__main__":
    table().write()
