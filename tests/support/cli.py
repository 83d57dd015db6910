"""Admin commands in the process of the test: their output, or their one-line error."""

from collections.abc import Callable
from typing import Any

import orjson
import pytest
from click.testing import Result
from flask import Flask
from sqlalchemy import URL

from app.ops.cli.restore import make_migrator

LISTED = [
    "id", "prefix", "account", "label", "permissions", "state",
    "usage_count", "shared_usage_count", "last_used_at", "expires_at",
]  # fmt: skip


def attempt(app: Flask, *words: str) -> Result:
    """Run `flask …`."""
    return app.test_cli_runner().invoke(args=list(words))


def run(app: Flask, *words: str) -> str:
    """Run a command that must succeed and return what it printed."""
    result = attempt(app, *words)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return result.stdout


def run_json(app: Flask, *words: str) -> Any:
    """Run a command with ``--json`` and return its parsed output."""
    return orjson.loads(run(app, *words, "--json"))


def run_failing(app: Flask, *words: str) -> str:
    """Run a command that must fail; return its only output, one line on stderr."""
    result = attempt(app, *words)
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code != 0
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: ")
    assert "Traceback" not in line
    return line


def restore_as_this_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a restore migrate as the user of the test: the user of the service may not exist."""

    def migrate_as_this_user(*arguments: Any) -> Callable[[URL], None]:
        def migrate(url: URL) -> None:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("FORECAST_SERVICE_SETTINGS", "")
                make_migrator(*arguments)(url)

        return migrate

    monkeypatch.setattr("app.ops.cli.restore._service_user_prefix", tuple)
    monkeypatch.setattr("app.ops.cli.restore.make_migrator", migrate_as_this_user)
