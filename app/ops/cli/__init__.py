"""The operator's commands: one file per group, imported when it is used.

Each command makes its changes in one transaction, or fails with one line on stderr.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click
    from flask import Flask

GROUPS = ("accounts", "keys", "members", "usage", "backups", "webhooks", "sources", "worker")
"""The commands of ``flask`` and ``forecast-service``; each is in the module of its name."""


def load_group(name: str) -> "click.Command":
    """Return the command called ``name``, of the module of its name."""
    group: click.Command = getattr(import_module(f"app.ops.cli.{name}"), name)
    return group


def register_commands(app: "Flask") -> None:
    """Add the operator's commands to ``flask``."""
    for name in GROUPS:
        app.cli.add_command(load_group(name))
