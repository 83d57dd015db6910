"""The systemd units of the service."""

import subprocess
from pathlib import Path

from app.ops.privileges import settings_path

SOCKET_UNIT, SERVICE_UNIT = "forecast-service.socket", "forecast-service.service"
WORKER_UNIT = "forecast-service-worker.service"
ALL_UNITS = (SOCKET_UNIT, SERVICE_UNIT, WORKER_UNIT)


def running_units() -> list[str]:
    """Return the running units; none without a settings file or without systemd."""
    is_set_up = Path(settings_path()).is_file()  # otherwise the units use another database
    return [unit for unit in ALL_UNITS if is_set_up and systemctl("is-active", unit)]


def systemctl(*arguments: str) -> bool:
    """Run ``systemctl``; return whether it succeeded."""
    try:
        result = subprocess.run(["systemctl", *arguments], capture_output=True, check=False)
    except FileNotFoundError:
        return False
    return result.returncode == 0
