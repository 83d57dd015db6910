"""The project's documents, as tests read them."""

import re
from dataclasses import dataclass
from pathlib import Path

from tests.support.programs import output_of
from tests.support.server import ROOT


def documents() -> list[Path]:
    """Return every Markdown file of the project that is tracked, or new and not ignored."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    return [path for name in output_of(listing).splitlines() if (path := ROOT / name).exists()]


def name_of(path: Path) -> str:
    """Return the path of a document from the project's folder."""
    return path.relative_to(ROOT).as_posix()


@dataclass(frozen=True)
class Block:
    """A block of shell commands; ``reason`` is why no test runs it, if a comment above says so."""

    page: str
    commands: str
    reason: str | None


def shell_blocks(path: Path) -> list[Block]:
    """Return the blocks of shell commands in a document, in order."""
    reason = r"(?:<!-- Not run by a test: (?P<reason>[^>]+?) -->\n+)?"
    block = r"^ *```(?:sh|bash)\n(?P<commands>.*?)^ *```"
    matches = re.finditer(reason + block, path.read_text(), re.DOTALL | re.MULTILINE)
    return [Block(name_of(path), match["commands"], match["reason"]) for match in matches]


def slug(heading: str) -> str:
    """Return the anchor that a heading gets on the repository's host and in editors."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def anchors(path: Path) -> set[str]:
    """Return the anchors of a document's headings."""
    without_code = re.sub(r"^ *```.*?^ *```", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)
    return {slug(heading) for heading in re.findall(r"^#+ (.*)$", without_code, re.MULTILINE)}
