"""Logs: one JSON object per line on stdout; one line per request, without secrets."""

import datetime as dt
import logging
import re
import sys
from collections.abc import Callable
from typing import Any

import orjson

from app.core.api_keys import redact_key_parts
from app.core.environment import is_command

_AUTHORIZATION = re.compile(r"(authorization).*", re.I)
# Query parameters with which somebody could sign in.
_TOKEN_PARAMETERS = re.compile(r"([?&])(token|code|state)=[^&\s\"'\\]+")


class Redaction(logging.Filter):
    """Removes keys and Authorization headers from the log lines of a web server."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Redact the record; never drop it."""
        record.msg = _redact(record.getMessage())
        record.args = ()
        if record.exc_info:
            record.exc_text = _redact(logging.Formatter().formatException(record.exc_info))
        return True


def _redact(text: str) -> str:
    return _AUTHORIZATION.sub(r"\1 …", _redact_tokens(text))


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON, with the id of the current request if there is one."""

    def __init__(self, find_request_id: Callable[[], str | None] = lambda: None) -> None:
        super().__init__()
        self._find_request_id = find_request_id

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": dt.datetime.fromtimestamp(record.created, dt.UTC),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if (request_id := self._find_request_id()) is not None:
            line["request_id"] = request_id
        line |= getattr(record, "fields", {})
        if record.exc_info:
            line["exception"] = record.exc_text or self.formatException(record.exc_info)
        return _redact_tokens(orjson.dumps(line, default=str, option=orjson.OPT_UTC_Z).decode())


def _redact_tokens(text: str) -> str:
    return _TOKEN_PARAMETERS.sub(r"\1\2=…", redact_key_parts(text))


def configure_logging(level: str, find_request_id: Callable[[], str | None]) -> None:
    """Log to stdout as JSON lines; in a command, to stderr as plain text."""
    root = logging.getLogger()
    if is_command():
        root.handlers[:] = [logging.StreamHandler(sys.stderr)]
    else:
        log_as_json(find_request_id)
    root.setLevel(level)
    # httpx and httpcore log paths of URLs, which may contain secrets; the others are noise.
    for library in ("flask-limiter", "alembic", "httpx", "httpcore"):
        logging.getLogger(library).setLevel(logging.WARNING)


def log_as_json(find_request_id: Callable[[], str | None] = lambda: None) -> None:
    """Log to stdout as JSON lines, even in a command, such as the worker."""
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(JsonLines(find_request_id))
    logging.getLogger().handlers[:] = [handler]
