"""The state of the current request: its fields, and who sets them."""

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flask import g

from app.identity.accounts.authentication import KeyHolder
from app.identity.limits.budget import Budget, BudgetState
from app.identity.members.sessions import FoundSession

if TYPE_CHECKING:  # commands of administrators load no engine
    from app.compute.jobs import JobSlot


@dataclass(slots=True)
class BudgetUse:
    """The budget of the current request, and what the request has used of it.

    ``counted_state`` is its state after the request was counted, ``read_state`` without counting;
    ``counted_requests`` is the sum of the costs so far.
    """

    budget: Budget
    cost: int = 0
    counted_state: BudgetState | None = None
    read_state: BudgetState | None = None
    counted_requests: int = 0


@dataclass(slots=True)
class JobDetails:
    """The engine job of the current request.

    ``label`` is a model, or what is computed, such as ``anomalies``; ``fallback_count`` is set with
    the result.
    """

    label: str
    point_count: int
    horizon: int | None = None
    fallback_count: int | None = None
    series_count: int = 1

    @property
    def has_fallback(self) -> bool | None:
        return None if self.fallback_count is None else self.fallback_count > 0


@dataclass(slots=True)
class RequestState:
    """The state of one request, in the order in which it is set.

    Attributes:
        started_at: The time of ``time.perf_counter`` at its start.
        request_id: Its id in logs and responses; set by `serving/common_headers.py`.
        budget_use: What it counts against, and counted; set by `callers/limiter.py`.
        was_key_sent: Whether a header has a key, valid or not; set by `callers/current_caller.py`.
        caller: The holder of a valid key; set by `callers/current_caller.py`.
        member: Who is signed in, on pages for members; set by `app/web/dashboard/access.py`.
        queue_slot: The slot of the engine's queue that it holds; set by `computing/engine_jobs.py`.
        mcp_id: The id of an agent's message; set by `dialects/mcp/routes.py`.
        is_relayed: Whether it has become a request to another endpoint; set by
            `dialects/mcp/relay.py`.
        job_details: What the log and the metrics show of its job; set by who computes it.
        field_at_fault: The field that its error names; set by `serving/error_response.py`.
    """

    started_at: float = field(default_factory=time.perf_counter)
    request_id: str = ""
    budget_use: BudgetUse | None = None
    was_key_sent: bool = False
    caller: KeyHolder | None = None
    member: FoundSession | None = None
    queue_slot: "JobSlot | None" = None
    mcp_id: Any = None
    is_relayed: bool = False
    job_details: JobDetails | None = None
    field_at_fault: str = ""


def begin_request_state() -> None:
    """Give the current request a new state.

    In tests, requests may share an application context.
    """
    g.request_state = RequestState()


def request_state() -> RequestState:
    if "request_state" not in g:  # before the first hook, or without hooks
        begin_request_state()
    return g.request_state
