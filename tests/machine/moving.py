"""What an operator does on the machine that takes the place of another, by the pages on moving."""

from collections.abc import Sequence
from pathlib import Path

from tests.machine.machine import Machine
from tests.machine.page import commands
from tests.machine.steps import BACKUP, BACKUPS, ENVIRONMENT, SERVING, Steps, expect

PAGE, POSTGRESQL_PAGE = ["another-machine.md"], ["postgresql.md"]
MOVE = "forecast-service db move"


class MovedSteps(Steps):
    """The steps on a bare ``machine``, after an ``old`` one's steps with the same ``package``."""

    def __init__(self, machine: Machine, package: Path, old: Steps) -> None:
        super().__init__(machine, package, {})
        self.key, self.settings = old.key, old.settings

    def replace_lost(self, copies: Sequence[Path]) -> str:
        """A copy of a night and the settings beside it bring a lost machine back."""
        for copy in copies:
            self.machine.put(copy, f"/root/{copy.name}")
        self.machine.run(commands("forecast-service-*.environment", "first", ["backups.md"]))
        self._expect_settings()
        self._forecast("--insecure")
        return "the old key works, with the old settings"

    def prepare(self) -> None:
        """The service under the same name, with a certificate of its own."""
        self.machine.run("apt-get -qq purge --yes forecast-service")
        self.machine.run(f"rm -r /var/lib/forecast-service {BACKUPS} /root/forecast-service-*")
        self.machine.run(commands("apt-get install", package="first", pages=PAGE))

    def restore(self, everything: Path) -> str:
        """The key of the old machine works, with the old settings."""
        self.machine.put(everything, "/root/everything.tar")
        output = self.machine.run(commands("backups restore", pages=PAGE))
        expect(
            "except DATABASE_URL" in output, f"the restore did not say what it left out:\n{output}"
        )
        self._expect_settings()
        states = self.machine.run(f"systemctl is-active {SERVING}").split()
        expect({*states} == {"active"}, f"the units are {states}")
        self._forecast("--insecure")
        return "the old key works, with the old settings"

    def _expect_settings(self) -> None:
        settings = self.machine.run(f"cat {ENVIRONMENT}")
        expect(sorted(settings.split()) == sorted(self.settings.split()), "settings were lost")
        self._expect_rights(ENVIRONMENT, "640 root forecast-service")

    def get_certificate(self) -> str:
        """Once the name leads here."""
        self.machine.run(commands("admin@example.com", pages=PAGE))
        self._forecast()
        return "forecast over HTTPS"

    def move_to_postgresql(self) -> str:
        """The key works there too, backups are made, and a running service is not moved."""
        self.machine.run(commands("createdb", pages=POSTGRESQL_PAGE))
        moving = commands(MOVE, pages=POSTGRESQL_PAGE)
        output = self.machine.run(moving, fails=True)
        expect("stop the service" in output, f"while the service ran, the command said:\n{output}")
        self._forecast()
        self.machine.run(commands("systemctl stop", pages=POSTGRESQL_PAGE))
        output = self.machine.run(moving)
        expect("Moved" in output, f"the command said:\n{output}")
        self._expect_rights(ENVIRONMENT, "640 root forecast-service")
        self.machine.run(commands("forecast-service setup", pages=POSTGRESQL_PAGE))
        self._forecast()
        self.machine.run(f"systemctl start {BACKUP} && ls {BACKUPS}/*.dump")
        return output.splitlines()[-2].partition(".")[0]

    def restore_on_postgresql(self) -> str:
        """The file of a machine with PostgreSQL is restored into a new database."""
        file = f"{BACKUPS}/everything.tar"
        self.machine.run(f"forecast-service backups create --everything {file}")
        output = self.machine.run(f"forecast-service backups restore {file}")
        expect("Restored into the database forecast_" in output, f"the restore said:\n{output}")
        self.machine.run("forecast-service setup")
        self._forecast()
        return "the key works"
