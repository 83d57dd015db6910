"""The folder of a run: the series split into parts, the parts that are done, the output.

``OUT/part-00000.parquet`` and so on are the output; ``OUT/.batch`` is what continues a run.
A file gets its name once it is complete, so that a run may be killed at any time.
"""

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.ops.batch.spec import BatchFormat

PART_COLUMN = "part"  # splits the series: the folder ``part=7`` has part 7


@dataclass(frozen=True)
class RunFolder:
    """The paths in the folder of a run, ``root``."""

    root: Path

    @property
    def state(self) -> Path:
        """The folder with what a run needs to continue."""
        return self.root / ".batch"

    @property
    def series(self) -> Path:
        """The folder of the input's rows by part."""
        return self.state / "series"

    @property
    def run_file(self) -> Path:
        """The options of the run; exists once the series are split."""
        return self.state / "run.json"

    @property
    def summary_file(self) -> Path:
        return self.root / "_summary.json"

    def series_of(self, part: int) -> Path:
        return self.series / f"{PART_COLUMN}={part}"

    def output_of(self, part: int, file_format: BatchFormat) -> Path:
        return self.root / f"part-{part:05d}.{file_format}"

    def counts_of(self, part: int) -> Path:
        """The file with the counts of a part, written after its output."""
        return self.state / f"done-{part:05d}.json"

    def done_parts(self) -> set[int]:
        """Return the parts whose output is complete."""
        return {int(path.stem.removeprefix("done-")) for path in self.state.glob("done-*.json")}

    def remove_series(self) -> None:
        shutil.rmtree(self.series, ignore_errors=True)


def write_json_file(path: Path, content: Any) -> None:
    """Write a JSON file atomically."""
    unfinished = unfinished_path(path)
    unfinished.write_text(json.dumps(content, indent=1))
    unfinished.replace(path)


def read_json_file(path: Path) -> Any:
    return json.loads(path.read_text())


def unfinished_path(path: Path) -> Path:
    """Return the temporary file of this process that becomes ``path``."""
    return path.with_name(f".{path.name}.{os.uname().nodename}-{os.getpid()}")
