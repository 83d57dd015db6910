"""``forecast-service members``: invite, list, change and remove people of the dashboard."""

import click

from app.core.database.engine import read_session, write_session
from app.core.environment import load_settings
from app.core.setting_parsers import parse_public_url
from app.identity.accounts import accounts
from app.identity.members import management
from app.identity.members.invitations import InvitationLink
from app.identity.members.models import Role
from app.ops.cli.actor import operator_actor
from app.ops.cli.groups import DatabaseGroup
from app.ops.cli.output import abort_if_unprinted, listed_row, print_rows
from app.ops.cli.parameters import ParsedText, json_option

_COLUMNS = ("id", "account", "email", "role", "has_password", "last_sign_in_at")
_ROLE = click.Choice([str(role) for role in Role])

_URL = ParsedText("url", parse_public_url)
_DEFAULT_URL = "http://127.0.0.1:8000"
# Local addresses of a service that listens on all addresses.
_REACHABLE_HOSTS = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "[::]": "[::1]"}

members = DatabaseGroup("members", help="People who sign in to the dashboard, under /account.")


@members.command("invite")
@click.argument("account")
@click.argument("email")
@click.option(
    "--role", type=_ROLE, help="Default: admin for an account's first member, else viewer."
)
@click.option(
    "--url",
    type=_URL,
    help="Public URL of the service, e.g. https://forecast.example.com. Default: PUBLIC_URL, "
    "else this machine, from BIND and PORT.",
)
@click.option("--quiet", is_flag=True, help="Print only the link, for scripts.")
def invite(account: str, email: str, role: str | None, url: str | None, quiet: bool) -> None:
    """Make EMAIL a member of ACCOUNT and print a link to choose a password.

    For an existing member, the link resets the password. Older links stop working.
    """
    with write_session() as session:
        chosen = None if role is None else Role(role)
        account_row = accounts.get_account(session, account)
        invited = management.invite_member(session, operator_actor(), account_row.id, email, chosen)
        with abort_if_unprinted():
            _print_link(invited, account, url, quiet)


def _print_link(invited: InvitationLink, account: str, url: str | None, quiet: bool) -> None:
    member = invited.member
    if not quiet:
        click.echo(f"{member.email} is {member.role} of {account}. Link to choose a password:")
    click.echo(invited.link(url or _default_url()))
    if not quiet:
        click.echo("The link works once, for 24 hours, and cannot be shown again.")
        if not url:
            click.echo(f"The link points to {_default_url()}; use --url for another address.")


def _default_url() -> str:
    settings = load_settings()
    if settings.public_url:
        return settings.public_url
    host, _, port = settings.listen_address.rpartition(":")
    return f"http://{_REACHABLE_HOSTS.get(host, host)}:{port}" if port.isdigit() else _DEFAULT_URL


@members.command("list")
@click.option("--account", help="Only this account's members.")
@json_option
def list_members(account: str | None, as_json: bool) -> None:
    """List members, who may sign in to the dashboard."""
    with read_session() as session:
        only = None if account is None else accounts.get_account(session, account).id
        rows = [
            listed_row(
                member,
                _COLUMNS,
                account=member.account.name,
                has_password=member.password_hash is not None,
            )
            for member in management.list_members(session, only)
        ]
    print_rows(rows, _COLUMNS, as_json)


@members.command("set-role")
@click.argument("account")
@click.argument("email")
@click.argument("role", type=_ROLE)
def set_role(account: str, email: str, role: str) -> None:
    """Make EMAIL of ACCOUNT an admin or a viewer: admins can change everything, viewers nothing."""
    with write_session() as session:
        account_row = accounts.get_account(session, account)
        member = management.get_member(session, account_row, email)
        management.set_role(session, operator_actor(), account_row.id, member.id, Role(role))
    click.echo(f"{member.email} is {role} of {account} now.")


@members.command("remove")
@click.argument("account")
@click.argument("email")
def remove(account: str, email: str) -> None:
    """Remove EMAIL from ACCOUNT and immediately end the member's sessions and links."""
    with write_session() as session:
        account_row = accounts.get_account(session, account)
        member = management.get_member(session, account_row, email)
        management.remove_member(session, operator_actor(), account_row.id, member.id)
    click.echo(f"{member.email} is no longer a member of {account}.")
