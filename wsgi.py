"""The WSGI entry point, ``wsgi:app``; ``app/ops/server`` has the command that serves it.

``flask`` takes its commands from it, too: they start faster without the views.
"""

import sys

from app import create_app, create_command_app
from app.core.environment import SettingError, is_command
from app.core.machine import limit_blas_threads

_COMMANDS_WITH_VIEWS = {"run", "routes", "shell"}

limit_blas_threads()
try:
    has_views = not is_command() or not _COMMANDS_WITH_VIEWS.isdisjoint(sys.argv)
    app = create_app() if has_views else create_command_app()
except SettingError as error:
    raise SystemExit(f"Error: {error}") from None
