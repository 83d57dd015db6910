"""The last step: request a forecast from this machine, over HTTPS by its public name."""

import json
from collections.abc import Callable

from app.ops.setup.machine import Machine, SetupError
from app.ops.setup.options import COMMAND, SetupOptions, url_of
from app.ops.setup.service import is_database_newer
from app.ops.setup.steps import SetupStep

# Contains the name for which a forecast has succeeded.
_MARKER_FILE = "/etc/forecast-service/checked"
_MAX_TRIES = 20
_PAUSE_SECONDS = 0.5  # nginx reloads in the background


def smoke_check_step(
    machine: Machine,
    options: SetupOptions,
    has_changed: Callable[[], bool],
    first_key: Callable[[], str],
) -> SetupStep:
    """Return the step that requests a forecast, or only the health if nothing has changed.

    ``has_changed`` returns whether an earlier step has changed anything, ``first_key`` the key that
    an earlier step has created, empty if none.
    """
    url = url_of(options.name)
    marker = machine.path(_MARKER_FILE)

    def check() -> str | None:
        is_checked = marker.exists() and marker.read_text().strip() == options.name
        needs_forecast = has_changed() or not is_checked
        can_have_key = not needs_forecast or first_key() or not is_database_newer(machine)
        if needs_forecast and can_have_key:
            return None
        _fetch(machine, options, f"{url}/readyz")
        reason = "" if can_have_key else "; no key for a forecast, as the database is newer"
        return f"{url} is ready{reason}"

    def apply() -> str:
        key = first_key() or _temporary_key(machine)
        steps = _forecast(machine, options, url, key)
        machine.write(_MARKER_FILE, options.name + "\n")
        return f"{url} forecasts: {steps} steps"

    return SetupStep("forecast", f"ask {url} for a forecast", check, apply)


def _temporary_key(machine: Machine) -> str:
    arguments = ("keys", "create", "--permissions", "read", "--label", "check of the setup")
    problem = "no key for the check could be created"
    options = ("--expires-in", "5m", "--quiet")
    return machine.run_checked(problem, COMMAND, *arguments, *options).strip()


def _forecast(machine: Machine, options: SetupOptions, url: str, key: str) -> int:
    from app.api.examples.recorded import REQUEST

    # The key is passed on stdin: command lines are visible to all users of the machine.
    config = f'header = "Authorization: Bearer {key}"\nheader = "Content-Type: application/json"\n'
    config += f"data = {json.dumps(json.dumps(REQUEST))}\n"
    output = _fetch(machine, options, f"{url}/forecast", "--config", "-", stdin=config)
    try:
        return len(json.loads(output)["median"])
    except (ValueError, KeyError):
        raise SetupError(
            f"{url}/forecast does not respond with a forecast: {output[:200]}"
        ) from None


def _fetch(
    machine: Machine, options: SetupOptions, url: str, *curl_options: str, stdin: str = ""
) -> str:
    """Return the response of the service, requested by its name from this machine."""
    chain = f"{options.real_certificate}/chain.pem"
    if not machine.path(chain).exists():
        chain = f"{options.self_signed_certificate}/fullchain.pem"
    command = (
        "curl", "--silent", "--show-error", "--fail-with-body", "--max-time", "60",
        "--noproxy", "*", "--connect-to", "::127.0.0.1:443",
        "--cacert", str(machine.path(chain)), *curl_options, url,
    )  # fmt: skip
    result = machine.run(*command, stdin=stdin)
    for _ in range(_MAX_TRIES):
        if result.status == 0:
            break
        machine.wait(_PAUSE_SECONDS)
        result = machine.run(*command, stdin=stdin)
    if result.status != 0:
        reason = (result.stderr.strip().splitlines() or ["no response"])[0]
        raise SetupError(f"{url} does not work: {reason}; {_remedy(reason)}")
    return result.stdout


def _remedy(output: str) -> str:
    if "expired" in output or "not yet valid" in output:
        return "look at the clock with `date`, and run `certbot renew`"
    return "`journalctl -u forecast-service -n 20` and /var/log/nginx/error.log say why"
