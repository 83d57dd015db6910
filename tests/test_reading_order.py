"""Modules are read from top to bottom: constants, then callers, then helpers."""

import ast
import re
from collections.abc import Iterable, Iterator

from tests.support.source_trees import trees_of

BOUND = re.compile("(?<=_)(?:ABOVE|BELOW|LOWER|MAX|MIN|UPPER)|^(?:FIRST|LAST|MAX|MIN)")


def test_helpers_come_after_all_functions_that_call_them() -> None:
    """So a module is read from top to bottom; except for recursion, and for calls at import."""
    too_early = [
        f"{path}: {helper.name} before {user.name}"
        for path, tree in (trees_of("app") | trees_of("clients/python/src")).items()
        for helper in functions_of(tree)
        if helper.name.startswith("_") and helper.name not in names_at_import(tree)
        for user in functions_of(tree)
        if user.lineno > helper.lineno and helper.name in names_in([user])
        if user.name not in names_called(tree, {helper.name})
    ]
    assert too_early == []


def functions_of(tree: ast.Module) -> list[ast.FunctionDef]:
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def names_in(nodes: Iterable[ast.AST]) -> set[str]:
    return {name.id for node in nodes for name in ast.walk(node) if isinstance(name, ast.Name)}


def names_at_import(tree: ast.Module) -> set[str]:
    """Return the names that an import uses, also in the functions that it calls."""
    functions = functions_of(tree)
    decorators = [decorator for node in functions for decorator in node.decorator_list]
    others = [node for node in tree.body if not isinstance(node, ast.FunctionDef)]
    names = names_in([*decorators, *(node.args for node in functions), *others])
    return names_called(tree, names)


def names_called(tree: ast.Module, names: set[str]) -> set[str]:
    """Return names, and those that functions of these names use, directly or through others."""
    while called := names_in(node for node in functions_of(tree) if node.name in names) - names:
        names = names | called
    return names


def test_constants_come_before_the_functions_that_use_them() -> None:
    """Except for constants that functions of the module make."""
    too_late = [
        f"{path}: {name}"
        for path, tree in trees_of("app").items()
        for statement in tree.body
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value
        if names_in([statement.value]).isdisjoint(node.name for node in functions_of(tree))
        for before in [[node for node in functions_of(tree) if node.lineno < statement.lineno]]
        for name in names_in([statement]) - names_in([statement.value])
        if name.isupper() and name in names_in(before)
    ]
    assert too_late == []


def test_constants_of_tests_and_benchmarks_are_above_the_functions() -> None:
    """Except for constants that functions or classes of the module make."""
    too_late = [
        f"{path}:{statement.lineno}"
        for folder in ("benchmarks", "clients/python/tests", "tests")
        for path, tree in trees_of(folder).items()
        for statement in constants_below_functions(tree)
    ]
    assert too_late == []


def constants_below_functions(tree: ast.Module) -> Iterator[ast.stmt]:
    made: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            made.add(statement.name)
        elif isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value and made:
            if names_in([statement]).isdisjoint(made):
                yield statement
            else:
                made |= names_in([statement])


def test_constants_have_a_line_each_unless_they_are_the_bounds_of_one_quantity() -> None:
    """So a comment is about one constant."""
    unpacked = [
        f"{path}:{statement.lineno}"
        for folder in ("app/forecasting", "app/tables", "app/timeseries")
        for path, tree in trees_of(folder).items()
        for statement in tree.body
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Tuple)
        if isinstance(statement.targets[0], ast.Tuple)
        for names in [ast.unparse(statement.targets[0]).strip("()").split(", ")]
        if len({BOUND.sub("", name) for name in names}) > 1
    ]
    assert unpacked == []


def test_constants_of_different_kinds_have_a_line_each() -> None:
    """A count and a fraction are of different kinds: an integer and a number with decimals."""
    mixed = [
        f"{path}:{statement.lineno}"
        for path, tree in (trees_of("app") | trees_of("clients/python/src")).items()
        for statement in tree.body
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Tuple)
        if isinstance(statement.targets[0], ast.Tuple)
        for values in [[entry for entry in statement.value.elts if isinstance(entry, ast.Constant)]]
        if {int, float} <= {type(entry.value) for entry in values}
    ]
    assert mixed == []
