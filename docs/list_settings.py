"""Write the table of settings into docs/running/settings.md, from their declarations.

``python docs/list_settings.py``
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from app.core.settings import SETTINGS, Setting
from docs.tables import Table

HEADER = "| Variable | Default | Meaning |\n|---|---|---|\n"


def table() -> Table:
    return Table(
        "docs/running/settings.md", "settings", HEADER + "".join(map(_row, SETTINGS.values()))
    )


def _row(setting: Setting) -> str:
    default = f"`{setting.default}`" if setting.default else ""
    return f"| `{setting.name}` | {default} | {setting.help} |\n"


if __name__ == "__main__":
    table().write()
