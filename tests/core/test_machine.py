"""Cores and memory of a container: files of control groups as Linux writes them."""

import os
from pathlib import Path

import pytest

from app.core.machine import Concurrency, available_concurrency

CORES = 64


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Return what fits a node of 64 cores with some files below /sys/fs/cgroup."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(CORES)), raising=False)

    def fits(own: str, **files: str) -> Concurrency:
        (tmp_path / "cgroup").write_text(own)
        for name, content in files.items():
            path = tmp_path / "root" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        return available_concurrency(tmp_path / "root", tmp_path / "cgroup")

    return fits


def test_a_one_core_container_does_not_start_workers_for_every_core_of_its_host(machine) -> None:
    concurrency = machine("0::/\n", **{"cpu.max": "100000 100000\n", "memory.max": "max\n"})
    assert concurrency == (1, "the control group allows 1 of 64 cores")


def test_a_quota_is_rounded_down(machine) -> None:
    assert machine("0::/\n", **{"cpu.max": "250000 100000\n"}).processes == 2


def test_a_quota_below_one_core_counts_as_one(machine) -> None:
    assert machine("0::/\n", **{"cpu.max": "50000 100000\n"}).processes == 1


@pytest.mark.parametrize(("mib", "processes"), [(256, 1), (512, 1), (1024, 1), (2048, 3)])
def test_little_memory_allows_few_processes(machine, mib: int, processes: int) -> None:
    concurrency = machine("0::/\n", **{"memory.max": f"{mib * 2**20}\n"})
    assert concurrency == (processes, f"the control group allows {mib} MiB")


def test_a_parent_bounds_its_groups(machine) -> None:
    files = {"a/b/cpu.max": "max 100000\n", "a/cpu.max": "300000 100000\n"}
    assert machine("0::/a/b\n", **files).processes == 3


def test_version_1_has_its_own_files(machine) -> None:
    own = "4:memory:/docker/x\n3:cpu,cpuacct:/docker/x\n"
    files = {
        "cpu,cpuacct/docker/x/cpu.cfs_quota_us": "400000\n",
        "cpu,cpuacct/docker/x/cpu.cfs_period_us": "100000\n",
        "memory/docker/x/memory.limit_in_bytes": f"{2**30}\n",
    }
    assert machine(own, **files).processes == 1
    no_memory_limit = {"memory/docker/x/memory.limit_in_bytes": "9223372036854771712\n"}
    assert machine(own, **files | no_memory_limit).processes == 4


def test_version_1_in_a_container_has_its_group_at_the_top(machine) -> None:
    files = {"cpu/cpu.cfs_quota_us": "200000\n", "cpu/cpu.cfs_period_us": "100000\n"}
    assert machine("3:cpu,cpuacct:/docker/of-the-host\n", **files).processes == 2


@pytest.mark.parametrize(
    "files",
    [{}, {"cpu.max": "max 100000\n"}, {"cpu.max": "", "memory.max": "max"}, {"cpu.max": "x y"}],
    ids=["none", "no limit", "empty", "not numbers"],
)
def test_without_a_limit_every_core_counts(machine, files: dict[str, str]) -> None:
    assert machine("0::/\n", **files) == (CORES, "64 usable cores")


def test_a_machine_without_control_groups_has_its_cores(tmp_path: Path) -> None:
    result = available_concurrency(tmp_path / "none", tmp_path / "none")
    assert result.processes == len(os.sched_getaffinity(0))
