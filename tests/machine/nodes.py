"""What an operator does to add a second node, by the page on several nodes, and to keep both."""

import json
import re
from pathlib import Path

from tests.machine.machine import Machine
from tests.machine.page import EMAIL, NAME, commands
from tests.machine.steps import (
    ACCESS_LOG,
    ENVIRONMENT,
    SITE,
    UPGRADE,
    Steps,
    assert_none_lost,
    expect,
)
from tests.support.polling import poll

STORES = Path(__file__).with_name("stores.sh")
FIRST_ADDRESS, SECOND_ADDRESS = "10.0.0.2", "10.0.0.3"  # as on the page
SHARING_SECONDS = 60
NODES = {"unix:/run/forecast-service/gunicorn.sock", f"{SECOND_ADDRESS}:8000"}


class NodesSteps(Steps):
    """The steps on a first machine, with nginx, PostgreSQL and Redis, and on a second one."""

    def __init__(
        self, first: Machine, second: Machine, package: Path, variants: dict[str, Path]
    ) -> None:
        super().__init__(first, package, variants)
        self.second = Steps(second, package, variants)

    def connect(self) -> None:
        """The private network of the nodes."""
        self.machine.connect(self.second.machine, FIRST_ADDRESS, SECOND_ADDRESS)

    def move_to_stores(self) -> str:
        """PostgreSQL and Redis for all nodes, instead of SQLite."""
        self.machine.run(f"ADDRESS={FIRST_ADDRESS} SETTINGS={ENVIRONMENT}\n{STORES.read_text()}")
        output = self.machine.run(f"forecast-service setup {NAME} {EMAIL} --account acme")
        (self.key,) = re.findall(r"^ak_\w+$", output, re.MULTILINE)
        return "a new key, in PostgreSQL"

    def add_node(self) -> str:
        """The second node, as the page says; with the settings of the first."""
        settings = self.machine.find(ENVIRONMENT)[0]
        self.second.machine.put(settings, "/environment")
        self.second.machine.run(commands("--no-install-recommends", package="first"))
        self.second.machine.run("! type nginx")
        return "ready at its address"

    def name_nodes(self) -> str:
        """nginx sends requests to both, which have the same keys."""
        self.machine.run(commands("/etc/forecast-service/nodes"))
        return self._share_requests()

    def restart_node(self) -> str:
        """Requests wait at the node's socket, or go to the other node."""
        with self._requests() as result:
            self.second.machine.run("systemctl restart forecast-service")
            self._wait_until_ready()
        return assert_none_lost(result)

    def reboot_node(self) -> str:
        """The node listens although its network comes later, and is asked again."""
        self.second.machine.reboot()
        self.connect()
        self._wait_until_ready()
        return self._share_requests()

    def upgrade(self) -> str:
        """One node after the other, to a release whose migration changes a table."""
        with self._requests() as result:
            for steps in (self, self.second):
                steps.machine.run(commands(UPGRADE, package="newer"))
                steps.expect_release("newer")
                self.machine.run("sleep 10")  # so that nginx asks it again, as the page says
        site = self.machine.run(f"cat {SITE}")
        expect(all(f"server {node} " in site for node in NODES), "the site has lost a node")
        return assert_none_lost(result)

    def _wait_until_ready(self) -> None:
        asked = f"curl --silent --show-error --fail --retry 60 http://{SECOND_ADDRESS}:8000/readyz"
        self.machine.run(asked)

    def _share_requests(self) -> str:
        """Send requests until nginx has asked both nodes for each kind."""
        self.machine.run(f"truncate --size 0 {ACCESS_LOG}")
        kinds = {(path, node) for path in ("/forecast", "/verify") for node in NODES}
        with self._requests() as result:
            has_asked = poll(lambda: self._asked_paths() >= kinds, SHARING_SECONDS)
        expect(has_asked, f"nginx has asked only {self._asked_paths()}")
        return assert_none_lost(result)

    def _asked_paths(self) -> set[tuple[str, str]]:
        """Return the paths that nginx has asked nodes for, with the nodes."""
        lines = map(json.loads, self.machine.run(f"cat {ACCESS_LOG}").splitlines())
        return {(line["path"], line["node"]) for line in lines}
