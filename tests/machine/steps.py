"""What an operator does to a machine, one step after the other, and what must hold after each."""

import json
import re
import shutil
import tomllib
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from tests.machine.machine import Machine, StepError
from tests.machine.page import EMAIL, NAME, commands
from tests.support.server import ROOT

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
UPGRADE = f"--yes ./forecast-service_{VERSION}"  # as the page names this release
AUTHORITY = Path(__file__).with_name("authority.sh")
EXAMPLE = ROOT / "docs/examples/airline-passengers.json"
ENVIRONMENT = "/etc/forecast-service/environment"
DATABASE = "/var/lib/forecast-service/forecast.db"
INSTALL = "apt-get -qq install --yes --allow-downgrades"
SERVING = "forecast-service.socket forecast-service.service forecast-service-worker.service"
UNITS = f"{SERVING} forecast-service-backup.timer"
BACKUPS = "/var/backups/forecast-service"
ARCHIVE_FILE = f"{BACKUPS}/everything.tar"
BACKUP = "forecast-service-backup.service"
ACCESS_LOG = "/var/log/nginx/forecast-service.access.log"
SITE = "/etc/nginx/conf.d/forecast-service.conf"


class Steps:
    """The steps on ``machine`` with the built ``package`` and its ``variants``."""

    def __init__(self, machine: Machine, package: Path, variants: dict[str, Path]) -> None:
        self.machine = machine
        self.key = self.settings = ""
        for name, path in {"first": package, **variants}.items():
            machine.put(path, f"/root/{name}.deb")

    def make_authority(self) -> None:
        """Install a name server and a certificate authority, as the Internet has them."""
        self.machine.run(f"NAME={NAME}\n{AUTHORITY.read_text()}")

    def install(self) -> str:
        """Install the service and forecast over HTTPS, with a certificate of the authority."""
        printed = self.machine.run(
            commands("forecast-service setup forecast.example.com", package="first")
        )
        (self.key,) = re.findall(r"^ak_\w+$", printed, re.MULTILINE)
        first_request = commands('"https://forecast.example.com/forecast"')
        self.machine.run(first_request.replace("ak_…", self.key))
        self._forecast()
        self.expect_release(VERSION)
        self._expect_rights(ENVIRONMENT, "640 root forecast-service")
        self._expect_rights(ACCESS_LOG, "640 www-data adm")
        expect("Debian's link to its own site" in printed, "the removal of a site was not said")
        output = self.machine.run("journalctl --quiet --output=cat --unit forecast-service")
        expect("Traceback" not in output, f"a forecast logged an error:\n{output[-3000:]}")
        return "forecast over HTTPS"

    def set_up_again(self) -> str:
        """Repeat the setup, which must change nothing."""
        files = f"{ENVIRONMENT} {SITE} /etc/letsencrypt/live/{NAME}/cert.pem"
        before = self.machine.run(f"sha256sum {files}")
        self.machine.run(f"forecast-service setup {NAME} {EMAIL}")
        expect(self.machine.run(f"sha256sum {files}") == before, "a repeated setup changed files")
        return "changes nothing"

    def rotate_log(self) -> str:
        """Rotate the access log by Debian's logrotate, which must leave both files private."""
        self.machine.run("logrotate --force /etc/logrotate.d/nginx")
        self.machine.run(f"test -s {ACCESS_LOG}.1")
        self._expect_rights(f"{ACCESS_LOG}.1", "640 www-data adm")
        self._expect_rights(ACCESS_LOG, "640 www-data adm")
        self._forecast()
        self.machine.run(f"timeout 10 sh -c 'until test -s {ACCESS_LOG}; do sleep 0.1; done'")
        return "private before and after"

    def correct_rights(self) -> str:
        """Change owners; errors must name them, and the setup correct that of the settings."""
        self.machine.run(f"chown root:root {ENVIRONMENT} && chmod 0600 {ENVIRONMENT}")
        self.machine.run(f"systemctl start {BACKUP}", fails=True)
        output = self.machine.run("forecast-service keys list", fails=True)
        expect("forecast-service setup`" in output, f"root saw:\n{output}")
        output = self.machine.run(f"forecast-service setup {NAME} {EMAIL}")
        expect("which were root:root 0600" in output, f"the correction was not said:\n{output}")
        self._expect_rights(ENVIRONMENT, "640 root forecast-service")
        self.machine.run(f"systemctl start {BACKUP}")
        self._expect_rights(f"{BACKUPS}/*.environment", "600 forecast-service forecast-service")
        self.machine.run(f"cmp {BACKUPS}/*.environment {ENVIRONMENT} && rm {BACKUPS}/*")

        self.machine.run(f"chown root {DATABASE}")
        output = self.machine.run(f"forecast-service setup {NAME} {EMAIL}", fails=True)
        expect(f"{DATABASE} belongs to root" in output, f"the owner was not named:\n{output}")
        (remedy,) = re.findall("`(?:sudo )?(chown [^`]*)`", output)
        self.machine.run(f"{remedy} && forecast-service keys list")
        self._forecast()
        return "the settings are corrected, the database is named"

    def reboot(self) -> None:
        """Reboot: the service must start without a command."""
        self.machine.reboot()
        # The authority is not part of the machine that is tested; its certificate is kept.
        self._forecast()

    def upgrade(self) -> str:
        """Upgrade to a newer release, whose migration changes a table."""
        timer = "forecast-service-backup.timer"
        self.machine.run(f"systemctl disable --quiet --now {timer}")
        with self._requests() as result:
            self.machine.run(commands(UPGRADE, package="newer"))
            self._forecast()
        self.expect_release("newer")
        # What an administrator has disabled stays so.
        self.machine.run(f"systemctl is-enabled {timer} || systemctl is-active {timer}", fails=True)
        self.machine.run(f"systemctl enable --quiet --now {timer}")
        self._expect_migrated()
        copies = self.machine.run(f"cd {BACKUPS} && ls *.db").split()
        expect(len(copies) == 1, f"before the migration there was no backup: {copies}")
        return assert_none_lost(result)

    def go_back(self) -> str:
        """Downgrade to the release before, with the newer schema."""
        with self._requests() as result:
            self.machine.run(commands("--allow-downgrades", package="first"))
            self._forecast()
        self.expect_release("~")
        self._set_up_below_newer_schema()
        return assert_none_lost(result)

    def _set_up_below_newer_schema(self) -> None:
        """Set up with a changed setting, which must be applied although the database is newer."""
        setting = "MAX_BODY_BYTES=3145728"
        self.machine.run(f"echo {setting} >> {ENVIRONMENT}")
        output = self.machine.run(f"forecast-service setup {NAME} {EMAIL}")
        expect("is newer than this release" in output, f"the setup said:\n{output}")
        self.machine.run(f"grep --quiet 'client_max_body_size .*3145728' {SITE}")
        self.machine.run(f"sed -i /{setting}/d {ENVIRONMENT}")
        self.machine.run(f"forecast-service setup {NAME} {EMAIL}")
        self._forecast()

    def reject(self, variant: str) -> str:
        """Install a broken release, which must leave the one that serves."""
        before = self._release()
        with self._requests() as result:
            output = self.machine.run(f"{INSTALL} /root/{variant}.deb", fails=True)
            self._forecast()
        expect("serves as before" in output, f"the package did not say what it did:\n{output}")
        expect(self._release() == before, f"{self._release()} serves instead of {before}")
        return assert_none_lost(result)

    def repair(self) -> str:
        """Install the release before, which must end the broken state of the package."""
        with self._requests() as result:
            self.machine.run(f"{INSTALL} /root/first.deb")
            self._forecast()
        self._expect_content()
        return assert_none_lost(result)

    def remove(self) -> str:
        """Remove the package: nothing may run, and data, settings and backups must stay."""
        self.machine.run(commands("apt-get remove"))
        self.machine.run(f"systemctl is-active {UNITS}", fails=True)
        self.machine.run(f"test -e {ENVIRONMENT} && test -e {DATABASE}")
        expect(
            not self._remaining_files("/opt/forecast-service"),
            "files of the service are left in /opt",
        )
        self.machine.run("systemctl is-active nginx && nginx -t -q")
        return "data and settings stay"

    def install_again(self) -> str:
        """Finish an interrupted installation; the service and its site must be as before."""
        self.machine.run("dpkg --unpack /root/first.deb")
        expect("forecast-service" in self.machine.run("dpkg --audit"), "nothing is interrupted")
        self.machine.run("dpkg --configure -a")  # docs/running/package.md
        self._expect_content()
        enabled = self.machine.run(f"systemctl is-enabled {UNITS}").split()
        expect(set(enabled) == {"enabled"}, f"not enabled again: {enabled}")
        self._forecast()
        return "the site is back"

    def purge(self) -> str:
        """Purge the package: settings must be gone, data and backups must stay."""
        self.settings = self.machine.run(f"cat {ENVIRONMENT}")
        self.machine.run("apt-get -qq purge --yes forecast-service")
        expect(not self._remaining_files("/etc/forecast-service"), "settings are left in /etc")
        self.machine.run(f"test -e {DATABASE}")
        self._expect_rights(f"{BACKUPS}/environment", "600 root root")
        return "data and backups stay"

    def start_over(self) -> str:
        """Install after the purge; the key and the settings must be the same as before."""
        output = self.machine.run(f"{INSTALL} /root/newer.deb 2>&1")
        expect("took the settings" in output, f"the package did not say what it did:\n{output}")
        settings = self.machine.run(f"cat {ENVIRONMENT}")
        expect(settings == self.settings, "the settings are not those of before the purge")
        self._expect_rights(ENVIRONMENT, "640 root forecast-service")
        self.machine.run(f"forecast-service setup {NAME} {EMAIL}")
        self._forecast()
        failed = self.machine.run("systemctl --failed --plain --no-legend")
        expect(not failed, f"units have failed: {failed}")
        return "the old key works, with the old settings"

    def copy_everything(self, folder: Path) -> list[Path]:
        """Copy everything into one file for another machine, after which nothing runs here.

        Return the file, and a nightly backup with the settings beside it.
        """
        self.settings = self.machine.run(f"cat {ENVIRONMENT}")
        self.machine.run(f"rm -f {BACKUPS}/* && systemctl start {BACKUP}")
        self.machine.run(commands("--everything", pages=["another-machine.md"]))
        self._expect_rights(ARCHIVE_FILE, "600 forecast-service forecast-service")
        self.machine.run(f"systemctl is-active {SERVING}", fails=True)
        self.machine.reboot()
        self.machine.run(f"systemctl is-active {SERVING}", fails=True)
        copies = self.machine.find(ARCHIVE_FILE) + self.machine.find(
            f"{BACKUPS}/forecast-service-*"
        )
        return [Path(shutil.copy(copy, folder)) for copy in copies]

    def _requests(self) -> AbstractContextManager[dict[str, Any]]:
        return self.machine.requests(NAME, self.key, EXAMPLE)

    def _forecast(self, options: str = "") -> None:
        """Forecast over HTTPS; ``options`` are of curl, which checks the certificate by default."""
        command = (
            f"curl --silent --show-error --fail-with-body {options} https://{NAME}/forecast "
            f"-H 'Authorization: Bearer {self.key}' -H 'Content-Type: application/json' "
            "-d @/opt/forecast-service/current/docs/examples/airline-passengers.json"
        )
        median = json.loads(self.machine.run(command))["median"]
        expect(len(median) == 12, f"the forecast has {len(median)} points")

    def _release(self) -> str:
        """Return the folder of the release whose process serves."""
        pid = "$(systemctl show --property MainPID --value forecast-service.service)"
        return self.machine.run(f"readlink /proc/{pid}/cwd").strip()

    def expect_release(self, part: str) -> None:
        release = self._release()
        linked = self.machine.run("readlink /opt/forecast-service/current").strip()
        expect(release == linked, f"{release} serves, and the link is {linked}")
        expect(part in release, f"{release} serves")
        expect(part == "newer" or "newer" not in release, f"{release} serves")

    def _expect_rights(self, path: str, rights: str) -> None:
        """Raise StepError unless a file has these ``rights``: mode, user and group."""
        actual = self.machine.run(f"stat --format '%a %U %G' {path}").strip()
        expect(actual == rights, f"{path} is {actual}")

    def _expect_content(self) -> None:
        """Raise StepError if a package is half installed or half configured."""
        audit = self.machine.run("dpkg --audit")
        expect(not audit, f"dpkg is not content: {audit}")

    def _expect_migrated(self) -> None:
        query = "select of_the_machine_test from accounts"
        code = (
            f"import sqlite3; print(*sqlite3.connect('{DATABASE}').execute('{query}').fetchone())"
        )
        output = self.machine.run(f'python3 -c "{code}"')
        expect(output == "7\n", f"the migrated column has {output}")

    def _remaining_files(self, folder: str) -> str:
        return self.machine.run(f"find {folder} -mindepth 1 2> /dev/null || true")


def expect(condition: bool, problem: str) -> None:
    """Raise StepError with ``problem`` unless ``condition`` is true."""
    if not condition:
        raise StepError(problem)


def assert_none_lost(result: dict) -> str:
    """Return a note on requests; raise StepError if one was lost or none was sent."""
    expect(bool(result.get("sent")), "no request was sent")
    expect(not result["lost"], f"of {result['sent']} requests were lost: {result['lost'][:5]}")
    return f"0 of {result['sent']} requests lost, longest {result['longest']:.0f} s"
