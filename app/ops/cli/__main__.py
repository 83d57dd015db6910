"""``forecast-service``: the operator's command.

On a machine that was set up for it, it reads the service's settings file and drops root privileges.
Elsewhere the settings are in the environment, as for ``flask``.
"""

import gc
import os
import sys

from app.core.machine import limit_blas_threads
from app.ops import privileges


def main() -> None:
    """Run the command in this process' arguments."""
    gc.disable()  # importing libraries creates little garbage; this saves a tenth of the time
    try:
        if privileges.has_settings_file():
            privileges.drop_root(sys.argv[1:])
            _load_settings(privileges.settings_path())
    except (OSError, ValueError) as error:
        raise SystemExit(f"Error: {error}") from None
    limit_blas_threads()
    os.environ["FLASK_RUN_FROM_CLI"] = "true"  # `flask` sets it, too: logs are plain text on stderr

    from app.ops.cli.command import command

    gc.freeze()
    gc.enable()
    command(prog_name="forecast-service")


def _load_settings(path: str) -> None:
    """Add the settings in the file to the environment, which takes precedence."""
    from app.ops.settings_file import read_settings_file

    try:
        values = read_settings_file(path)
    except PermissionError:
        raise privileges.unreadable_settings_error() from None
    for name, value in values.items():
        os.environ.setdefault(name, value)
    os.environ["FLASK_SKIP_DOTENV"] = "1"  # read no other file in the working directory


if __name__ == "__main__":
    main()
