"""Short sentences for clients about what was done with their points."""


class Notices(list[str]):
    """Notices in the order in which they came up, each once."""

    def add(self, notice: str) -> None:
        if notice not in self:
            self.append(notice)
