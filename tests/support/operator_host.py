"""The host that an operator's commands find: the settings file, and systemd."""

from pathlib import Path

import pytest

# The last line of a systemctl by which all units are active but the worker.
WORKER_STOPPED = '[ "$2" != forecast-service-worker.service ]'


def write_settings_file(folder: Path, monkeypatch: pytest.MonkeyPatch, database_url: str) -> Path:
    file = folder / "environment"
    file.write_text(f"# ours\nDATABASE_URL={database_url}\nTRUSTED_PROXIES=1\n")
    file.chmod(0o640)
    monkeypatch.setenv("FORECAST_SERVICE_SETTINGS", str(file))
    return file


def put_systemctl(folder: Path, monkeypatch: pytest.MonkeyPatch, last_line: str) -> Path:
    """Put a script as systemctl on the path, with this last line; return the file of its calls."""
    calls, stub = folder / "calls", folder / "systemctl"
    calls.touch()
    stub.write_text(f'#!/bin/sh\necho "$@" >> {calls}\n{last_line}\n')
    stub.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    return calls
