"""What a setup corrects, says or leaves: owners, modes, Debian's site, a database of other code."""

import pytest

from app.core.database.revisions import NEWER_SCHEMA_PROBLEM
from app.ops.privileges import SETTINGS_FILE
from app.ops.setup.machine import Machine, SetupError
from app.ops.setup.options import ACCESS_LOG, BACKUPS, COMMAND, DATA, SITE, SetupOptions
from app.ops.setup.plan import set_up
from app.ops.setup.settings import read_settings
from app.ops.setup.site import DEFAULT_SITE
from app.ops.systemd_units import SERVICE_UNIT
from tests.ops.setup.pretended import PretendedMachine, failure

NAME = "forecast.example.com"
NEWER = failure(f"Error: {NEWER_SCHEMA_PROBLEM}, which does not know revision 9999; run …\n")
LOST = "no key of SECRETS_KEY decrypts the credentials of 1 of 1 sources"


def run(machine: PretendedMachine) -> dict[str, str]:
    """Run the setup and return what it says of each step."""
    lines: list[str] = []
    set_up(machine, SetupOptions(NAME), lines.append, dry_run=False)
    return {name: message.strip() for name, _, message in (line.partition(":") for line in lines)}


@pytest.mark.parametrize(
    ("owner", "mode", "warns"),
    [
        ("root:root", 0o600, False),
        ("root:forecast-service", 0o666, True),
        ("root:forecast-service", 0o644, False),
        ("alice:users", 0o640, False),
    ],
)
def test_wrong_rights_of_the_settings_file_are_corrected_and_reported(
    machine: PretendedMachine, owner: str, mode: int, warns: bool
) -> None:
    run(machine)
    file = machine.path(SETTINGS_FILE)
    before = file.read_text()
    file.chmod(mode)
    machine.owners[SETTINGS_FILE] = owner
    message = run(machine)["settings"]
    assert f"corrected owner and mode of {SETTINGS_FILE}, which were {owner} {mode:04o}" in message
    assert ("others could change it" in message) == warns
    assert (machine.owners[SETTINGS_FILE], file.stat().st_mode & 0o777) == (
        "root:forecast-service",
        0o640,
    )
    assert file.read_text() == before
    assert run(machine)["settings"] == f"{SETTINGS_FILE} has all"


@pytest.mark.parametrize("place", ["/etc/forecast-service", DATA, BACKUPS])
def test_an_unusable_folder_is_corrected_and_its_other_rights_are_kept(
    machine: PretendedMachine, place: str
) -> None:
    run(machine)
    owner = machine.owners[place]
    machine.path(place).chmod(0o755)
    assert run(machine)["settings"] == f"{SETTINGS_FILE} has all"
    machine.owners[place] = "root:root"
    assert f"gave {place} to {owner.partition(':')[0]}" in run(machine)["settings"]
    assert machine.owners[place] == owner
    machine.path(place).chmod(0o500)  # less would keep an ordinary user's test out
    assert f"gave {place} to {owner.partition(':')[0]}" in run(machine)["settings"]
    assert machine.path(place).stat().st_mode & 0o777 == 0o750


def test_setup_stops_at_a_lost_secrets_key_before_replacing_it(
    machine: PretendedMachine,
) -> None:
    machine.fails[f"{COMMAND} sources check-secrets"] = failure(f"Error: {LOST}\n")
    for _ in ("migrated now", "migrated before"):
        with pytest.raises(SetupError, match=rf"^database: `.* check-secrets` fails: {LOST}"):
            run(machine)
    assert not [words for words in machine.calls if SERVICE_UNIT in words and "restart" in words]


def test_after_a_downgrade_settings_and_site_are_applied_without_the_database(
    machine: PretendedMachine,
) -> None:
    """Every command of the older release rejects the database, which it serves."""
    run(machine)
    machine.fails[COMMAND] = NEWER
    with machine.path(SETTINGS_FILE).open("a") as file:
        file.write("MAX_BODY_BYTES=4096\n")
    machine.running.clear()
    machine.calls.clear()
    message = run(machine)
    assert "is newer than this release" in message["database"]
    assert message["service"] == "started and ready"
    assert "client_max_body_size    4096;" in machine.path(SITE).read_text()
    assert message["forecast"].startswith(f"https://{NAME} is ready; no key for a forecast")
    assert {words[1:3] for words in machine.calls if words[0] == COMMAND} == {("db", "current")}
    assert run(machine)["forecast"] == f"https://{NAME} is ready"


def test_another_failure_of_the_database_is_not_taken_for_a_newer_one(
    machine: PretendedMachine,
) -> None:
    reason = f"Error: the database file {DATA}/forecast.db belongs to root\n"
    machine.fails[COMMAND] = failure(reason)
    with pytest.raises(SetupError, match=f"^database: .*{DATA}/forecast.db belongs to root"):
        run(machine)


def test_the_access_log_is_for_nginx_and_admins_also_where_nginx_has_made_it(
    machine: PretendedMachine,
) -> None:
    run(machine)
    file = machine.path(ACCESS_LOG)
    assert machine.owners[ACCESS_LOG] == "www-data:adm"
    assert f"access_log {ACCESS_LOG} " in machine.path(SITE).read_text()
    file.write_text("a line\n")
    file.chmod(0o644)
    run(machine)
    assert (file.stat().st_mode & 0o777, file.read_text()) == (0o640, "a line\n")


def test_debians_default_site_is_restored_if_nginx_rejects_ours(
    machine: PretendedMachine,
) -> None:
    default = machine.path(DEFAULT_SITE)
    target = default.readlink()
    machine.fails["nginx -t"] = failure("[emerg] unknown directive\n")
    with pytest.raises(SetupError, match="the one before was restored"):
        run(machine)
    assert default.readlink() == target
    machine.fails.clear()
    assert f"removed {DEFAULT_SITE}" in run(machine)["nginx"]
    assert not default.is_symlink()
    machine.path(SITE).unlink()
    assert DEFAULT_SITE not in run(machine)["nginx"]


def test_a_file_in_place_of_debians_default_site_is_not_deleted(machine: PretendedMachine) -> None:
    default = machine.path(DEFAULT_SITE)
    default.unlink()
    default.write_text("server {}\n")
    with pytest.raises(SetupError, match=r"sites-enabled/default is a file.*; move it"):
        run(machine)
    assert default.read_text() == "server {}\n"


def test_owners_are_names_and_a_log_is_never_made_through_a_link(tmp_path) -> None:
    machine = Machine(tmp_path)
    machine.set_owner = lambda *_, **__: None
    (tmp_path / "victim").write_text("x")
    (tmp_path / "log").symlink_to(tmp_path / "victim")
    with pytest.raises(OSError, match="symbolic links"):
        machine.make_log("/log", "www-data", "adm")
    victim = tmp_path / "victim"
    assert machine.owner_of("/victim") == f"{victim.owner()}:{victim.group()}"


def test_a_value_that_the_file_has_is_not_made_again_with_its_rights(
    machine: PretendedMachine,
) -> None:
    """Another SECRETS_KEY would lose what the database has encrypted."""
    run(machine)
    key = read_settings(machine)["SECRETS_KEY"]
    machine.owners[SETTINGS_FILE] = "root:root"
    run(machine)
    assert read_settings(machine)["SECRETS_KEY"] == key
