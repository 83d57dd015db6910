"""Whatever is in the way of a setup: one sentence that says what to do, and nothing half done."""

import errno
import fcntl
import re

import pytest
from click.testing import CliRunner

from app.ops.cli.setup import setup
from app.ops.privileges import SETTINGS_FILE
from app.ops.setup.certificate import certbot_problem
from app.ops.setup.machine import Machine, SetupError
from app.ops.setup.options import COMMAND, NODES_FILE, SITE, SetupOptions
from app.ops.setup.plan import set_up
from app.ops.setup.steps import LOCK_FILE
from tests.ops.setup.pretended import PretendedMachine, failure, success

NAME = "forecast.example.com"
ISSUED = SetupOptions(NAME, "admin@example.com")
OLD = 'PRETTY_NAME="Ubuntu 22.04.5 LTS"\nID=ubuntu\nVERSION_ID="22.04"\n'
FEDORA = 'PRETTY_NAME="Fedora Linux 42"\nID=fedora\nVERSION_ID=42\n'
NEWER = ['ID=debian\nVERSION_ID="13"\n', "ID=debian\n", 'ID=ubuntu\nVERSION_ID="24.04"\n']
# What certbot prints, shortened, and what the operator sees.
REJECTED = {
    "rate limit": (
        "urn:ietf:params:acme:error:rateLimited :: too many certificates (5) already issued for "
        "this exact set of domains in the last 168h0m0s",
        "wait an hour",
    ),
    "wrong name": (
        "urn:ietf:params:acme:error:rejectedIdentifier :: Cannot issue for "
        '"forecast.example.com": The ACME server refuses to issue a certificate',
        "send a public name that you own",
    ),
    "no record": (
        "Type: dns\nDetail: DNS problem: NXDOMAIN looking up A for forecast.example.com",
        "does not find forecast.example.com in the DNS yet",
    ),
    "another machine": (
        "Type: unauthorized\nDetail: 192.0.2.9: Invalid response from "
        "http://forecast.example.com/.well-known/acme-challenge/x: 404",
        "reaches another machine",
    ),
    "closed port": (
        "Type: connection\nDetail: 192.0.2.7: Fetching http://forecast.example.com/.well-known/"
        "acme-challenge/x: Timeout during connect (likely firewall problem)",
        "on port 80; open it",
    ),
    "no network": (
        "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='acme-v02.api.letsencrypt."
        "org', port=443): Max retries exceeded: [Errno 101] Network is unreachable",
        "cannot be reached from this machine",
    ),
    "no resolver": (
        "Failed to resolve 'acme-v02.api.letsencrypt.org' ([Errno -3] Temporary failure in name "
        "resolution)",
        "cannot be reached from this machine",
    ),
    "wrong clock": (
        "SSLError: certificate verify failed: certificate is not yet valid (_ssl.c:992)",
        "`timedatectl set-ntp true`",
    ),
    "private authority": (
        "SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify "
        "failed: unable to get local issuer certificate'))) Max retries exceeded",
        "does not trust the authority",
    ),
    "wrong email": (
        "urn:ietf:params:acme:error:invalidContact :: contact email has invalid domain",
        "rejects the address admin@example.com",
    ),
    "full disk": ("OSError: [Errno 28] No space left on device", "free space"),
    "two at once": ("Another instance of Certbot is already running.", "wait until it has ended"),
    "CAA": ("CAA record for forecast.example.com prevents issuance", "a CAA record"),
    "anything else": ("Detail: the moon is full\nAsk for help", "failed: the moon is full"),
    "no detail": (
        "Saving debug log to /var/log/letsencrypt/letsencrypt.log\nA strange thing happened.\nAsk "
        "for help or search for solutions at a forum. See the logfile for more details.\n",
        "certbot failed: A strange thing happened; /var/log/letsencrypt",
    ),
}


def problem_of_setup(machine: PretendedMachine, options: SetupOptions = ISSUED) -> str:
    """Run a setup that must fail and return what it says."""
    with pytest.raises(SetupError) as caught:
        set_up(machine, options, lambda _line: None, dry_run=False)
    return str(caught.value)


def problem_before_changes(machine: PretendedMachine, options: SetupOptions = ISSUED) -> str:
    """Run a setup that must fail before anything is changed and return what it says."""
    machine.path(LOCK_FILE).touch()
    before = machine.files()
    message = problem_of_setup(machine, options)
    assert machine.files() == before
    assert machine.changes() == []
    return message


def test_without_root_it_says_how_to_become_root(machine: PretendedMachine) -> None:
    machine.root_user = False
    assert "run `sudo forecast-service setup" in problem_before_changes(machine)


@pytest.mark.parametrize("release", [OLD, FEDORA])
def test_on_another_distribution_it_names_what_it_knows(
    machine: PretendedMachine, release: str
) -> None:
    machine.path("/etc/os-release").write_text(release)
    message = problem_before_changes(machine)
    assert re.findall('PRETTY_NAME="(.*)"', release)[0] in message
    assert "Debian 12 and 13 and Ubuntu 24.04" in message


@pytest.mark.parametrize("release", NEWER)
def test_newer_releases_of_what_it_knows_are_set_up(
    machine: PretendedMachine, release: str
) -> None:
    machine.path("/etc/os-release").write_text(release)
    set_up(machine, ISSUED, print, dry_run=False)


def test_without_systemd_it_says_where_to_look(machine: PretendedMachine) -> None:
    machine.path("/run/systemd/system").rmdir()
    assert "systemd does not run here" in problem_before_changes(machine)


def test_missing_programs_are_named_in_the_command_that_installs_them(
    machine: PretendedMachine,
) -> None:
    machine.programs -= {"nginx", "certbot"}
    assert "run `apt-get install --yes nginx certbot`" in problem_before_changes(machine)


def test_certbot_is_only_needed_for_an_authority(machine: PretendedMachine) -> None:
    machine.programs -= {"certbot"}
    set_up(machine, SetupOptions(NAME), print, dry_run=False)


def test_without_a_release_it_says_how_to_install_one(machine: PretendedMachine) -> None:
    machine.path("/opt/forecast-service/current").rmdir()
    assert "install the package, or run deploy/install.sh" in problem_before_changes(machine)


def test_a_wrong_clock_is_reported_before_a_certificate_is_made(machine: PretendedMachine) -> None:
    machine.clock = 0.0
    assert "`timedatectl set-ntp true`" in problem_before_changes(machine)


def test_a_full_disk_is_reported_before_anything_is_written(machine: PretendedMachine) -> None:
    machine.free = 2**20
    assert "free space" in problem_before_changes(machine)


def test_a_disk_that_fills_while_a_file_is_written_leaves_the_file_before(
    machine: PretendedMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_up(machine, SetupOptions(NAME), print, dry_run=False)
    before = machine.files()

    def write(place: str, *_others: object, **_options: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", place)

    monkeypatch.setattr(machine, "write", write)
    message = problem_of_setup(machine, SetupOptions("other.example.com"))
    assert message.startswith("settings: the disk is full; free space on it. Then run the same")
    assert machine.files() == before


@pytest.mark.parametrize(
    "line",
    ["Error: (sqlite3.OperationalError) database or disk is full", "No space left on device"],
)
def test_a_disk_that_fills_while_the_database_is_migrated_is_reported(
    machine: PretendedMachine, line: str
) -> None:
    machine.fails[f"{COMMAND} db upgrade"] = failure(line)
    message = problem_of_setup(machine)
    assert message.startswith("database: the database could not be migrated, and is as before")
    assert "free space on the disk" in message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("MAX_POINT=5", "line 1: MAX_POINT is not a setting; write MAX_POINTS"),
        ("MAX_POINTS=many", "line 1: MAX_POINTS: set a whole number"),
    ],
)
def test_a_mistake_in_the_settings_file_is_named_and_the_file_kept(
    machine: PretendedMachine, line: str, message: str
) -> None:
    file = machine.path(SETTINGS_FILE)
    file.parent.mkdir(parents=True)
    file.write_text(f"{line}\n")
    assert message in problem_of_setup(machine)
    assert file.read_text() == f"{line}\n"


@pytest.mark.parametrize("line", ["10.0.0.3", "10.0.0.3:8000;", "http:", "# 10.0.0.3:8000"])
def test_a_line_of_the_nodes_file_that_is_not_an_address_is_named(
    machine: PretendedMachine, line: str
) -> None:
    path = machine.path(NODES_FILE)
    path.parent.mkdir(parents=True)
    path.write_text(f"10.0.0.2:8000\n{line}\n")
    problem = f"{NODES_FILE} has {line.partition(' ')[0]!r}; write an address and port"
    assert problem_of_setup(machine).startswith(f"nginx: {problem}")


@pytest.mark.parametrize("port", [80, 443])
def test_a_port_that_is_taken_names_the_program(machine: PretendedMachine, port: int) -> None:
    listing = f'LISTEN 0 511 *:{port} *:* users:(("apache2",pid=77,fd=4),("apache2",pid=78,fd=4))\n'
    calls = iter([""] * (port == 443))
    machine.fails["ss"] = lambda: success(next(calls, listing))
    group = machine.path("/proc/77/cgroup")
    group.parent.mkdir(parents=True)
    group.write_text("0::/system.slice/apache2.service\n")
    message = problem_of_setup(machine)
    assert f"port {port} is taken by apache2 (process 77); stop it" in message
    assert "`systemctl disable --now apache2`" in message
    assert not machine.path(SITE).exists()


def test_a_program_without_a_unit_is_not_stopped_by_systemctl(machine: PretendedMachine) -> None:
    machine.fails["ss"] = success('LISTEN 0 9 *:80 *:* users:(("docker-proxy",pid=7,fd=4))\n')
    group = machine.path("/proc/7/cgroup")
    group.parent.mkdir(parents=True)
    group.write_text("0::/system.slice/docker.service\n")
    message = problem_of_setup(machine)
    assert "port 80 is taken by docker-proxy (process 7); stop it" in message
    assert "systemctl" not in message


def test_nginx_on_the_port_is_not_another_program(machine: PretendedMachine) -> None:
    machine.fails["ss"] = success('LISTEN 0 511 *:80 *:* users:(("nginx",pid=7,fd=4))\n')
    set_up(machine, ISSUED, print, dry_run=False)


def test_a_missing_dns_name_is_reported_and_https_works_meanwhile(
    machine: PretendedMachine,
) -> None:
    machine.dns = set()
    message = problem_of_setup(machine)
    assert f"{NAME} is not in the DNS yet; create an A record" in message
    assert f"/etc/forecast-service/tls/{NAME}/fullchain.pem" in machine.path(SITE).read_text()
    assert not [call for call in machine.calls if call[0] == "certbot"]  # no try is wasted
    machine.dns = {"192.0.2.7"}
    set_up(machine, ISSUED, print, dry_run=False)


def test_a_machine_with_ipv6_only_needs_an_aaaa_record(machine: PretendedMachine) -> None:
    machine.fails["hostname"] = success("2001:db8::5\n")
    assert "this machine has only IPv6 (2001:db8::5)" in problem_of_setup(machine)
    machine.dns = {"2001:db8::5"}
    set_up(machine, ISSUED, print, dry_run=False)


def test_a_machine_without_ipv6_says_what_nginx_lacks(machine: PretendedMachine) -> None:
    line = "nginx: [emerg] socket() [::]:80 failed (97: Address family not supported by protocol)"
    machine.fails["nginx -t"] = failure(line)
    assert "this machine has no IPv6" in problem_of_setup(machine)


@pytest.mark.parametrize("case", REJECTED)
def test_a_rejection_of_the_authority_says_what_to_do(case: str) -> None:
    message, problem = REJECTED[case]
    assert problem in certbot_problem(message, ISSUED)


def test_after_a_rejection_https_works_and_the_next_run_only_asks_again(
    machine: PretendedMachine,
) -> None:
    machine.fails["certbot"] = failure(REJECTED["rate limit"][0])
    message = problem_of_setup(machine)
    assert message.startswith("certificate: the authority rejects requests for now")
    assert f"/etc/forecast-service/tls/{NAME}/fullchain.pem" in machine.path(SITE).read_text()
    machine.fails.clear()
    machine.calls.clear()
    set_up(machine, ISSUED, print, dry_run=False)
    words = {line.split()[0] for line in machine.changes()}
    assert words == {"certbot", "nginx", "systemctl", COMMAND}


def test_two_concurrent_setups_are_one(machine: PretendedMachine) -> None:
    with machine.path(LOCK_FILE).open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "another setup is running" in problem_before_changes(machine)
    set_up(machine, ISSUED, print, dry_run=False)


def test_a_service_that_does_not_become_ready_says_where_the_reason_is(
    machine: PretendedMachine,
) -> None:
    machine.fails["curl --silent --fail"] = failure("")
    assert "`journalctl -u forecast-service -n 20` says why" in problem_of_setup(machine)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (SetupOptions("https://forecast.example.com/"), "send only the name"),
        (SetupOptions("Forecast_1"), "is not a name in the DNS"),
        (SetupOptions(f"{'x' * 64}.example.com"), "is not a name in the DNS"),
        (SetupOptions(NAME, "admin"), "'admin' is not an email address"),
        (SetupOptions("192.0.2.7", "admin@example.com"), "no authority certifies '192.0.2.7'"),
        (SetupOptions("localhost", "admin@example.com"), "no authority certifies 'localhost'"),
        (SetupOptions(NAME, acme_server="https://ca"), "--acme-server needs an email address"),
    ],
)
def test_a_name_or_address_that_cannot_be_used_changes_nothing(
    machine: PretendedMachine, options: SetupOptions, message: str
) -> None:
    assert message in problem_before_changes(machine, options)


def test_the_command_fails_in_one_line(
    machine: PretendedMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.ops.cli.setup.Machine", lambda: machine)
    machine.root_user = False
    done = CliRunner().invoke(setup, [NAME])
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: setup needs root")
    assert len(done.stderr.splitlines()) == 1


def test_without_a_name_the_command_asks_for_one(
    machine: PretendedMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.ops.cli.setup.Machine", lambda: machine)
    assert "send a name, such as" in CliRunner().invoke(setup, []).stderr
    assert CliRunner().invoke(setup, [NAME, "--account", "acme"]).exit_code == 0
    done = CliRunner().invoke(setup, [])
    assert (done.exit_code, done.stderr) == (0, "")


def test_a_firewall_that_does_not_open_is_left_to_the_operator(machine: PretendedMachine) -> None:
    machine.programs.add("ufw")
    machine.fails["ufw status"] = success("Status: active")
    machine.fails["ufw allow"] = failure("ERROR: problem running iptables\n")
    message = problem_of_setup(machine, SetupOptions(NAME, open_firewall=True))
    assert "leave out --open-firewall: ERROR: problem running iptables" in message


def test_programs_speak_the_language_in_which_their_output_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert Machine().run("printenv", "LC_ALL").stdout == "C.UTF-8\n"
