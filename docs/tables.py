"""Tables of the documentation that are made from the code, between two comments of a page."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Table:
    """A table in Markdown.

    Attributes:
        page: The page, from the folder of the project.
        name: What it lists; ``make <name>`` writes it.
        lines: The table, each line with its end.
    """

    page: str
    name: str
    lines: str

    def page_with_it(self) -> str:
        """Return the page as it stands, with these lines as the table."""
        first, last = f"<!-- {self.name}: make {self.name} -->\n", f"<!-- end of {self.name} -->\n"
        before, _, rest = (ROOT / self.page).read_text().partition(first)
        return before + first + self.lines + last + rest.partition(last)[2]

    def write(self) -> None:
        """Replace the table on its page."""
        (ROOT / self.page).write_text(self.page_with_it())
