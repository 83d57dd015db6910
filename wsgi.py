"""The WSGI entry point, ``wsgi:app``; ``app/server`` has the command that serves it."""

import os

# Before numpy is imported: with as many workers as cores, more BLAS threads only wait for each
# other.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

from app import create_app
from app.settings import SettingError

try:
    app = create_app()
except SettingError as error:
    raise SystemExit(f"Error: {error}") from None
