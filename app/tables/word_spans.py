"""The words of a line with their places."""

import re
from typing import NamedTuple

WORD = re.compile(r"\S+")
NAME = re.compile(r"\S+(?: \S+)*")  # which ends before two spaces


class Span(NamedTuple):
    start: int
    end: int
    text: str


def spans_of(line: str, part: re.Pattern[str]) -> list[Span]:
    return [Span(*match.span(), match[0]) for match in part.finditer(line)]
