"""The settings and the compute engine of the process, for monitors and sources."""

from dataclasses import dataclass, field

from app.compute.jobs import ComputeEngine, InProcessEngine
from app.core.settings import Settings


@dataclass(frozen=True)
class WatchingContext:
    """The settings, and what runs the jobs of monitors: fits, histories, forecasts.

    A job that is the purpose of a request is run by a function that the caller passes on instead:
    it uses the request's slot of the queue, and its errors become responses.
    """

    settings: Settings
    engine: ComputeEngine = field(default_factory=InProcessEngine)
