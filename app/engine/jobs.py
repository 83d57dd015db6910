"""The jobs of engine processes."""

import pkgutil
from dataclasses import dataclass
from typing import Any

EXTENSION = "engine"
"""The extension key of the function that runs jobs elsewhere, with the signature of ``do``."""


@dataclass(frozen=True)
class Job:
    """A function that an engine process runs.

    Attributes:
        function: ``package.module:name``; only imported where it runs.
        noun: The name of its result in messages, such as ``forecast``.
        remedy: What a client should do if the job failed.
    """

    function: str
    noun: str
    remedy: str = "send the request again"


def do(job: Job, *arguments: Any) -> Any:
    """Import the job's function and return its result for ``arguments``."""
    return pkgutil.resolve_name(job.function)(*arguments)
