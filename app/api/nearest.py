"""What somebody probably meant who sent a name that is not known: for messages, never for use."""

from collections.abc import Iterable
from difflib import SequenceMatcher

LONGEST = 64
"""Longer words are not compared: the time that it takes grows with their length."""
LEAST_LIKENESS = 0.6


def nearest(sent: str, known: Iterable[str]) -> str | None:
    """Return the one of ``known`` that is nearest to ``sent``, in whatever case.

    None where none is near, or several are equally near.
    """
    if len(sent) > LONGEST:
        return None
    matcher = SequenceMatcher(b=sent.casefold(), autojunk=False)
    likenesses = {name: _likeness(matcher, name) for name in known}
    best = max(likenesses.values(), default=0.0)
    found = [name for name, likeness in likenesses.items() if likeness == best]
    return found[0] if best >= LEAST_LIKENESS and len(found) == 1 else None


def did_you_mean(sent: str, known: Iterable[str]) -> str:
    """Return the question whether the nearest of ``known`` was meant; "" where none is near."""
    near = nearest(sent, known)
    return f"did you mean {near}? " if near else ""


def _likeness(matcher: SequenceMatcher[str], name: str) -> float:
    """Return how like the matcher's word a name is, 0 to 1; 0 where that is soon seen to be low."""
    matcher.set_seq1(name.casefold())
    bounds = (matcher.real_quick_ratio, matcher.quick_ratio)
    return matcher.ratio() if all(bound() >= LEAST_LIKENESS for bound in bounds) else 0.0
