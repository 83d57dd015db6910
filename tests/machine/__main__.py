"""Install, upgrade and remove on a whole machine: ``python -m tests.machine [SUITE [CASE]]``.

SUITE is a release of Debian or Ubuntu: bookworm, trixie or noble. CASE is one of:

- ``package``: the package;
- ``nodes``: a second node on a machine of its own;
- ``fresh``: the README's commands, `make run` and `make test`, on bare machines; as root `.ci/run`,
  which calls `make test`;
- the path of an earlier release's package, which is upgraded.

It prints how long each step took, and exits with 77 where no machine can be started.
"""

import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from tests.machine.building import build_here, build_in, runs_here
from tests.machine.earlier import EarlierSteps
from tests.machine.fresh import ORDINARY_USER, FreshSteps
from tests.machine.machine import Machine, NoMachineError, StepError, make_image, reason_to_skip
from tests.machine.moving import MovedSteps
from tests.machine.nodes import NodesSteps
from tests.machine.steps import VERSION, Steps
from tests.machine.variants import make_variants

CANNOT_RUN = 77


class Clock:
    """Runs steps, and knows how long each took."""

    def __init__(self) -> None:
        self._rows: list[tuple[str, float, object]] = []

    def __call__(self, name: str, step: Callable[[], object]) -> None:
        """Run a step; what it returns is a note for the table."""
        started = time.monotonic()
        note = step() or ""
        self._rows.append((name, time.monotonic() - started, note))
        print(f"{time.monotonic() - started:6.1f} s  {name}  {note}", flush=True)

    def table(self) -> str:
        """Return all steps, as a table for a page."""
        rows = [f"| {name} | {seconds:.0f} | {note} |" for name, seconds, note in self._rows]
        return "\n".join(["| Step | Seconds | |", "|---|---|---|", *rows])


def prepare(suite: str, folder: Path, clock: Clock) -> tuple[Path, Path]:
    """Make the image and the package, side by side where the package is built here."""
    image, packages = folder / "image", []

    def make() -> None:
        with ThreadPoolExecutor() as pool:
            made = pool.submit(make_image, suite, image, folder / "image.log")
            if runs_here(suite):
                packages.append(build_here(folder))
            made.result()

    clock("image and package" if runs_here(suite) else "image", make)
    if not packages:
        (folder / "building").mkdir()

        def build() -> None:
            with Machine(image, folder / "building") as machine:
                packages.append(build_in(machine, folder))

        clock("package", build)
    return image, packages[0]


def run(suite: str, folder: Path) -> None:
    """Run all steps; raise StepError at the first that fails."""
    clock = Clock()
    image, package = prepare(suite, folder, clock)
    variants = make_variants(package, folder)
    (folder / "machine").mkdir()
    machine = Machine(image, folder / "machine")
    with machine:
        steps = Steps(machine, package, variants)
        clock("(a certificate authority)", steps.make_authority)
        clock("install and set up", steps.install)
        clock("set up again", steps.set_up_again)
        clock("rotate the access log", steps.rotate_log)
        clock("wrong rights", steps.correct_rights)
        clock("reboot", steps.reboot)
        clock("upgrade", steps.upgrade)
        clock("back to the release before", steps.go_back)
        clock("a release that does not start", lambda: steps.reject("ends"))
        clock("a release that is not ready", lambda: steps.reject("unready"))
        clock("the release before again", steps.repair)
        clock("remove", steps.remove)
        clock("install again", steps.install_again)
        clock("purge", steps.purge)
        clock("install the newer release", steps.start_over)
        copies: list[Path] = []
        clock("copy everything", lambda: copies.extend(steps.copy_everything(folder)))
    move(image, variants["newer"], copies, steps, clock)
    print(clock.table())


def move(image: Path, package: Path, copies: Sequence[Path], old: Steps, clock: Clock) -> None:
    """Restore everything on another machine, then move it to PostgreSQL there."""
    everything, *nightly = copies
    folder = everything.parent / "another"
    folder.mkdir()
    with Machine(image, folder) as machine:
        steps = MovedSteps(machine, package, old)
        clock("(a certificate authority)", steps.make_authority)
        clock("replace a lost machine", lambda: steps.replace_lost(nightly))
        clock("prepare another machine", steps.prepare)
        clock("restore everything there", lambda: steps.restore(everything))
        clock("its certificate", steps.get_certificate)
        clock("move to PostgreSQL", steps.move_to_postgresql)
        clock("everything on PostgreSQL", steps.restore_on_postgresql)


def run_nodes(suite: str, folder: Path) -> None:
    """Add a second node on another machine, restart, reboot and upgrade."""
    clock = Clock()
    image, package = prepare(suite, folder, clock)
    variants = make_variants(package, folder)
    for name in ("first", "second"):
        (folder / name).mkdir()
    with (
        Machine(image, folder / "first") as first,
        Machine(image, folder / "second", name="second") as second,
    ):
        steps = NodesSteps(first, second, package, variants)
        steps.connect()
        clock("(a certificate authority)", steps.make_authority)
        clock("install and set up the first node", steps.install)
        clock("(PostgreSQL and Redis)", steps.move_to_stores)
        clock("install the second node", steps.add_node)
        clock("both nodes behind nginx", steps.name_nodes)
        clock("restart the second node", steps.restart_node)
        clock("reboot its machine", steps.reboot_node)
        clock("upgrade both", steps.upgrade)
    print(clock.table())


def run_fresh(suite: str, folder: Path) -> None:
    """Run the README's commands as root and as an ordinary user, each on a bare machine."""
    clock, image = Clock(), folder / "image"
    clock("image", lambda: make_image(suite, image, folder / "image.log"))
    for user in ("root", ORDINARY_USER):
        own = folder / user
        own.mkdir()
        with Machine(image, own) as machine:
            steps = FreshSteps(machine, user, own, folder / "wheels")
            clock(f"prerequisites as {user}", steps.install_prerequisites)
            clock(f"make run as {user}", steps.make_run)
            clock(f"{'.ci/run' if user == 'root' else 'make test'} as {user}", steps.make_test)
    print(clock.table())


def run_earlier(earlier: Path, suite: str, folder: Path) -> None:
    """Upgrade from the package of an earlier release to the built one."""
    clock = Clock()
    image, package = prepare(suite, folder, clock)
    (folder / "machine").mkdir()
    with Machine(image, folder / "machine") as machine:
        steps = EarlierSteps(machine, earlier, {"newer": package})
        clock("(a certificate authority)", steps.make_authority)
        clock(f"install {earlier.name.partition('~')[0]}", steps.install)
        clock("make rows", steps.make_rows)
        clock(f"upgrade to {VERSION}", steps.upgrade)
    print(clock.table())


CASES = {"package": run, "nodes": run_nodes, "fresh": run_fresh}


def main(suite: str = "bookworm", case: str = "package") -> int:
    if reason := reason_to_skip():
        print(f"The machine test cannot run: {reason}.")
        return CANNOT_RUN
    # An interrupted test ends what it has started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="machine-") as folder:
        try:
            run_case = CASES.get(case) or partial(run_earlier, Path(case))
            run_case(suite, Path(folder))
        except NoMachineError as error:
            print(f"The machine test cannot run: {error}", flush=True)
            return CANNOT_RUN
        except StepError as error:
            print(f"FAILED: {error}", flush=True)
            for log in Path(folder).glob("*/journal"):
                print(log.read_text())
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
