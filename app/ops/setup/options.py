"""The options of the setup, and the paths on the machine."""

import ipaddress
import re
from dataclasses import dataclass

from app.ops.setup.machine import SetupError

CODE = "/opt/forecast-service/current"
COMMAND = f"{CODE}/.venv/bin/forecast-service"
DATA, BACKUPS = "/var/lib/forecast-service", "/var/backups/forecast-service"
TLS = "/etc/forecast-service/tls"
NAME_FILE = "/etc/forecast-service/site"  # contains the name of the last setup
# Contains the addresses of all nodes behind nginx, one per line; without it, only this node.
NODES_FILE = "/etc/forecast-service/nodes"
SITE = "/etc/nginx/conf.d/forecast-service.conf"
ACCESS_LOG = "/var/log/nginx/forecast-service.access.log"
ACME_ROOT = "/var/www/acme"
SOCKET = "/run/forecast-service/gunicorn.sock"
BACKUP_TIMER = "forecast-service-backup.timer"

_LABEL = r"(?!-)[a-z0-9-]{1,63}(?<!-)"


@dataclass(frozen=True)
class SetupOptions:
    """The validated options of the setup.

    Attributes:
        name: The name in the DNS, or an address, under which clients reach the service.
        email: For the certificate authority; empty for a self-signed certificate.
        acme_server: The directory of another authority than Let's Encrypt; may be empty.
        account: An account to create, with its first key; may be empty.
        open_firewall: Whether ports 80 and 443 are opened in ufw.
    """

    name: str
    email: str = ""
    acme_server: str = ""
    account: str = ""
    open_firewall: bool = False

    @property
    def is_address(self) -> bool:
        try:
            ipaddress.ip_address(self.name)
        except ValueError:
            return False
        return True

    @property
    def real_certificate(self) -> str:
        """The folder of the authority's certificate."""
        return f"/etc/letsencrypt/live/{self.name}"

    @property
    def self_signed_certificate(self) -> str:
        return f"{TLS}/{self.name}"


def url_of(name: str) -> str:
    """Return the URL of the service under a name or an address."""
    return f"https://[{name}]" if ":" in name else f"https://{name}"


def validate_options(options: SetupOptions) -> SetupOptions:
    """Return ``options``, or raise SetupError with a message that says what to send."""
    if "://" in options.name or "/" in options.name:
        raise SetupError(f"send only the name of {options.name!r}, such as forecast.example.com")
    if not options.is_address and not re.fullmatch(rf"{_LABEL}(\.{_LABEL})*", options.name):
        raise SetupError(
            f"{options.name!r} is not a name in the DNS; send one such as forecast.example.com, in "
            "lower case"
        )
    if options.email and not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s.]+", options.email):
        raise SetupError(f"{options.email!r} is not an email address; send one, or leave it out")
    if options.email and (options.is_address or "." not in options.name):
        raise SetupError(
            f"no authority certifies {options.name!r}; send a name such as forecast.example.com, "
            "or leave the email address out for a self-signed certificate"
        )
    if options.acme_server and not options.email:
        raise SetupError("--acme-server needs an email address after the name")
    return options
