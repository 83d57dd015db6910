"""What engines are asked to do."""

import pkgutil
from dataclasses import dataclass
from typing import Any

EXTENSION = "engine"
"""Where a server puts the function that does jobs elsewhere, of the shape of ``do``."""


@dataclass(frozen=True)
class Job:
    """A function that an engine process runs.

    Attributes:
        function: ``package.module:name``; imported where it runs, so that who asks need not.
        noun: What messages call its result, such as ``forecast``.
        remedy: What a client whose job failed is told to do.
    """

    function: str
    noun: str
    remedy: str = "send the request again"


def do(job: Job, *arguments: Any) -> Any:
    """Return what the job's function, imported now, returns for ``arguments``."""
    return pkgutil.resolve_name(job.function)(*arguments)
