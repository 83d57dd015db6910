"""``forecast-service``: the operator's command.

On a machine that was set up for it, it reads the service's settings file and drops root privileges.
Elsewhere the settings are in the environment, as for ``flask``.
"""

import gc
import os
import sys

from app.core.machine import limit_blas_threads
from app.ops.cli import privileges


def main() -> None:
    """Run the command of this process' arguments."""
    gc.disable()  # libraries are loaded, and little of them is garbage: a tenth of the time
    try:
        if privileges.has_settings_file():
            privileges.drop_root(sys.argv[1:])
            _read(privileges.settings_path())
    except (OSError, ValueError) as error:
        raise SystemExit(f"Error: {error}") from None
    limit_blas_threads()
    os.environ["FLASK_RUN_FROM_CLI"] = "true"  # as in `flask`: logs are plain text on stderr

    from app.ops.cli.command import command

    gc.freeze()
    gc.enable()
    command(prog_name="forecast-service")


def _read(path: str) -> None:
    """Put the settings of the file into the environment, which takes precedence."""
    from app.core.settings_file import read_settings_file

    try:
        values = read_settings_file(path)
    except PermissionError:
        raise privileges.unreadable_settings() from None
    for name, value in values.items():
        os.environ.setdefault(name, value)
    os.environ["FLASK_SKIP_DOTENV"] = "1"  # no other file, wherever the command is run


if __name__ == "__main__":
    main()
