"""The settings and the compute engine of the process, for monitors and sources."""

from dataclasses import dataclass, field

from app.compute.jobs import InProcessEngine, JobRunner
from app.core.settings import Settings


@dataclass(frozen=True)
class WatchingContext:
    """The settings, and the engine that computes what monitors learn."""

    settings: Settings
    engine: JobRunner = field(default_factory=InProcessEngine)
