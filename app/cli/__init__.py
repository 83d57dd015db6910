"""The operator's commands: one file per group.

Each command makes its changes in one transaction, or fails with one line on stderr.
"""

from flask import Flask

from app.cli.accounts import accounts
from app.cli.backups import backups
from app.cli.keys import keys
from app.cli.members import members
from app.cli.sources import sources
from app.cli.usage import usage
from app.cli.webhooks import webhooks
from app.cli.worker import worker


def register_commands(app: Flask) -> None:
    """Add the operator's commands to ``flask``."""
    for group in (accounts, keys, members, usage, backups, webhooks, sources, worker):
        app.cli.add_command(group)
