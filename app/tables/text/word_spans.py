"""The words of a line with their places."""

import re
from typing import NamedTuple

WORD = re.compile(r"\S+")
NAME = re.compile(r"\S+(?: \S+)*")  # which ends before two spaces


class WordSpan(NamedTuple):
    start: int
    end: int
    text: str


def spans_of(line: str, part: re.Pattern[str]) -> list[WordSpan]:
    return [WordSpan(*match.span(), match[0]) for match in part.finditer(line)]
