"""Check the machine before anything is changed on it."""

import ipaddress
import re
from pathlib import Path

from app.core.memory_units import MEBIBYTE
from app.ops.setup.machine import Machine, SetupError
from app.ops.setup.options import CODE, DATA, SetupOptions
from app.timeseries.seconds import DAY_SECONDS

_PROGRAMS = ("nginx", "openssl", "curl")
# The releases that are tested; later ones are accepted.
_VERSIONS = {"debian": ("12", "13"), "ubuntu": ("24.04",)}
_MIN_FREE_BYTES = 200 * MEBIBYTE
_BY_HAND = "docs/running/by-hand.md has the steps; the container runs anywhere"


def check_machine(machine: Machine, options: SetupOptions) -> None:
    """Raise SetupError if the machine cannot be set up as it is."""
    if not machine.is_root():
        raise SetupError("setup needs root; run `sudo forecast-service setup …`")
    _check_distribution(machine)
    programs = (*_PROGRAMS, *(["certbot"] if options.email else []))
    missing = [program for program in programs if not machine.has_program(program)]
    if missing:
        names = " ".join(missing)
        raise SetupError(f"{names} not installed; run `apt-get install --yes {names}`")
    if not machine.path(CODE).exists():
        raise SetupError(
            f"no release is installed in {CODE}; install the package, or run deploy/install.sh in "
            "a checkout"
        )
    if machine.free_bytes(DATA) < _MIN_FREE_BYTES:
        raise SetupError(
            f"the disk of {DATA} has less than {_MIN_FREE_BYTES // MEBIBYTE} MiB left; free space "
            "on it"
        )
    # A certificate is valid from the time of the clock.
    if machine.now() < Path(__file__).stat().st_mtime - DAY_SECONDS:
        raise SetupError(
            "the clock is wrong: this release was installed later than it says; run "
            "`timedatectl set-ntp true`, and look at it with `date`"
        )


def _check_distribution(machine: Machine) -> None:
    file = machine.path("/etc/os-release")
    release = dict(
        re.findall(r'^(\w+)="?(.*?)"?$', file.read_text() if file.exists() else "", re.MULTILINE)
    )
    versions = _VERSIONS.get(release.get("ID", ""))
    version = re.match(r"\d+(\.\d+)?", release.get("VERSION_ID", ""))
    # Debian's next release has no number yet.
    if versions is None or (version and float(version[0]) < float(versions[0])):
        name = release.get("PRETTY_NAME", "this system")
        tested = " and ".join(
            f"{system.title()} {' and '.join(numbers)}" for system, numbers in _VERSIONS.items()
        )
        raise SetupError(f"setup knows {tested}, and this is {name}; {_BY_HAND}")
    if not machine.path("/run/systemd/system").exists():
        raise SetupError(f"systemd does not run here; {_BY_HAND}")


def check_ports(machine: Machine) -> None:
    """Raise SetupError if a program other than nginx listens on port 80 or 443."""
    for port in (80, 443):
        result = machine.run("ss", "--no-header", "-ltnp", f"sport = :{port}")
        users = set(re.findall(r'\("([^"]+)",pid=([0-9]+)', result.stdout))
        others = sorted((name, pid) for name, pid in users if name not in ("nginx", "systemd"))
        if others:
            name, pid = others[0]
            remedy = f": `systemctl disable --now {name}`" if _is_unit(machine, name, pid) else ""
            raise SetupError(f"port {port} is taken by {name} (process {pid}); stop it{remedy}")


def _is_unit(machine: Machine, name: str, pid: str) -> bool:
    """Return whether the process runs in the systemd unit with the name of its program."""
    group = machine.path(f"/proc/{pid}/cgroup")
    return group.exists() and group.read_text().rstrip().endswith(f"/{name}.service")


def check_name(machine: Machine, options: SetupOptions) -> None:
    """Raise SetupError if an authority cannot reach this machine by its name."""
    name = options.name
    resolved = {ipaddress.ip_address(address) for address in machine.addresses_of(name)}
    if not resolved:
        raise SetupError(
            f"{name} is not in the DNS yet; create an A record (AAAA for IPv6) with this machine's "
            f"address, and wait until `getent ahosts {name}` shows it; until then the service has "
            "a self-signed certificate"
        )
    machine_addresses = machine.run("hostname", "--all-ip-addresses").stdout.split()
    machine_ips = {ipaddress.ip_address(address) for address in machine_addresses}
    reachable = {address.version for address in machine_ips if not address.is_link_local}
    if reachable == {6} and all(
        address.version == 4 and not address.is_loopback for address in resolved
    ):
        addresses = ", ".join(sorted(map(str, machine_ips)))
        raise SetupError(
            f"this machine has only IPv6 ({addresses}), and {name} has only IPv4; "
            "create an AAAA record"
        )
