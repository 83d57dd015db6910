"""The complete setup: checks, steps in order, and the lock."""

from collections.abc import Callable

from app.ops.setup.certificate import certificate_step
from app.ops.setup.checks import check_machine
from app.ops.setup.machine import Machine, SetupError
from app.ops.setup.options import NAME_FILE, SetupOptions, validate_options
from app.ops.setup.service import account_step, database_step, units_step
from app.ops.setup.settings import settings_step, settings_warning, user_step
from app.ops.setup.site import firewall_step, self_signed_step, site_step
from app.ops.setup.smoke_check import smoke_check_step
from app.ops.setup.steps import SetupStep, lock_setup, run_steps

PrintLine = Callable[[str], None]


def set_up(machine: Machine, options: SetupOptions, print_line: PrintLine, *, dry_run: bool) -> str:
    """Set ``machine`` up; return the first key, empty if none was created.

    Raise SetupError if a check or a step fails; its message says what to do.
    """
    options = validate_options(options)
    check_machine(machine, options)
    changes = 0
    keys: list[str] = []

    def run(*steps: SetupStep) -> None:
        nonlocal changes
        changes += run_steps(steps, print_line, dry_run=dry_run)

    with lock_setup(machine):
        run(user_step(machine), settings_step(machine, options))
        if line := settings_warning(machine, options):
            print_line(f"{'warning:':13} {line}")
        run(database_step(machine), units_step(machine))
        run(self_signed_step(machine, options), site_step(machine, options))
        run(firewall_step(machine, options))
        if options.email:
            run(certificate_step(machine, options), site_step(machine, options))
        if options.account:
            run(account_step(machine, options.account, keys))
        try:
            run(smoke_check_step(machine, options, lambda: changes > 0, lambda: "".join(keys)))
        except SetupError as error:
            if keys:  # the key cannot be shown again
                raise SetupError(f"{error}. The first key is {keys[0]}") from None
            raise
    return "".join(keys)


def render_site(machine: Machine, print_line: PrintLine) -> None:
    """Render nginx's site again for the name of the last setup.

    Raise SetupError if there was no setup, or nginx rejects the site.
    """
    if not machine.is_root():
        raise SetupError("setup needs root; run `sudo forecast-service setup --only-site`")
    with lock_setup(machine):
        run_steps(
            [site_step(machine, SetupOptions(last_site_name(machine)))], print_line, dry_run=False
        )


def last_site_name(machine: Machine) -> str:
    """Return the name of the last setup; raise SetupError if there was none."""
    path = machine.path(NAME_FILE)
    if not path.exists():
        raise SetupError("send a name, such as `forecast-service setup forecast.example.com`")
    return path.read_text().strip()
