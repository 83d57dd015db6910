"""Suggest a known name for an unknown one, in messages."""

from collections.abc import Iterable
from difflib import SequenceMatcher

MAX_WORD_LENGTH = 64  # longer words are not compared: the time for it grows with their length
_MIN_SIMILARITY = 0.7


def find_nearest(sent: str, names: Iterable[str]) -> str | None:
    """Return the one of ``names`` that is nearest to ``sent``, ignoring case.

    None where none is near, or several are equally near.
    """
    if len(sent) > MAX_WORD_LENGTH:
        return None
    matcher = SequenceMatcher(b=sent.casefold(), autojunk=False)
    similarities = {name: _similarity(matcher, name) for name in names}
    best = max(similarities.values(), default=0.0)
    nearest = [name for name, similarity in similarities.items() if similarity == best]
    return nearest[0] if best >= _MIN_SIMILARITY and len(nearest) == 1 else None


def did_you_mean(sent: str, names: Iterable[str]) -> str:
    """Return ``did you mean X? `` for the nearest of ``names``; "" where none is near."""
    near = find_nearest(sent, names)
    return f"did you mean {near}? " if near else ""


def nearest_path(sent: str, templates: Iterable[str]) -> tuple[str, str] | None:
    """Return the nearest of ``templates``, such as ``/monitors/{name}``, and the path meant.

    Each segment of a near template is similar to the one sent in its position; the path sent may
    have more before or after them. None where no template is near.

    Returns:
        The template, and the path that it makes with the values sent.
    """
    if len(sent) > MAX_WORD_LENGTH:
        return None
    segments = _segments(sent)
    meant: dict[str, str] = {}
    for template in templates:
        pattern = _segments(template)
        for part in (segments[: len(pattern)], segments[-len(pattern) :]):
            if len(part) == len(pattern) and all(map(_is_match, pattern, part)):
                pairs = zip(pattern, part, strict=True)
                path = "".join(f"/{value if _is_variable(name) else name}" for name, value in pairs)
                meant[path] = template
    meant.pop(sent, None)  # its endpoint does not know this value
    near = find_nearest("/" + "/".join(segments), meant)
    return (meant[near], near) if near else None


def _segments(path: str) -> list[str]:
    return [segment for segment in path.split("/") if segment]


def _is_match(segment: str, sent: str) -> bool:
    return _is_variable(segment) or find_nearest(sent, [segment]) is not None


def _is_variable(segment: str) -> bool:
    return segment.startswith("{")


def _similarity(matcher: SequenceMatcher[str], name: str) -> float:
    """Return how like the matcher's word a name is, 0 to 1; 0 if a quick bound is too low."""
    matcher.set_seq1(name.casefold())
    bounds = (matcher.real_quick_ratio, matcher.quick_ratio)
    return matcher.ratio() if all(bound() >= _MIN_SIMILARITY for bound in bounds) else 0.0
