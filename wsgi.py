"""The WSGI entry point: ``gunicorn wsgi:app``."""

import os

# Before numpy is imported: with two workers on two cores, more BLAS threads only wait for each
# other (0.2 s of work took 5 s).
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

from app import create_app
from app.settings import SettingError

try:
    app = create_app()
except SettingError as error:
    raise SystemExit(f"Error: {error}") from None
