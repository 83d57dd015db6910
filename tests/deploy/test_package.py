"""The package's scripts fit the units and the migrations; `make machine-test` installs it."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from app.core.database import revisions
from app.ops.setup.options import ACCESS_LOG
from app.ops.setup.site import LOG_OWNER
from tests.machine.variants import CHECKED, PATIENCE, READINESS
from tests.support.server import ROOT

PACKAGE = ROOT / "deploy" / "deb"
UNITS = ROOT / "deploy" / "systemd"
SCRIPTS = [PACKAGE / name for name in ("postinst", "prerm", "postrm")]
KEPT_SETTINGS = "DATABASE_URL=postgresql://u@/f\nSECRETS_KEY=of-before\n"
# The machine of the tests has neither the package nor its user.
STUBS = {
    "dpkg-query": "echo 1.0",
    "getent": "exit 0",
    "chgrp": "exit 0",
    "install": 'for one; do case $one in /*) mkdir -p "$one" ;; esac; done',
}
TRIM = ROOT / "deploy" / "trim.sh"


@pytest.mark.parametrize(
    "script", [*SCRIPTS, PACKAGE / "build.sh", TRIM], ids=lambda script: script.name
)
def test_a_shell_finds_nothing_wrong_with_a_script(script: Path) -> None:
    """As shellcheck says where it is installed, else as the shell that runs the script reads it."""
    shell = script.read_text().partition("\n")[0].removeprefix("#!")
    checker = [program] if (program := shutil.which("shellcheck")) else [shell, "-n"]
    done = subprocess.run([*checker, str(script)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_script_of_the_package_knows_every_unit_that_is_enabled(script: Path) -> None:
    enabled = {path.name for path in UNITS.iterdir() if "[Install]" in path.read_text()}
    assert set(
        re.findall(r"forecast-service[\w-]*\.(?:socket|service|timer)", script.read_text())
    ) == (enabled)


def test_the_package_makes_the_paths_that_the_units_name() -> None:
    script = (PACKAGE / "postinst").read_text()
    unit_text = "\n".join(path.read_text() for path in UNITS.iterdir())
    for key, name in (("EnvironmentFile", "settings"), ("ReadWritePaths", "backups")):
        (path,) = set(re.findall(rf"^{key}=(.+)$", unit_text, re.MULTILINE))
        assert f"\n{name}={path}\n" in script
    (folder,) = set(re.findall(r"^WorkingDirectory=(.+)$", unit_text, re.MULTILINE))
    assert f"\nroot={Path(folder).parent}\n" in script
    assert folder == "/opt/forecast-service/current"


def test_a_database_that_newer_code_has_migrated_stops_no_installation() -> None:
    """The script knows it by what the command says."""
    words = re.search(r'\*"(.*newer.*)"\*', (PACKAGE / "postinst").read_text())[1]
    assert words in Path(revisions.__file__).read_text()


def test_the_machine_test_finds_what_its_broken_releases_change() -> None:
    assert (ROOT / READINESS).read_text().count(CHECKED) == 1
    assert (PACKAGE / "postinst").read_text().count(PATIENCE) == 1


def test_the_access_log_is_rotated_by_nginxs_own_rule_which_keeps_it_private() -> None:
    """No rule of the package is needed."""
    recommended = re.search("^Recommends: (.*)$", (PACKAGE / "control").read_text(), re.MULTILINE)
    assert {"logrotate", "nginx"} <= set(recommended[1].split(", "))
    assert Path(ACCESS_LOG).match("/var/log/nginx/*.log")
    rule = Path("/etc/logrotate.d/nginx")
    if rule.exists():
        assert re.findall(r"^\S+(?= {)", rule.read_text(), re.MULTILINE) == ["/var/log/nginx/*.log"]
        assert f"create 0640 {' '.join(LOG_OWNER)}\n" in rule.read_text()


@pytest.fixture
def purged_machine(tmp_path, monkeypatch):
    """Return the folder of a machine with what a purge keeps, and what makes settings."""
    backups = tmp_path / "var/backups/forecast-service"
    backups.mkdir(parents=True)
    (backups / "environment").write_text(KEPT_SETTINGS)
    (backups / "environment").chmod(0o600)
    (tmp_path / "etc").mkdir()

    for name, body in STUBS.items():
        stub = tmp_path / "bin" / name
        stub.parent.mkdir(exist_ok=True)
        stub.write_text(f"#!/bin/sh\n{body}\n")
        stub.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    script = (PACKAGE / "postinst").read_text().partition("\nmake_user_and_folders\n")[0]
    script = re.sub("(?<=[= ])/(?=(etc|var)/)", f"{tmp_path}/", script)

    def install():
        words = ["sh", "-c", f"{script}\nmake_user_and_folders", "postinst", "configure"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stderr

    return tmp_path, install


def test_an_installation_after_a_purge_restores_the_kept_settings(purged_machine) -> None:
    """New settings would have another SECRETS_KEY, and SQLite instead of PostgreSQL."""
    root, install = purged_machine
    message = install()
    settings = root / "etc/forecast-service/environment"
    assert settings.read_text() == KEPT_SETTINGS
    assert settings.stat().st_mode & 0o777 == 0o640
    kept = root / "var/backups/forecast-service/environment"
    assert f"took the settings of the installation before back, from {kept}" in message
    assert not kept.exists()
    assert install() == ""  # and no second time
    assert settings.read_text() == KEPT_SETTINGS


def test_an_installation_that_failed_is_finished_when_its_cause_is_gone(purged_machine) -> None:
    """As by `dpkg --configure -a`, which runs the script again."""
    root, install = purged_machine
    backups = root / "var/backups/forecast-service"
    backups.rename(root / "away")
    backups.touch()
    with pytest.raises(AssertionError, match=r"(?s)mkdir.*var/backups/forecast-service"):
        install()
    assert not (root / "etc/forecast-service/environment").exists()
    backups.unlink()
    (root / "away").rename(backups)
    assert "took the settings of the installation before back" in install()
    assert (root / "etc/forecast-service/environment").read_text() == KEPT_SETTINGS


def test_an_interrupted_installation_resumes_with_the_kept_settings(
    purged_machine,
) -> None:
    """`SECRETS_KEY` is only in them by then."""
    root, install = purged_machine
    taken = root / "etc/forecast-service/environment.kept"
    taken.parent.mkdir()
    (root / "var/backups/forecast-service/environment").rename(taken)
    assert "took the settings of the installation before back" in install()
    assert taken.with_suffix("").read_text() == KEPT_SETTINGS
    assert not taken.exists()


def test_an_interrupted_installation_is_finished_with_whole_settings(purged_machine) -> None:
    root, install = purged_machine
    (root / "var/backups/forecast-service/environment").unlink()
    settings = root / "etc/forecast-service/environment"
    settings.parent.mkdir()
    settings.with_suffix(".new").write_text("DATABASE_U")
    install()
    assert settings.read_text() == (
        f"DATABASE_URL=sqlite:///{root}/var/lib/forecast-service/forecast.db\nTRUSTED_PROXIES=1\n"
    )
    assert [path.name for path in settings.parent.iterdir()] == [settings.name]


@pytest.mark.parametrize("swap", ["link", "hard link", "folder"])
def test_kept_settings_that_the_services_user_has_replaced_are_not_used(
    purged_machine, swap: str
) -> None:
    root, install = purged_machine
    kept = root / "var/backups/forecast-service/environment"
    kept.rename(root / "victim")
    if swap == "link":
        kept.symlink_to(root / "victim")
    elif swap == "hard link":
        kept.hardlink_to(root / "victim")
    else:
        kept.mkdir()
    message = install()
    assert "it is not used, and the settings are new" in message
    text = (root / "etc/forecast-service/environment").read_text()
    assert text.startswith("DATABASE_URL=sqlite:///")
    assert (root / "victim").read_text() == KEPT_SETTINGS
    assert (root / "victim").stat().st_mode & 0o777 == 0o600


def test_the_settings_kept_by_a_purge_are_restored() -> None:
    scripts = [(PACKAGE / name).read_text() for name in ("postinst", "postrm")]
    assert len({re.search(r"^backups=(.+)$", script, re.MULTILINE)[1] for script in scripts}) == 1
    assert "\nkept=$backups/environment\n" in scripts[0]
    assert ' "$backups/environment"\n' in scripts[1]
