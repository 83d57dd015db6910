"""``flask members``: invite, list, change and remove the people who sign in to the dashboard."""

import click

from app.accounts import accounts
from app.accounts.transaction import transaction
from app.cli.actor import operator
from app.cli.output import print_rows, time_text
from app.cli.parameters import OneLineGroup
from app.members import management
from app.members.models import Role
from app.settings import load_settings

COLUMNS = ("id", "account", "email", "role", "has_password", "last_sign_in_at")
ROLE = click.Choice([str(role) for role in Role])

USUAL_URL = "http://127.0.0.1:8000"
REACHED_BY = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "[::]": "[::1]"}
"""Where a service answers that listens on every address."""

members = OneLineGroup("members", help="People who sign in to the dashboard, under /account.")


@members.command("invite")
@click.argument("account")
@click.argument("email")
@click.option("--role", type=ROLE, help="Default: admin for an account's first member, or viewer.")
@click.option(
    "--url",
    help="Where the service is reached, e.g. https://forecast.example.com. By default this "
    "machine, as BIND and PORT say.",
)
@click.option("--quiet", is_flag=True, help="Print the link alone, for scripts.")
def invite(account: str, email: str, role: str | None, url: str | None, quiet: bool) -> None:
    """Make a link by which EMAIL, a member of ACCOUNT from now on, chooses a password.

    For a member there is, it is the way to a new password; older links end.
    """
    with transaction() as session:
        chosen = None if role is None else Role(role)
        owner = accounts.find_account(session, account)
        invited = management.invite(session, operator(), owner.id, email, chosen)
        member = invited.member
    if not quiet:
        click.echo(f"{member.email} is {member.role} of {account} and chooses a password here:")
    click.echo(invited.link(url or _own_url()))
    if not quiet:
        click.echo("The link works once, for 24 hours, and cannot be shown again.")
        if not url:
            click.echo(f"{_own_url()} is the default; --url changes it.")


def _own_url() -> str:
    """Return where the service of this machine listens, as it is reached from here."""
    host, _, port = load_settings().listen_address.rpartition(":")
    return f"http://{REACHED_BY.get(host, host)}:{port}" if port.isdigit() else USUAL_URL


@members.command("list")
@click.option("--account", help="Only this account's members.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def list_members(account: str | None, as_json: bool) -> None:
    """List who may sign in."""
    with transaction() as session:
        only = None if account is None else accounts.find_account(session, account).id
        rows = [
            {
                "id": member.id,
                "account": member.account.name,
                "email": member.email,
                "role": member.role,
                "has_password": member.password_hash is not None,
                "last_sign_in_at": time_text(member.last_sign_in_at),
            }
            for member in management.list_members(session, only)
        ]
    print_rows(rows, COLUMNS, as_json)


@members.command("set-role")
@click.argument("account")
@click.argument("email")
@click.argument("role", type=ROLE)
def set_role(account: str, email: str, role: str) -> None:
    """Make EMAIL of ACCOUNT admin or viewer; an admin changes everything, a viewer nothing."""
    with transaction() as session:
        owner = accounts.find_account(session, account)
        member = management.find_member(session, owner, email)
        management.set_role(session, operator(), owner.id, member.id, Role(role))
    click.echo(f"{member.email} is {role} of {account} now.")


@members.command("remove")
@click.argument("account")
@click.argument("email")
def remove(account: str, email: str) -> None:
    """Remove EMAIL from ACCOUNT, and end every session and link of this member at once."""
    with transaction() as session:
        owner = accounts.find_account(session, account)
        member = management.find_member(session, owner, email)
        management.remove(session, operator(), owner.id, member.id)
    click.echo(f"{member.email} is no member of {account} any more.")
