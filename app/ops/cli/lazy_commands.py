"""The commands of ``flask``."""

import click
from flask.cli import AppGroup

from app.ops.cli import GROUPS, load_group


class LazyCommands(AppGroup):
    """Commands that are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names, also of modules that are not imported yet."""
        return sorted({*super().list_commands(ctx), *GROUPS})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name in GROUPS:
            return load_group(cmd_name)
        return super().get_command(ctx, cmd_name)
