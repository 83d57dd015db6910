"""The steps of nginx: a self-signed certificate, the site, the firewall."""

import contextlib
import os
import re
from collections.abc import Iterator, Mapping

from app.ops.setup.checks import check_ports
from app.ops.setup.machine import Machine, SetupError
from app.ops.setup.options import (
    ACCESS_LOG,
    ACME_ROOT,
    NAME_FILE,
    NODES_FILE,
    SITE,
    TLS,
    SetupOptions,
    url_of,
)
from app.ops.setup.settings import read_settings
from app.ops.setup.steps import SetupStep

DEFAULT_SITE = "/etc/nginx/sites-enabled/default"
_SELF_SIGNED_DAYS = 3650
# A rule of `ufw status` that lets everybody in.
_ALLOWED = re.compile(r"^(Nginx Full|[\d,]+)(?:/tcp)? +ALLOW +Anywhere\b", re.MULTILINE)
LOG_OWNER = ("www-data", "adm")  # the owner in Debian's logrotate for nginx


def self_signed_step(machine: Machine, options: SetupOptions) -> SetupStep:
    """Return the step that creates a self-signed certificate, so that nginx can start."""
    folder = options.self_signed_certificate

    def check() -> str | None:
        for location, kind in ((options.real_certificate, "issued"), (folder, "self-signed")):
            if machine.path(f"{location}/fullchain.pem").exists():
                return f"{kind}, in {location}"
        return None

    def apply() -> str:
        for location in (TLS, folder):
            machine.path(location).mkdir(mode=0o700, parents=True, exist_ok=True)
        chain = machine.path(f"{folder}/fullchain.pem")
        new = chain.with_suffix(".new")
        kind = "IP" if options.is_address else "DNS"
        flags = "-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
        command = ["openssl", "req", *flags.split(), "-days", str(_SELF_SIGNED_DAYS)]
        command += ["-subj", f"/CN={options.name[:64]}"]
        command += ["-addext", f"subjectAltName={kind}:{options.name}"]
        command += ["-keyout", str(machine.path(f"{folder}/privkey.pem")), "-out", str(new)]
        machine.run_checked("no certificate could be made", *command)
        new.replace(chain)  # last: a chain without its key is not one
        return f"self-signed, in {folder}"

    return SetupStep("certificate", f"make a self-signed certificate in {folder}", check, apply)


def site_step(machine: Machine, options: SetupOptions) -> SetupStep:
    """Return the step that renders nginx's site, with the best certificate that exists."""
    path, default = machine.path(SITE), machine.path(DEFAULT_SITE)

    def check() -> str | None:
        if (
            not path.exists()
            or default.is_symlink()
            or path.read_text() != _render_site(machine, options)
        ):
            return None
        if not _is_log_private(machine):
            return None
        is_running = machine.run("systemctl", "is-active", "nginx").status == 0
        name_file = machine.path(NAME_FILE)
        is_named = name_file.exists() and name_file.read_text().strip() == options.name
        return f"{SITE} is up to date" if is_running and is_named else None

    def apply() -> str:
        check_ports(machine)
        machine.path(ACME_ROOT).mkdir(mode=0o755, parents=True, exist_ok=True)
        has_removed_default = _replace_site(machine, options)
        command = ("systemctl", "enable", "--quiet", "nginx")
        machine.run_checked("nginx could not be enabled", *command)
        problem = "nginx could not be started; `journalctl -u nginx -n 20` says why"
        machine.run_checked(problem, "systemctl", "reload-or-restart", "nginx")
        machine.write(NAME_FILE, options.name + "\n")
        removed = f"; removed {DEFAULT_SITE}, Debian's link to its own site"
        return f"{SITE} for {options.name}{removed if has_removed_default else ''}"

    aim = f"render {SITE}, remove Debian's default site, and reload nginx"
    return SetupStep("nginx", aim, check, apply)


def _replace_site(machine: Machine, options: SetupOptions) -> bool:
    """Write the site and remove Debian's default, or restore both if nginx rejects that.

    Returns:
        Whether the default was there.
    """
    path, default = machine.path(SITE), machine.path(DEFAULT_SITE)
    before = path.read_text() if path.exists() else None
    default_target = default.readlink() if default.is_symlink() else None
    if default_target is None and default.exists():
        raise SetupError(
            f"{DEFAULT_SITE} is a file, not Debian's link to its own site; move it to another "
            "folder, and run this again"
        )
    machine.make_log(ACCESS_LOG, *LOG_OWNER)  # nginx would make it readable to all users
    machine.write(SITE, _render_site(machine, options))
    default.unlink(missing_ok=True)
    tested = machine.run("nginx", "-t", "-q")
    if tested.status != 0:
        if before is None:
            path.unlink()
        else:
            machine.write(SITE, before)
        if default_target is not None:
            default.symlink_to(default_target)
        reason = _explain_failure(tested.message)
        raise SetupError(f"nginx rejects the new site; the one before was restored: {reason}")
    return default_target is not None


def _is_log_private(machine: Machine) -> bool:
    """Return whether the access log, which has clients' addresses, is as private as Debian's."""
    if not machine.path(ACCESS_LOG).exists():
        return False
    is_owned = machine.owner_of(ACCESS_LOG) == ":".join(LOG_OWNER)
    return is_owned and machine.mode_of(ACCESS_LOG) & 0o007 == 0


def _explain_failure(message: str) -> str:
    if "Address family not supported" in message:
        return f"{message} (this machine has no IPv6: enable it in its kernel, or render by hand)"
    return message


def _render_site(machine: Machine, options: SetupOptions) -> str:
    # Not with the module: it imports the whole service, which other commands do not need.
    from nginx.render import parse, render, service_endpoints

    has_real = machine.path(f"{options.real_certificate}/fullchain.pem").exists()
    folder = options.real_certificate if has_real else options.self_signed_certificate
    arguments = ["--server-name", url_of(options.name).removeprefix("https://")]
    arguments += ["--certificate", f"{folder}/fullchain.pem", "--key", f"{folder}/privkey.pem"]
    arguments += ["--access-log", ACCESS_LOG]
    arguments += [f"--upstream={address}" for address in _nodes(machine)]
    with _patch_environment(read_settings(machine)):  # on which the site depends
        return render(parse(arguments), service_endpoints())


def _nodes(machine: Machine) -> list[str]:
    """Return the addresses in `NODES_FILE`; none if there is only this machine."""
    path = machine.path(NODES_FILE)
    addresses = path.read_text().split() if path.exists() else []
    for address in addresses:
        if not re.fullmatch(r"unix:/[\w./-]+|[^;{}]+:[0-9]{1,5}", address):
            example = "an address and port a line, such as 10.0.0.3:8000"
            raise SetupError(f"{NODES_FILE} has {address!r}; write {example}")
    return addresses


@contextlib.contextmanager
def _patch_environment(values: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def firewall_step(machine: Machine, options: SetupOptions) -> SetupStep:
    """Return the step that opens the firewall, if requested."""
    opening = ("ufw", "allow", "80,443/tcp")

    def check() -> str | None:
        status = machine.run("ufw", "status").stdout if machine.has_program("ufw") else ""
        if "Status: active" not in status:
            return "ufw is not active; a firewall elsewhere must let ports 80 and 443 through"
        allowed = ",".join(match[1] for match in _ALLOWED.finditer(status))
        if {"80", "443"} <= set(allowed.replace("Nginx Full", "80,443").split(",")):
            return "ufw lets ports 80 and 443 through"
        if not options.open_firewall:
            return f"ufw is active and may close ports 80 and 443: run `{' '.join(opening)}`"
        return None

    def apply() -> str:
        problem = "ufw could not open ports 80 and 443; correct it, or leave out --open-firewall"
        machine.run_checked(problem, *opening)
        return "opened ports 80 and 443 in ufw"

    return SetupStep("firewall", "open ports 80 and 443 in ufw", check, apply)
