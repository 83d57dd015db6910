"""Gunicorn's own log lines, in the shape of the service's: gunicorn's setting ``logger_class``."""

import logging
import sys
from typing import Any

from gunicorn.glogging import Logger

from app.logs import JsonLines, Redaction


class ServerLog(Logger):  # type: ignore[misc]
    """Writes to stdout one JSON object a line, without keys."""

    def setup(self, cfg: Any) -> None:
        """Take level and handlers anew, at the start and at each reload."""
        super().setup(cfg)
        handler = logging.StreamHandler(sys.stdout)
        handler.setFormatter(JsonLines())
        handler.addFilter(Redaction())
        self.error_log.handlers[:] = [handler]
