"""The command ``forecast-service``: admin commands, migrations, the service, its setup."""

import os
import sys
from typing import TYPE_CHECKING

import click
from flask.cli import ScriptInfo

from app import add_migrations, create_admin_app
from app.core.environment import SettingError, load_settings
from app.ops.cli import CODE_FOLDER, GROUPS, SERVICE_GROUPS, load_group
from app.ops.cli.groups import OneLineGroup

if TYPE_CHECKING:
    from flask import Flask


class LazyGroup(OneLineGroup):
    """Commands that are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names, also of modules that are not imported yet."""
        return sorted({*super().list_commands(ctx), *GROUPS, *SERVICE_GROUPS, "db"})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command with its application."""
        if cmd_name == "db":
            ctx.obj = ScriptInfo(create_app=_application_with_migrations, set_debug_flag=False)
            return _migrations()
        ctx.obj = ScriptInfo(create_app=_application, set_debug_flag=False)
        if cmd_name in (*GROUPS, *SERVICE_GROUPS):
            return load_group(cmd_name)
        return super().get_command(ctx, cmd_name)


command = LazyGroup("forecast-service", help="Run, set up and administer the forecast service.")


@command.command("serve", with_appcontext=False)
def serve() -> None:
    """Serve on BIND and PORT until SIGTERM; gunicorn replaces this process."""
    from app.ops.server import GUNICORN_COMMAND

    try:
        load_settings()  # reads a file .env, too, before the folder changes
    except SettingError as error:
        raise click.ClickException(str(error)) from None
    os.environ.pop("FLASK_RUN_FROM_CLI", None)
    os.chdir(CODE_FOLDER)
    os.execv(sys.executable, [sys.executable, "-m", *GUNICORN_COMMAND])


def _migrations() -> click.Command:
    from flask_migrate.cli import db

    from app.ops.cli.move import move

    group: click.Group = db
    group.add_command(move)
    return group


def _application() -> "Flask":
    from app.core.database import db
    from app.ops.database.file_permissions import file_permission_problem

    try:
        app = create_admin_app()
    except SettingError as error:
        raise click.ClickException(str(error)) from None
    with app.app_context():
        problem = file_permission_problem(db.engine.url)
    if problem is not None:
        raise click.ClickException(problem)
    return app


def _application_with_migrations() -> "Flask":
    app = _application()
    add_migrations(app)
    return app
