"""Identify the caller before every request: look up the key and set its budget.

A request without a valid key counts against the budget of its address, even on unknown paths. A
request for a page, or for a public endpoint without a key, counts against the page budget of its
address.
"""

from flask import current_app, request

from app.api.callers.addresses import caller_address, caller_network
from app.api.callers.limiter import count_request, read_budget_from_memory, set_budget
from app.api.endpoints.dialect import dialect_of
from app.api.endpoints.endpoint import current_endpoint
from app.api.errors.api_error import ApiError
from app.api.request_state import request_state
from app.api.service import current_settings
from app.identity.accounts.audit import Actor
from app.identity.accounts.authentication import KeyHolder, authenticate
from app.identity.limits.budget import address_budget, key_budget, page_budget

BEARER_HEADER = "Authorization"
# The WSGI variable of a relayed request with the holder of the key, who is known (`relay.py`).
RELAYED_HOLDER = "forecast_service.holder"


def identify_address() -> None:
    """Start with the budget of the caller's address; a valid key replaces it later."""
    set_budget(address_budget(caller_network(), current_settings().anonymous_per_minute))


def identify_caller() -> None:
    """Identify the caller; an unknown one that exceeds the budget of its address gets 429."""
    if request.blueprint in current_app.config["UNCOUNTED_BLUEPRINTS"]:
        read_budget_from_memory()
        return
    is_call = current_endpoint() is not None
    request_state().was_key_sent = any(name in request.headers for name in _key_headers())
    is_page = request.blueprint in current_app.config["PAGE_BLUEPRINTS"]
    if is_page or is_anonymous_call():
        set_budget(page_budget(caller_network(), current_settings().pages_per_minute))
        if is_page:  # an endpoint counts a call itself, by its size
            count_request()
        return
    holder: KeyHolder | None = request.environ.get(RELAYED_HOLDER)
    keys = set() if holder else _sent_keys()
    # Two different keys are not looked up: a revoked one could be hidden by the other.
    if len(keys) == 1:
        holder = authenticate(keys.pop(), is_counted=is_call)
    if holder is not None:
        request_state().caller = holder
        set_budget(
            key_budget(
                lineage=holder.lineage,
                permissions=holder.permissions,
                account_id=holder.account_id,
                tier=holder.tier,
                custom_limits=holder.custom_limits,
            )
        )
    else:
        count_request()


def is_anonymous_call() -> bool:
    """Return whether the current request has no key and its endpoint needs none."""
    endpoint = current_endpoint()
    is_public = endpoint is not None and endpoint.is_public and current_settings().public_docs
    return is_public and not request_state().was_key_sent


def bearer_key(header: str) -> str | None:
    """Return the key of an Authorization header, or None if it has another form."""
    scheme, _, key = header.partition(" ")
    return key.strip() if scheme.lower() == "bearer" else None


def current_caller() -> KeyHolder:
    """Return the holder of the current request's key; raise the 401 when there is none."""
    if (holder := request_state().caller) is None:
        raise unauthorized_error()
    return holder


def current_actor() -> Actor:
    """Return the caller as the actor of a change, for the audit trail."""
    caller = current_caller()
    return Actor(key_id=caller.key_id, prefix=caller.prefix, address=caller_address())


def unauthorized_error() -> ApiError:
    """Return the 401, the same for a missing, malformed, unknown, expired or revoked key.

    It says so if two different keys were sent, whether or not one of them is valid.
    """
    header = _key_headers()[0]
    if len(_sent_keys()) > 1:
        issue = f"{header} and Authorization have different keys; send one key, in {header}"
    elif header == BEARER_HEADER:
        issue = (
            "the header Authorization does not hold a valid key; send Bearer, a space and a key, "
            "which is ak_ and 64 hexadecimal characters"
        )
    else:
        issue = (
            f"neither {header} nor Authorization holds a valid key; send one, which is ak_ and 64 "
            f"hexadecimal characters, in {header}"
        )
    return ApiError(
        401, "API key is missing, invalid or expired", issue, headers={"WWW-Authenticate": "Bearer"}
    )


def _sent_keys() -> set[str]:
    values = {name: request.headers.get(name, "") for name in _key_headers()}
    keys = {
        bearer_key(value) if name == BEARER_HEADER else value.strip()
        for name, value in values.items()
    }
    return {key for key in keys if key}


def _key_headers() -> list[str]:
    """Return the headers that may carry the key of the current request, the preferred one first."""
    dialect = dialect_of(request.path)
    return list(dict.fromkeys([dialect.key_header if dialect else BEARER_HEADER, BEARER_HEADER]))
