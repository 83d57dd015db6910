"""The admin's commands: ``flask accounts``, ``keys``, ``members``, ``usage`` and others.

Each command is done wholly, what it changes in one transaction, or one line on stderr says why not.
"""

from flask import Flask

from app.cli.accounts import accounts
from app.cli.backups import backups
from app.cli.keys import keys
from app.cli.members import members
from app.cli.usage import usage
from app.cli.webhooks import webhooks


def register_commands(app: Flask) -> None:
    """Add the admin's commands to ``flask``."""
    for group in (accounts, keys, members, usage, backups, webhooks):
        app.cli.add_command(group)
