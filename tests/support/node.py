"""Node, in which JavaScript for servers is run: Playwright brings one along."""

from pathlib import Path

import playwright

NODE = str(Path(playwright.__file__).parent / "driver" / "node")
