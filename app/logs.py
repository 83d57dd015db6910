"""Logs: one JSON object a line on stdout; one line a request, and nothing secret in any."""

import datetime as dt
import logging
import os
import re
import sys
import time

import orjson
from flask import Flask, Response, g, has_request_context, request

from app.accounts.secrets import redact_keys

AUTHORIZATION = re.compile(r"(authorization).*", re.I)

access = logging.getLogger("app.access")


class Redaction(logging.Filter):
    """Takes keys and Authorization headers out of the lines of a web server that knows neither."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record; keep it."""
        record.msg, record.args = _redact(record.getMessage()), ()
        if record.exc_info:
            record.exc_text = _redact(logging.Formatter().formatException(record.exc_info))
        return True


def _redact(text: str) -> str:
    return AUTHORIZATION.sub(r"\1 …", redact_keys(text))


class JsonLines(logging.Formatter):
    """A record as one line of JSON, with the request id where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        moment = dt.datetime.fromtimestamp(record.created, dt.UTC)
        line = {
            "time": moment.isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if has_request_context():
            line["request_id"] = g.get("request_id", "")
        line |= getattr(record, "fields", {})
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return redact_keys(orjson.dumps(line, default=str).decode())


def configure_logging(level: str) -> None:
    """Send all logs of the process to stdout as JSON lines; of a command, to stderr as text."""
    if os.environ.get("FLASK_RUN_FROM_CLI") == "true":
        handler = logging.StreamHandler(sys.stderr)
    else:
        handler = logging.StreamHandler(sys.stdout)
        handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    logging.getLogger("flask-limiter").setLevel(logging.WARNING)
    logging.getLogger("alembic").setLevel(logging.WARNING)


def register_access_log(app: Flask) -> None:
    """Write a line for every answered request of ``app``."""

    def start() -> None:
        g.started = time.perf_counter()

    def log(response: Response) -> Response:
        holder = g.get("caller")
        fields = {
            "method": request.method,
            "route": request.url_rule.rule if request.url_rule else None,
            "status": response.status_code,
            "milliseconds": round((time.perf_counter() - g.started) * 1000, 1),
            "key_id": holder.key_id if holder else None,
            "account": holder.account_name if holder else None,
            "model": response.headers.get("X-Model-Id"),
            "remaining": response.headers.get("X-RateLimit-Remaining"),
        }
        access.info("request", extra={"fields": fields})
        return response

    app.before_request(start)
    app.after_request(log)
