"""The blocks of the pages on installing and upgrading, with the names of a test."""

import re
from collections.abc import Sequence

from tests.docs.pages import shell_blocks
from tests.support.server import ROOT

PAGES = ("install.md", "package.md", "several-nodes.md")
NAME, EMAIL = "forecast.test", "admin@forecast.test"
REPLACED = {"forecast.example.com": NAME, "admin@example.com": EMAIL}


def commands(part: str, package: str = "", pages: Sequence[str] = PAGES) -> str:
    """Return the one block of ``pages`` that has ``part``; its package is /root/``package``.deb."""
    folder = ROOT / "docs/running"
    blocks = [block.commands for page in pages for block in shell_blocks(folder / page)]
    matching = [block for block in blocks if part in block]
    assert len(matching) == 1, f"{len(matching)} blocks of the pages have {part!r}"
    script = re.sub(r"\./forecast-service_\S+\.deb", f"/root/{package}.deb", matching[0])
    for old, new in REPLACED.items():
        script = script.replace(old, new)
    return script
