"""The blocks of the page of the package, with the names of a test."""

import re

from tests.docs.pages import shell_blocks
from tests.support.server import ROOT

PAGE = ROOT / "docs/running/package.md"
NAME, EMAIL = "forecast.test", "admin@forecast.test"
REPLACED = {"forecast.example.com": NAME, "admin@example.com": EMAIL}


def commands(*parts: str, package: str = "") -> str:
    """The one block that has all ``parts``; its package is /root/``package``.deb."""
    found = [
        one.commands for one in shell_blocks(PAGE) if all(map(one.commands.__contains__, parts))
    ]
    assert len(found) == 1, f"{PAGE} has {len(found)} blocks with {parts}"
    script = re.sub(r"\./forecast-service_\S+\.deb", f"/root/{package}.deb", found[0])
    for old, new in REPLACED.items():
        script = script.replace(old, new)
    return script
