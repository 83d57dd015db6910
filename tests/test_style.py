"""The words that docs/developing/style.md avoids are not used where people read."""

import ast
import functools
import re
from collections import Counter
from collections.abc import Iterable, Iterator

import pytest

from tests.support.programs import output_of
from tests.support.server import ROOT
from tests.support.source_trees import trees_of

READ_BY_PEOPLE = ["*.md", "*.py", "*.html", "*.js", "*.json", "*.yml", "*.service"]
# The page has to name what it avoids; other people's code is not ours to write.
LEFT_OUT = ["docs/developing/style.md", "tests/test_style.py", "app/web/pages/vendor"]
AVOIDED = {
    "is no X": r"(?<!there )\b(?:is|are) no (?!longer|more|less|such|need|other|larger)\w+",
    "stands in": r"\bstands? in\b",
    "is away": r"\b(?:is|are) away\b",
    "goes on": r"\bgoes on\b",
    "shall": r"\bshall\b",
    "of nobody's": r"\bof nobody\b|\bnobody's\b",
    "any more": r"\bany more\b",
    "processor": r"\bprocessors?\b",
    "that what": r"\bthat what\b",
    "that which": r"\bthat which\b",
    "so many": r"\bso (?:many|much)\b(?! \w+ (?:may|that)\b)",
    "alone": r"(?<![a-z.`])alone(?![a-z])",
    "tells": r"(?<![a-z.])(?:tells?|told|telling)(?![a-z])(?! (?:the|your) operator)",
    # But in the title of a paper.
    "-ise for -ize": r"(?<!Models for )"
    r"(?:initial|minim|normal|optim|recogn|seasonal|serial|standard|summar)is"
    r"(?:e|ed|es|er|ing|ation)(?![a-z])",
}
# Questions have answers; everything else has responses and results.
ANSWER = re.compile(r"\banswer(?:s|ed|ing)?\b", re.IGNORECASE)
HAVE_QUESTIONS = re.compile(
    r"app/(?:tables|api/(?:read|tables|examples))/|app/web/pages/static/playground/(?:data|reader|reading|session)"
    r"|clients/python/(?:README|src/forecast_client/cli)|docs/using/(?:tables|agents)"
    r"|app/web/dashboard/monitors/(?:pasted_tables|changes)|docs/developing/decisions|CHANGELOG"
    r"|tests/(?:tables|api/(?:read|tables|dialects/mcp/test_questions))|clients/python/tests/test_client_cli"
    r"|tests/web/(?:dashboard/monitors/test_(?:appended|pasted)|pages/(?:playing|test_date_writer|test_reading|test_session))"
)
CONSTANT = re.compile(r"\b[A-Z][A-Z0-9_]{2,}\b")
CONSTANTS_DEFINED = re.compile(r"((?:_?[A-Z][A-Z0-9_]+, )*_?[A-Z][A-Z0-9_]+)(?:: [^=]+)? = ")
STYLE = (ROOT / "docs" / "developing" / "style.md").read_text()


@functools.cache
def lines() -> list[tuple[str, str]]:
    """Return every line that people read, with its file and number."""
    pathspec = [*READ_BY_PEOPLE, *(f":!{path}" for path in LEFT_OUT)]
    command = ["git", "grep", "-I", "--line-number", "", "--", *pathspec]
    split = (line.split(":", 2) for line in output_of(command).splitlines())
    return [(f"{file}:{number}", text) for file, number, text in split]


@pytest.mark.parametrize("name", AVOIDED)
def test_no_line_has_translated_idioms(name: str) -> None:
    assert len(lines()) > 100_000  # the search finds what there is
    pattern = re.compile(AVOIDED[name], re.IGNORECASE)
    assert [f"{place}: {text.strip()}" for place, text in lines() if pattern.search(text)] == []


@pytest.mark.parametrize("name", AVOIDED)
def test_the_page_on_style_names_what_is_looked_for(name: str) -> None:
    assert name in STYLE


def test_only_questions_have_answers() -> None:
    others = [line for line in lines() if not HAVE_QUESTIONS.match(line[0])]
    assert len(lines()) > len(others) > 90_000  # the search finds what there is
    assert [f"{place}: {text.strip()}" for place, text in others if ANSWER.search(text)] == []


# A bound is called MAX_, MIN_ or DEFAULT_, and says its unit last.
OTHER_BOUNDS = re.compile(
    r"_?(LONGEST|SHORTEST|LARGEST|GREATEST|MOST|LEAST|FEWEST|FURTHEST|USUAL)(_|$)"
)


# A list of these is an eighth as long to go through as all nodes are to walk through.
NAMED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Name | ast.arg


@functools.cache
def named_nodes_of(folder: str) -> list[tuple[str, ast.AST]]:
    return [
        (path, node)
        for path, tree in trees_of(folder).items()
        for node in ast.walk(tree)
        if isinstance(node, NAMED)
    ]


def nodes_of(*folders: str) -> Iterator[tuple[str, ast.AST]]:
    """Yield the modules in the folders, and what has a name in them, with the module's path."""
    for folder in folders:
        yield from named_nodes_of(folder)


def test_bounds_are_named_as_bounds() -> None:
    names = {
        f"{path}: {node.id}"
        for path, node in nodes_of("app", "benchmarks", "clients", "tests")
        if isinstance(node, ast.Name) and OTHER_BOUNDS.match(node.id)
    }
    assert names == set()


def test_a_constant_that_no_other_module_uses_begins_with_an_underscore() -> None:
    users: dict[str, set[str]] = {}
    for place, text in lines():
        if (file := place.partition(":")[0]).endswith(".py"):
            for name in CONSTANT.findall(text):
                users.setdefault(name, set()).add(file)
    unshared = [
        f"{place}: {name}"
        for place, text in lines()
        if place.startswith("app/") and (defined := CONSTANTS_DEFINED.match(text))
        for name in defined[1].split(", ")
        if len(users.get(name, "")) == 1
    ]
    assert unshared == []


def test_constants_are_explained_by_comments_not_by_strings_below_them() -> None:
    strings = [
        f"{path}:{statement.lineno}"
        for path, node in nodes_of("app", "benchmarks", "clients", "tests")
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        for statement in node.body[1:]
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if isinstance(statement.value.value, str)
    ]
    assert strings == []


def test_a_name_of_a_class_or_type_means_one_thing_in_the_whole_service() -> None:
    counts = Counter(
        name
        for tree in trees_of("app").values()
        for node in tree.body  # marshmallow's Meta is inside others
        for name in ([node.name] if isinstance(node, ast.ClassDef) else aliases_in(node))
    )
    assert len(counts) > 800  # the search finds what there is
    assert [name for name, number in counts.items() if number > 1] == []


# Constants that modules of one kind all have; `bounds` is used as ``bounds.MAX_POINTS``.
COMMON_CONSTANTS = {"DIALECT", "EXAMPLES", "FORMAT", "PATH_PREFIX"}
NAMESPACES = {"app/api/dialects/timegpt/bounds.py"}


def test_a_name_of_a_public_constant_means_one_thing_in_the_whole_service() -> None:
    modules = {
        (node.id, path)
        for path, tree in trees_of("app").items()
        if path not in NAMESPACES
        for statement in tree.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        if re.fullmatch(r"[A-Z][A-Z0-9_]+", node.id)
    }
    counts = Counter(name for name, _ in modules)
    assert len(counts) > 500  # the search finds what there is
    assert {name for name, number in counts.items() if number > 1} == COMMON_CONSTANTS


def aliases_in(statement: ast.stmt) -> list[str]:
    """Return the names of types that a statement of a module assigns: ``View = Callable[…]``."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    return [name for name in names if re.match(r"_?[A-Z]\w*[a-z]", name)]


# Functions that act, and return whether that succeeded or changed something.
ACTIONS = {
    *("acquire", "add", "change", "claim", "end", "evaluate", "finish", "hit", "make", "open"),
    *("parse", "put", "read", "record", "release", "repair", "replace", "run", "store", "try"),
    *("update", "write"),
}
OF_LIBRARIES = {"__bool__", "_deserialize", "filter", "systemctl"}
PREDICATE = re.compile(r"_?(are|can|has|have|is|may|must|needs|should|was|were)_")
# The names of settings, options, libraries and the API.
OPTIONS = {"Settings", "SetupOptions", "RowLock"}
FLAGS = {"allow_none", "for_update", "keep_slot", "newest_first", "required", "with_detector"}


def test_predicates_and_flags_begin_as_in_a_sentence() -> None:
    names = {
        f"{path}: {node.name}": node.name
        for path, node in nodes_of("app")
        if isinstance(node, ast.FunctionDef)
        and node.returns
        and ast.unparse(node.returns) == "bool"
        if node.name not in OF_LIBRARIES and node.name.strip("_").split("_")[0] not in ACTIONS
    }
    names |= {
        f"{path}: {node.name}.{field.target.id}": field.target.id
        for path, node in nodes_of("app")
        if isinstance(node, ast.ClassDef) and node.name not in OPTIONS
        for field in node.body
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if ast.unparse(field.annotation) in {"bool", "bool | None", "Mapped[bool]"}
    }
    names |= {
        f"{path}:{argument.lineno}: {argument.arg}": argument.arg
        for path, argument in nodes_of("app")
        if isinstance(argument, ast.arg) and argument.annotation
        if ast.unparse(argument.annotation) in {"bool", "bool | None"}
        if argument.arg not in FLAGS and not path.startswith("app/ops/")
    }
    assert len(names) > 500  # the search finds what there is
    others = {place for place, name in names.items() if not PREDICATE.match(name)}
    assert {place for place in others if not place.startswith("app/tables/")} == set()


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


def test_variables_do_not_hide_what_their_module_imports_or_defines() -> None:
    hidden = {
        f"{path}:{node.lineno}: {node.id}"
        for path, tree in (trees_of("app") | trees_of("clients/python/src")).items()
        for known in [names_of_module(tree)]
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in known
    }
    assert hidden == set()


def names_of_module(tree: ast.Module) -> set[str]:
    """Return the names of its imports, functions and classes."""
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    imported = {(alias.asname or alias.name).split(".")[0] for n in imports for alias in n.names}
    made = (node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef))
    return imported | {node.name for node in made}


# Functions that modules of one kind all have: formats of messages, dialects, what an engine loads.
COMMON_FUNCTIONS = {"error_code", "error_head", "main", "warm_up"}
FORMATS = "app/delivery/formats/"  # each module has the same functions, which `FORMATS` finds


def test_a_name_of_a_public_function_means_one_thing_in_the_whole_service() -> None:
    """Views and commands may be called as what they offer: `list_keys`."""
    counts = Counter(
        node.name
        for path, tree in trees_of("app").items()
        if not path.endswith("routes.py") and not path.startswith(FORMATS)
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and not node.decorator_list
    )
    assert len(counts) > 1_000  # the search finds what there is
    twice = {name for name, number in counts.items() if number > 1 and name[0] != "_"}
    assert twice == COMMON_FUNCTIONS


def test_docstrings_explain_arguments_that_are_there() -> None:
    explained = {
        f"{path}:{node.lineno}: {name}": name in argument_names(node)
        for path, node in nodes_of("app", "benchmarks", "clients/python/src")
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for name in explained_arguments(ast.get_docstring(node) or "")
    }
    assert len(explained) > 300  # the search finds what there is
    assert [place for place, is_there in explained.items() if not is_there] == []


def test_each_entry_of_a_docstring_has_a_line_of_its_own() -> None:
    run_on = re.compile(r"^ +[a-z_]+: .*\. [a-z_]+: [A-Z]")
    assert [line for line in lines() if ".py:" in line[0] and run_on.search(line[1])] == []


def test_explanations_of_arguments_begin_with_a_capital_letter() -> None:
    small = re.compile(r"^    [\w*]+(?:, [\w*]+)*: [a-z].*", re.MULTILINE)
    places = {
        f"{path}:{node.lineno}: {line.strip()}"
        for path, node in nodes_of("app", "benchmarks", "clients/python/src")
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for line in small.findall((ast.get_docstring(node) or "").partition("\nArgs:\n")[2])
    }
    assert places == set()


def test_docstrings_are_in_the_imperative() -> None:
    """``Return``, not ``Returns``, also for errors outside of a section and after a semicolon."""
    third_person = re.compile(r"^ *(?:Returns|Raises|Yields) [a-zA-Z]|; (?:returns|raises) ", re.M)
    docstrings = {
        f"{path}:{node.lineno}": ast.get_docstring(node) or ""
        for path, node in nodes_of("app", "benchmarks", "clients", "docs", "nginx", "tests")
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    assert len(docstrings) > 5_000  # the search finds what there is
    assert [place for place, text in docstrings.items() if third_person.search(text)] == []


def explained_arguments(docstring: str) -> list[str]:
    """Return the names under "Args:"."""
    _, _, rest = docstring.partition("\nArgs:\n")
    section = re.split(r"\n\n|\n(?=\S)", rest)[0]
    return [
        name.strip("*")
        for line in re.findall(r"^    ([\w*]+(?:, [\w*]+)*):", section, re.MULTILINE)
        for name in line.split(", ")
    ]


def argument_names(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> set[str]:
    """Return the parameters of a function; of a class, those of its constructor and its fields."""
    if not isinstance(node, ast.ClassDef):
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
        return {argument.arg for argument in every}
    makers = [item for item in node.body if isinstance(item, ast.FunctionDef)]
    names = {name for maker in makers if maker.name == "__init__" for name in argument_names(maker)}
    fields = [item.target for item in node.body if isinstance(item, ast.AnnAssign)]
    return names | {field.id for field in fields if isinstance(field, ast.Name)}


# Words that are not the field's: functions lock, record, validate; series have parts and outliers.
AVOIDED_VERBS = {
    *("adopt", "believe", "dare", "doubt", "give", "hold", "mend", "note", "settle", "spare"),
    *("tell", "trust"),
}
AVOIDED_NOUNS = {*("habit", "habits", "stray", "strays", "stretch", "stretches", "wish", "wishes")}


def test_names_have_the_words_of_the_field() -> None:
    folders = ("app", "benchmarks", "clients", "tests")
    functions = {
        f"{path}:{node.lineno}: {node.name}": words_of(node.name)[0]
        for path, node in nodes_of(*folders)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    names = {
        f"{path}:{node.lineno}: {name}": words_of(name)
        for path, node in nodes_of(*folders)
        if (name := name_made_by(node))
    }
    assert len(functions) > 5_000  # the search finds what there is
    assert {place for place, verb in functions.items() if verb in AVOIDED_VERBS} == set()
    assert {place for place, words in names.items() if AVOIDED_NOUNS & {*words}} == set()


def name_made_by(node: ast.AST) -> str:
    """Return the name that a node defines or assigns, empty if none."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.id
    return node.arg if isinstance(node, ast.arg) else ""


def words_of(name: str) -> list[str]:
    """Return the words of a name, small: ``_FirstPart`` and ``first_part`` have the same."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().strip("_").split("_")


# Names of variables that do not say what they are: a row, a series, an account. Prepositions,
# adverbs and pronouns never do.
VAGUE = {
    *("again", "alike", "beside", "both", "each", "enough", "found", "one", "same", "two"),
}


def test_variables_are_named_after_what_they_are() -> None:
    vague = {
        f"{path}:{node.lineno}: {name}"
        for path, node in nodes_of("app", "benchmarks", "clients", "tests")
        if (name := name_made_by(node)) in VAGUE
    }
    assert vague == set()


def test_variables_of_page_scripts_are_named_after_what_they_are() -> None:
    names = "|".join(VAGUE)
    vague = re.compile(rf"\b(?:const|let) (?:{names})\b|(?<![\w`])\(?(?:{names})\)? =>")
    scripts = [line for line in lines() if line[0].startswith("app/web/pages/static/")]
    assert len(scripts) > 5_000  # the search finds what there is
    assert [line for line in scripts if vague.search(line[1])] == []
