"""What an engine can do: each job's name, as messages say it, and the function behind it."""

import pkgutil
from typing import Any

JOBS: dict[str, str] = {
    "forecast": "app.forecasting.forecast:forecast",
}


def do(name: str, *arguments: Any) -> Any:
    """Return what the job's function, imported now, returns for ``arguments``."""
    return pkgutil.resolve_name(JOBS[name])(*arguments)
