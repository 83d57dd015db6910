"""Gunicorn's log lines in the format of the service, for gunicorn's setting ``logger_class``."""

import logging
import sys
from typing import Any

from gunicorn.glogging import Logger

from app.core.logs import JsonLines, Redaction


class ServerLog(Logger):  # type: ignore[misc]
    """Writes one JSON object per line to stdout, without keys."""

    def setup(self, cfg: Any) -> None:
        """Set the level and handlers, at the start and at each reload."""
        super().setup(cfg)
        handler = logging.StreamHandler(sys.stdout)
        handler.setFormatter(JsonLines())
        handler.addFilter(Redaction())
        self.error_log.handlers[:] = [handler]
