"""``forecast-service setup``: nginx, certificate, settings and a check, in one command."""

import os

import click

from app.ops.cli.groups import WrongOptionError
from app.ops.setup.machine import Machine, SetupError
from app.ops.setup.options import SetupOptions
from app.ops.setup.plan import last_site_name, render_site, set_up


@click.command("setup")
@click.argument("name", required=False)
@click.argument("email", default="")
@click.option("--account", default="", help="Create this account with its first key, shown once.")
@click.option("--acme-server", default="", help="Directory URL of another authority than usual.")
@click.option("--open-firewall", is_flag=True, help="Open ports 80 and 443 in ufw.")
@click.option("--only-site", is_flag=True, help="Only render nginx's site again.")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and change nothing.")
def setup(
    name: str | None,
    email: str,
    account: str,
    acme_server: str,
    *,
    open_firewall: bool,
    only_site: bool,
    dry_run: bool,
) -> None:
    """Set this machine up to serve under NAME, its name in the DNS.

    With EMAIL the certificate comes from Let's Encrypt, which writes there before it expires;
    without, it is self-signed. Repeated, the command changes nothing; after a failure it continues
    from there. NAME is by default that of the last setup.
    """
    machine = Machine()
    os.umask(0o022)  # nginx must be able to read what certbot writes
    try:
        if only_site:
            if name or account or dry_run:
                raise WrongOptionError("give --only-site on its own")
            render_site(machine, click.echo)
            return
        options = SetupOptions(
            name or last_site_name(machine), email, acme_server, account, open_firewall
        )
        key = set_up(machine, options, click.echo, dry_run=dry_run)
    except SetupError as error:
        raise click.ClickException(f"{error}.") from None
    if key:
        click.echo(f"The first key of {account}, shown only now:\n{key}")
