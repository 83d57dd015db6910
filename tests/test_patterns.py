"""Regular expressions that meet input take linear time, whatever the input is."""

import ast
import collections
import functools
import gc
import importlib
import re
import time
import warnings
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.support.source_trees import trees_of

LENGTHS = (24, 500, 5_000)  # the slower a pattern, the earlier it shows
# Half a microsecond for each of 5,000 characters, which few patterns need. A pattern whose time
# grows by their square takes 12 million steps: ten times as long.
MAX_SECONDS = 0.0025
SHORTER = 8  # how many times shorter the text is that a slow one is compared with
MAX_GROWTH = 24.0  # how many times longer the slow one may take; 8 is the length, 64 its square
MAX_CHARACTERS = 48  # of a pattern and the alphabet; classes of 60 currencies add nothing
METHODS = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")
PANDAS_METHODS = ("match", "fullmatch", "contains", "extract", "extractall", "findall", "count")
CALLED = {*METHODS, *PANDAS_METHODS, "replace"}
ALPHABET = "a0 \t\n.,-_=:+/\"'<[({|é\x00"
# Whole modules whose patterns never meet a stranger's input.
OPERATORS_OWN = {
    "app.ops.cli": "an administrator's own words on the command line",
    "app.ops.setup": "the machine that is set up, and what its administrator says",
    "app.core.setting_parsers": "the environment of the service",
    "app.ops.settings_file": "the settings file of the machine",
    "app.identity.limits.stores.redis": "the URI of the store, which is a setting",
    "app.api.openapi": "paths of our own endpoints",
    "app.api.examples.recorded": "examples in our own documents",
    "app.web.pages.error_list": "our own page of errors",
}
# Patterns that never meet it, though their modules have others that do.
OUR_OWN = {
    "app/api/endpoints/endpoint.py: PATH_VARIABLE": "paths of our own endpoints",
    "app/web/dashboard/explained_failures.py: _possible_causes": "paths of our own examples",
    "app/timeseries/calendar/countries.py: _REMARK": "names in the library of holidays",
}
# Functions that compile patterns, which modules keep as constants.
IN_FUNCTIONS = {
    "app/tables/text/alphabets.py: _alphabet_of",
    "app/tables/dates/forms.py: DateForm",
    "app/tables/dates/forms.py: pattern_of_any",
    "app/tables/numbers/parsing.py: _grouped_pattern",
}
# Patterns in tables, with the methods of the loops through these.
IN_TABLES = {"app/tables/numbers/number_parts.py: STEPS": {"search"}}
# Patterns in functions that depend on what a caller passes, with texts they are equal to.
LOCAL = {
    ("app/tables/values/summary.py", "pattern"): ("_SUMS", "_LEVELS", "_FLOWS"),
    (
        "app/web/dashboard/explained_failures.py",
        "re.sub('\\\\{\\\\w+\\\\}', '[^/]+', path) + '(\\\\?.*)?'",
    ): ("'/v1/keys/[^/]+/limits/[^/]+' + '(\\\\?.*)?'",),
}


class Use(NamedTuple):
    """A pattern, where it is, and the method it is used with."""

    place: str
    pattern: re.Pattern[str]
    method: str


def module_of(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@functools.cache
def nodes_by_path() -> dict[str, list[ast.AST]]:
    """List the nodes of each module, the module first: to walk through all of them takes long."""
    return {path: list(ast.walk(tree)) for path, tree in trees_of("app").items()}


def names_of(node: ast.expr) -> str:
    """Return the name by which an expression reaches a pattern: ``_NAMES`` in ``_NAMES[x]``."""
    if isinstance(node, ast.Subscript):
        return names_of(node.value)
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def methods_by_name() -> dict[str, set[str]]:
    """Return the methods by which something of a name is used anywhere in the service."""
    results: dict[str, set[str]] = {}
    for nodes in nodes_by_path().values():
        for node in nodes:
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                results.setdefault(names_of(node.value), set()).add(node.attr)
    return results


def patterns_in(value: object) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from patterns_in(part)
    elif isinstance(value, (tuple, list, set, frozenset)):
        for part in value:
            yield from patterns_in(part)


def has_reason(module: str) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in OPERATORS_OWN)


def uses_re(nodes: list[ast.AST]) -> bool:
    return any(
        isinstance(node, ast.Import) and any(name.name == "re" for name in node.names)
        for node in nodes
    )


def compiled_patterns() -> Iterator[Use]:
    """Yield patterns that modules keep."""
    methods = methods_by_name()
    for path, nodes in nodes_by_path().items():
        module = module_of(path)
        if has_reason(module) or not uses_re(nodes):
            continue
        for name, value in vars(importlib.import_module(module)).items():
            for pattern in patterns_in(value):
                place = f"{path}: {name}"
                known = methods.get(name, set()) | methods.get("pattern", set())
                known |= IN_TABLES.get(place, set())
                for method in sorted(known if place not in OUR_OWN else ()):
                    yield Use(place, pattern, method)


def inline_patterns() -> Iterator[Use]:
    """Yield patterns in calls of ``re`` and of pandas' string methods."""
    for path, nodes in nodes_by_path().items():
        module = module_of(path)
        if has_reason(module):
            continue
        for node in nodes:
            if isinstance(node, ast.Call) and node.args and (method := method_of(node)):
                text = ast.unparse(node.args[0])
                for expression in LOCAL.get((path, text), (text,)):
                    known = eval(expression, vars(importlib.import_module(module)))
                    source = known.pattern if isinstance(known, re.Pattern) else known
                    yield Use(f"{path}: {expression}", re.compile(source), method)


def method_of(call: ast.Call) -> str:
    """Return the method of ``re`` that a call uses, "" where it matches nothing."""
    called = call.func
    if not isinstance(called, ast.Attribute) or called.attr not in CALLED:
        return ""
    owner = ast.unparse(called.value)
    if owner == "re" and called.attr in METHODS:
        return called.attr
    is_of_pandas = owner.endswith(".str") and called.attr in PANDAS_METHODS
    if is_of_pandas or (called.attr == "replace" and any(k.arg == "regex" for k in call.keywords)):
        return called.attr if called.attr in METHODS else "search"
    return ""


@functools.cache
def examples(pattern: re.Pattern[str]) -> list[str]:
    """Return strings that match, always the same."""
    results: list[str] = []

    @settings(
        max_examples=3,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.from_regex(pattern))
    def collect(text: str) -> None:
        results.append(text[:40])

    collect()
    return [*dict.fromkeys(results)]


def texts(pattern: re.Pattern[str], length: int) -> Iterator[str]:
    """Run of a character, alternations of two, and matches with a part repeated."""
    characters = [*dict.fromkeys([*ALPHABET, *pattern.pattern])][:MAX_CHARACTERS]
    for character in characters:
        yield character * length
    for first, second in pairwise(characters):
        yield (first + second) * (length // 2)
    for text in examples(pattern):
        for place in range(1, min(len(text), 8) + 1):
            before, after = text[:place], text[place:]
            for repeated in {before[-1:], before[-2:], before}:
                yield before + repeated * (length // len(repeated)) + "\x00"
                yield before + repeated * (length // len(repeated)) + after + "\x00"


def seconds(use: Use, text: str) -> float:
    """Return the least CPU time of a few tries, as far as the first was too long."""
    least = float("inf")
    for _ in range(3):
        started = time.process_time()
        if use.method in ("sub", "subn"):
            getattr(use.pattern, use.method)("", text)
        elif use.method == "finditer":
            # Kept matches would fill new pages of memory, which may take longer than to find them.
            collections.deque(use.pattern.finditer(text), maxlen=0)
        else:
            getattr(use.pattern, use.method)(text)
        least = min(least, time.process_time() - started)
        if not MAX_SECONDS < least < 20 * MAX_SECONDS:
            break
    return least


def text_that_is_slow(use: Use) -> str | None:
    """Return a text that takes too long, in short; None where there is none."""
    for length in LENGTHS:
        shorter = texts(use.pattern, length // SHORTER)
        for short, text in zip(shorter, texts(use.pattern, length), strict=True):
            took = seconds(use, text)
            # A slow machine is slow for the short text, too.
            if took > MAX_SECONDS and took > MAX_GROWTH * seconds(use, short):
                return f"{text[:20]!r}… ({length:,} characters): {took:.3f} s"
    return None


@pytest.fixture
def without_garbage_collection() -> Iterator[None]:
    """A collection of all that earlier tests left takes longer than a slow pattern."""
    gc.disable()
    yield
    gc.enable()


@functools.cache
def all_uses() -> list[Use]:
    """Return every use of a pattern; to collect them with the tests would take each process 1 s."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [*compiled_patterns(), *inline_patterns()]


@pytest.mark.usefixtures("without_garbage_collection")
def test_every_pattern_takes_linear_time() -> None:
    uses = {(use.pattern, use.method): use for use in all_uses()}
    assert len(uses) > 100  # the search finds what there is
    slow = {f"{use.place} {use.method}": text_that_is_slow(use) for use in uses.values()}
    assert {place: text for place, text in slow.items() if text} == {}


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"[\s:+|=-]*[-=]{3,}[\s:+|=-]*", "fullmatch"),
        (r"(a+)+b", "match"),
        (r"\d+x", "search"),
        (r"<c [^<>]*r=[^<>]*>", "search"),
        (r"x(?:ab)*(?:ab)*c", "fullmatch"),
    ],
)
def test_a_pattern_that_is_not_linear_is_found(pattern: str, method: str) -> None:
    assert text_that_is_slow(Use("", re.compile(pattern), method)) is not None


def pattern_names(path: str, nodes: list[ast.AST]) -> Iterator[str]:
    """Yield the names of what a module makes of each ``re.compile`` of it, by statement."""
    assert isinstance(nodes[0], ast.Module)
    for statement in nodes[0].body:
        if any(ast.unparse(call.func) == "re.compile" for call in calls_in(statement)):
            targets = getattr(statement, "targets", [getattr(statement, "target", statement)])
            for target in targets:
                for name in getattr(target, "elts", [target]):
                    yield f"{path}: {getattr(name, 'id', getattr(name, 'name', '?'))}"


def calls_in(statement: ast.stmt) -> Iterator[ast.Call]:
    return (node for node in ast.walk(statement) if isinstance(node, ast.Call))


def test_every_pattern_that_is_compiled_is_looked_at() -> None:
    places = {use.place for use in all_uses()} | OUR_OWN.keys() | IN_FUNCTIONS
    made = {
        place
        for path, nodes in nodes_by_path().items()
        if not has_reason(module_of(path))
        for place in pattern_names(path, nodes)
    }
    assert made - places == set()


def test_no_module_has_patterns_of_other_libraries_or_by_other_names() -> None:
    others = {"re", "regex", "re2", "fnmatch"}
    nodes = [node for nodes in nodes_by_path().values() for node in nodes]
    from_them = [n for n in nodes if isinstance(n, ast.ImportFrom) and n.module in others]
    whole = [n for n in nodes if isinstance(n, ast.alias) and n.name in others]
    assert from_them + [n for n in whole if n.asname or n.name != "re"] == []
