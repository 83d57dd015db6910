"""The WSGI entry point, ``wsgi:app``; ``app/ops/server`` has the command that serves it."""

from app import create_app
from app.core.environment import SettingError
from app.core.machine import limit_blas_threads

limit_blas_threads()
try:
    app = create_app()
except SettingError as error:
    raise SystemExit(f"Error: {error}") from None
