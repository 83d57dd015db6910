"""`forecast-service setup`: what a machine has afterwards, and what a second run does."""

import functools

import pytest
from cryptography import x509

from app.ops.privileges import SETTINGS_FILE
from app.ops.setup.machine import Machine, SetupError
from app.ops.setup.options import ACME_ROOT, COMMAND, NAME_FILE, NODES_FILE, SITE, SetupOptions
from app.ops.setup.plan import render_site, set_up
from app.ops.setup.settings import read_settings
from app.ops.systemd_units import SERVICE_UNIT
from tests.ops.setup.pretended import KEY, PretendedMachine, failure, set_change_time, success

NAME = "forecast.example.com"
SELF_SIGNED = SetupOptions(NAME)
ISSUED = SetupOptions(NAME, "admin@example.com")
STEPS = {
    "useradd": "user",
    f"{COMMAND} db upgrade": "database",
    "systemctl restart forecast-service.service": "service",
    "openssl": "certificate",
    "systemctl reload-or-restart nginx": "nginx",
    "certbot": "certificate",
    f"{COMMAND} accounts create": "account",
    "curl --silent --show-error --fail-with-body": "forecast",
}


def run(
    machine: PretendedMachine, options: SetupOptions = SELF_SIGNED, dry_run: bool = False
) -> list[str]:
    """Run the setup and return the lines that it prints."""
    lines: list[str] = []
    set_up(machine, options, lines.append, dry_run=dry_run)
    return lines


def test_each_step_says_in_a_line_what_it_did(machine: PretendedMachine) -> None:
    lines = run(machine, ISSUED)
    assert [line.partition(":")[0] for line in lines] == [
        "user", "settings", "database", "service", "certificate", "nginx", "firewall",
        "certificate", "nginx", "forecast",
    ]  # fmt: skip
    assert lines[-1] == f"forecast:     https://{NAME} forecasts: 3 steps"


def test_the_settings_file_is_readable_only_by_the_service(machine: PretendedMachine) -> None:
    run(machine)
    file = machine.path(SETTINGS_FILE)
    assert file.stat().st_mode & 0o777 == 0o640
    assert machine.owners[SETTINGS_FILE] == "root:forecast-service"
    values = read_settings(machine)
    assert values["TRUSTED_PROXIES"] == "1"
    assert values["PUBLIC_URL"] == f"https://{NAME}"
    assert len(values["SECRETS_KEY"]) == 44


def test_settings_of_the_operator_are_kept_and_missing_ones_added(
    machine: PretendedMachine,
) -> None:
    file = machine.path(SETTINGS_FILE)
    file.parent.mkdir(parents=True)
    own = "# ours\nDATABASE_URL=postgresql://u@/f\nSECRETS_KEY=\nMAX_BODY_BYTES=2048"
    file.write_text(own)
    run(machine)
    text = file.read_text()
    assert text.startswith("# ours\nDATABASE_URL=postgresql://u@/f\nMAX_BODY_BYTES=2048\n")
    assert text.count("SECRETS_KEY=") == 1
    assert read_settings(machine)["SECRETS_KEY"] != ""
    assert "client_max_body_size    2048;" in machine.path(SITE).read_text()


def test_the_site_is_the_projects_own_and_has_the_certificate_that_is_there(
    machine: PretendedMachine,
) -> None:
    run(machine)
    site = machine.path(SITE).read_text()
    assert f"server_name {NAME};" in site
    assert f"/etc/forecast-service/tls/{NAME}/fullchain.pem" in site
    assert not machine.path("/etc/nginx/sites-enabled/default").is_symlink()
    run(machine, ISSUED)
    assert f"/etc/letsencrypt/live/{NAME}/fullchain.pem" in machine.path(SITE).read_text()
    assert machine.path(ACME_ROOT).stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("options", [SELF_SIGNED, ISSUED], ids=["self-signed", "issued"])
def test_a_second_run_changes_nothing(machine: PretendedMachine, options: SetupOptions) -> None:
    run(machine, options)
    before = machine.files()
    machine.calls.clear()
    lines = run(machine, options)
    assert machine.files() == before
    assert machine.changes() == []
    assert lines[-1] == f"forecast:     https://{NAME} is ready"


def test_a_dry_run_changes_nothing_and_says_what_would_be_done(machine: PretendedMachine) -> None:
    before = machine.files()
    lines = run(machine, ISSUED, dry_run=True)
    machine.path("/run/forecast-service-setup.lock").unlink()
    assert machine.files() == before
    assert machine.changes() == []
    assert sum(" would " in line for line in lines) == len(lines) - 1
    assert "certificate:  would ask an authority" in "\n".join(lines)


@pytest.mark.parametrize("program", STEPS)
def test_after_a_failure_the_same_command_continues(
    machine: PretendedMachine, program: str
) -> None:
    options = SetupOptions(NAME, "admin@example.com", account="acme")
    machine.fails[program] = failure("the reason\n")
    with pytest.raises(SetupError, match=f"^{STEPS[program]}: .*the reason.* run the same command"):
        run(machine, options)
    machine.fails.clear()
    lines = run(machine, options)
    assert lines[-1] == f"forecast:     https://{NAME} forecasts: 3 steps"
    assert f"/etc/letsencrypt/live/{NAME}" in machine.path(SITE).read_text()
    assert machine.accounts["acme"] == 1
    machine.calls.clear()
    run(machine, options)
    assert machine.changes() == []


def test_the_first_key_is_returned_once_and_checks_the_service(machine: PretendedMachine) -> None:
    options = SetupOptions(NAME, account="acme")
    lines: list[str] = []
    assert set_up(machine, options, lines.append, dry_run=False) == KEY
    assert f"Bearer {KEY}" in "".join(machine.sent)
    assert KEY not in " ".join(word for words in machine.calls for word in words)
    assert KEY not in "\n".join(lines)
    assert set_up(machine, options, lines.append, dry_run=False) == ""
    assert machine.accounts == {"default": 0, "acme": 1}


def test_a_key_is_not_lost_with_a_check_that_fails(machine: PretendedMachine) -> None:
    machine.fails["curl --silent --show-error --fail-with-body"] = failure("curl: 502")
    with pytest.raises(SetupError, match=KEY):
        set_up(machine, SetupOptions(NAME, account="acme"), print, dry_run=False)


def test_a_change_of_settings_restarts_the_service_and_renders_the_site(
    machine: PretendedMachine,
) -> None:
    run(machine)
    with machine.path(SETTINGS_FILE).open("a") as file:
        file.write("MAX_BODY_BYTES=4096\n")
    set_change_time(machine, SETTINGS_FILE, 60)
    machine.calls.clear()
    lines = run(machine)
    assert ("systemctl", "restart", SERVICE_UNIT) in machine.calls
    assert "client_max_body_size    4096;" in machine.path(SITE).read_text()
    assert lines[-1].endswith("forecasts: 3 steps")


def test_another_name_moves_the_site_and_the_links(machine: PretendedMachine) -> None:
    run(machine)
    run(machine, SetupOptions("other.example.com"))
    assert "server_name other.example.com;" in machine.path(SITE).read_text()
    assert read_settings(machine)["PUBLIC_URL"] == "https://other.example.com"
    assert machine.path(NAME_FILE).read_text() == "other.example.com\n"


def test_links_that_lead_to_another_name_are_a_warning(machine: PretendedMachine) -> None:
    assert "warning:" not in "\n".join(run(machine))
    file = machine.path(SETTINGS_FILE)
    file.write_text(file.read_text().replace(f"https://{NAME}", "https://old.example.com"))
    (line,) = [line for line in run(machine) if line.startswith("warning:")]
    assert line.endswith(f"is https://old.example.com: links lead there, not to https://{NAME}")


def test_an_upgrade_renders_the_site_for_the_same_name(machine: PretendedMachine) -> None:
    run(machine)
    site = machine.path(SITE).read_text()
    machine.path(SITE).write_text("# of the release before\n")
    machine.calls.clear()
    render_site(machine, print)
    assert machine.path(SITE).read_text() == site
    assert ("systemctl", "reload-or-restart", "nginx") in machine.calls


def test_all_nodes_of_the_file_are_behind_nginx_also_after_an_upgrade(
    machine: PretendedMachine,
) -> None:
    nodes = ["unix:/run/forecast-service/gunicorn.sock", "10.0.0.3:8000", "[fd00::4]:8000"]
    run(machine)
    machine.path(NODES_FILE).write_text("\n".join(nodes) + "\n")
    run(machine)
    site = machine.path(SITE).read_text()
    assert all(f"server {node} max_fails=3" in site for node in nodes)
    machine.path(SITE).write_text("# of the release before\n")
    render_site(machine, print)
    assert machine.path(SITE).read_text() == site
    machine.path(NODES_FILE).unlink()
    run(machine)
    assert "10.0.0.3" not in machine.path(SITE).read_text()


def test_a_site_that_nginx_rejects_is_rolled_back(machine: PretendedMachine) -> None:
    run(machine)
    machine.path(SITE).write_text("# by hand\n")
    machine.fails["nginx -t"] = failure("[emerg] unknown directive\n")
    with pytest.raises(SetupError, match=r"rejects the new site; .* restored: .*unknown"):
        run(machine)
    assert machine.path(SITE).read_text() == "# by hand\n"


@pytest.mark.parametrize(
    ("status", "asked", "message", "opened"),
    [
        ("Status: active\n22/tcp ALLOW", False, "run `ufw allow 80,443/tcp`", False),
        ("Status: active\n22/tcp ALLOW", True, "opened", True),
        *(
            (f"Status: active\n{rules}", True, "lets ports 80 and 443 through", False)
            for rules in (
                "80,443/tcp                 ALLOW       Anywhere",
                "443                        ALLOW       Anywhere\n80/tcp   ALLOW   Anywhere",
                "Nginx Full                 ALLOW       Anywhere",
            )
        ),
        *(
            (f"Status: active\n{rules}", True, "opened", True)
            for rules in (
                "8443/tcp                   ALLOW       Anywhere\n8080/tcp   ALLOW   Anywhere",
                "443/tcp                    DENY        Anywhere\n80/tcp   ALLOW   Anywhere",
                "80,443/tcp                 ALLOW       10.0.0.0/8",
            )
        ),
        ("Status: inactive", True, "not active", False),
    ],
)
def test_the_firewall_is_opened_only_if_that_is_asked(
    machine: PretendedMachine, status: str, asked: bool, message: str, opened: bool
) -> None:
    machine.programs.add("ufw")
    machine.fails["ufw status"] = success(status)
    lines = run(machine, SetupOptions(NAME, open_firewall=asked))
    (line,) = [line for line in lines if line.startswith("firewall")]
    assert message in line
    assert (("ufw", "allow", "80,443/tcp") in machine.calls) == opened


def test_another_authority_is_asked_where_its_address_is_given(machine: PretendedMachine) -> None:
    server = "https://localhost:14000/dir"
    run(machine, SetupOptions(NAME, "admin@example.com", acme_server=server))
    (call,) = [call for call in machine.calls if call[0] == "certbot"]
    assert call[call.index("--server") + 1] == server


def test_openssl_makes_a_certificate_of_the_name(
    machine: PretendedMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        machine, "_openssl", functools.partial(Machine().run, "openssl"), raising=True
    )
    run(machine)
    folder = machine.path(SELF_SIGNED.self_signed_certificate)
    certificate = x509.load_pem_x509_certificate((folder / "fullchain.pem").read_bytes())
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == [NAME]
    assert (folder / "privkey.pem").stat().st_mode & 0o077 == 0


def test_an_address_gets_a_self_signed_certificate_of_its_own(machine: PretendedMachine) -> None:
    run(machine, SetupOptions("192.0.2.7"))
    (call,) = [call for call in machine.calls if call[0] == "openssl"]
    assert "subjectAltName=IP:192.0.2.7" in call
