"""The operator's commands: one module for each group, imported when it is used.

Each command makes its changes in one transaction, or fails with one line on stderr.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

# The commands of ``flask`` and ``forecast-service``; each is in the module with its name.
GROUPS = ("accounts", "keys", "members", "usage", "backups", "webhooks", "sources", "worker")
# The commands of ``forecast-service`` only; ``batch`` is in the package that runs it.
SERVICE_GROUPS = ("batch", "setup")
# Where `app`, `migrations`, `nginx` and `wsgi.py` are: a checkout, or installed packages.
CODE_FOLDER = Path(__file__).parents[3]


def load_group(name: str) -> "click.Command":
    """Import and return the command called ``name``."""
    module = "app.ops.batch.command" if name == "batch" else f"app.ops.cli.{name}"
    return getattr(import_module(module), name)
