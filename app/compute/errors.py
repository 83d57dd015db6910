"""Errors of the engine."""


class EngineBusyError(Exception):
    """Too many jobs are waiting, and a new one would wait for ``wait_seconds``, 0 if unknown."""

    def __init__(self, wait_seconds: float = 0.0) -> None:
        super().__init__(
            f"a job would wait for {wait_seconds:.1f} s"
            if wait_seconds
            else "too many jobs are waiting"
        )
        self.wait_seconds = wait_seconds


class EngineFailedError(Exception):
    """The engine gave no result: it failed, was killed or exceeded the time limit."""


class EngineMemoryError(EngineFailedError):
    """The job needs more memory than an engine process may allocate, ``memory_mib`` MiB."""

    def __init__(self, memory_mib: float) -> None:
        super().__init__(
            f"it needs more than the {memory_mib:g} MiB of memory of an engine process"
        )
        self.memory_mib = memory_mib


class CallerTimeoutError(EngineFailedError):
    """There is no result within the time limit of the caller, though the job did not wait.

    Without such a limit, EngineFailedError is raised at the time limit of all jobs.
    """


class EngineUnavailableError(EngineFailedError):
    """No engine could be reached, or its supervisor was killed; the job may be sent again later."""
