"""Names are the field's, begin as they should, and mean one thing in the whole service."""

import ast
import re
from collections import Counter
from collections.abc import Iterator

from tests.support.source_trees import lines, nodes_of, trees_of

FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
CONSTANT = re.compile(r"\b[A-Z][A-Z0-9_]{2,}\b")
CONSTANTS_DEFINED = re.compile(r"((?:_?[A-Z][A-Z0-9_]+, )*_?[A-Z][A-Z0-9_]+)(?:: [^=]+)? = ")
# A bound is called MAX_, MIN_ or DEFAULT_, and says its unit last.
OTHER_BOUNDS = re.compile(
    r"_?(LONGEST|SHORTEST|LARGEST|GREATEST|MOST|LEAST|FEWEST|FURTHEST|USUAL)(_|$)|_?ENOUGH_"
)
# Constants that modules of one kind all have; `bounds` is used as ``bounds.MAX_POINTS``.
COMMON_CONSTANTS = {"DIALECT", "EXAMPLES", "FORMAT", "PATH_PREFIX"}
# Packages whose modules may have a constant of one name with several values.
OWN_CONSTANTS = ("app/anomalies/", "app/web/")
NAMESPACES = {"app/api/dialects/timegpt/bounds.py"}
# Functions that act, and return whether that succeeded or changed something.
ACTIONS = {
    "acquire", "add", "change", "claim", "end", "evaluate", "finish", "hit", "make", "open",
    "parse", "put", "read", "record", "release", "repair", "replace", "run", "store", "try",
    "update", "write",
}  # fmt: skip
OF_LIBRARIES = {"__bool__", "_deserialize", "filter", "systemctl"}
PREDICATE = re.compile(r"_?(are|can|has|have|is|may|must|needs|should|was|were)_")
# Expressions whose value is a truth value for each entry of an array.
TRUTHS = re.compile(r"~|not |np\.(?:isfinite|isin|isnan|isnat)\(|np\.(?:ones|zeros)\(.*\bbool_?\)")
# The names of settings, options, libraries and the API.
OPTIONS = {"Settings", "SetupOptions", "RowLock"}
FLAGS = {"allow_none", "for_update", "keep_slot", "newest_first", "required", "with_detector"}
# Functions that modules of one kind all have: formats of messages, dialects.
COMMON_FUNCTIONS = {"error_code", "error_head", "main"}
FORMATS = "app/delivery/formats/"  # each module has the same functions, which `FORMATS` finds
# Words that are not the field's: functions lock, record, validate; series have parts and outliers.
AVOIDED_VERBS = {
    "adopt", "believe", "dare", "doubt", "give", "hold", "mend", "note", "settle", "spare",
    "tell", "trust",
}  # fmt: skip
AVOIDED_NOUNS = {*("habit", "habits", "stray", "strays", "stretch", "stretches", "wish", "wishes")}
# Names of variables that do not say what they are: a row, a series, an account. Prepositions,
# adverbs and pronouns never do.
VAGUE = {
    "again", "alike", "beside", "both", "each", "enough", "found", "one", "same", "two",
}  # fmt: skip
# Participles in place of a noun: a text, a column, a pattern, an index.
VAGUE_IN_APP = {"known", "listed", "named"}


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


def test_a_name_of_a_class_or_type_means_one_thing_in_the_whole_service() -> None:
    counts = Counter(
        name
        for tree in trees_of("app").values()
        for node in tree.body  # marshmallow's Meta is inside others
        for name in ([node.name] if isinstance(node, ast.ClassDef) else aliases_in(node))
    )
    assert len(counts) > 800  # the search finds what there is
    assert [name for name, number in counts.items() if number > 1] == []


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


def test_a_constant_of_modules_in_one_folder_has_one_value() -> None:
    """Siblings import each other, and are read together."""
    values: dict[str, dict[float, str]] = {}
    for path, tree in trees_of("app").items():
        for name, value in numbers_in(tree):
            if not path.startswith(OWN_CONSTANTS):
                values.setdefault(f"{path.rpartition('/')[0]}: {name}", {})[value] = path
    assert len(values) > 1_000  # the search finds what there is
    assert [(name, by) for name, by in values.items() if len(by) > 1] == []


def numbers_in(tree: ast.Module) -> Iterator[tuple[str, float]]:
    """Return the constants of a module that are numbers, without underscores before their names."""
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            target, value = statement.targets[0], statement.value
            pairs = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = [*zip(target.elts, value.elts, strict=True)]
            for name, number in pairs:
                if isinstance(number, ast.Constant) and isinstance(number.value, int | float):
                    yield ast.unparse(name).strip("_"), number.value


def aliases_in(statement: ast.stmt) -> list[str]:
    """Return the names of types that a statement of a module assigns: ``View = Callable[…]``."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    return [name for name in names if re.match(r"_?[A-Z]\w*[a-z]", name)]


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


def test_truth_values_of_arrays_and_comparisons_are_named_as_predicates() -> None:
    names = {
        f"{path}:{node.lineno}: {name}": name.lower()
        for path, tree in trees_of("app").items()
        for node in ast.walk(tree)
        if (name := name_of_truth(node)) and name not in FLAGS
    }
    assert len(names) > 300  # the search finds what there is
    assert {place for place, name in names.items() if not PREDICATE.match(name)} == set()


def name_of_truth(node: ast.AST) -> str:
    """Return the name that a node gives to a truth value or an array of them, empty if none."""
    if isinstance(node, ast.Assign):
        is_truth = isinstance(node.value, ast.Compare) or TRUTHS.match(ast.unparse(node.value))
        return name_made_by(node.targets[0]) if is_truth else ""
    if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation:
        is_truth = ast.unparse(node.annotation) == "BoolArray"
        return name_made_by(node.target if isinstance(node, ast.AnnAssign) else node) * is_truth
    return ""


def test_variables_do_not_hide_what_their_module_imports_or_defines() -> None:
    """Except for fixtures, which no module calls."""
    hidden = {
        f"{path}:{node.lineno}: {node.id}"
        for folder in ("app", "benchmarks", "clients/python", "tests")
        for path, tree in trees_of(folder).items()
        for known in [names_of_module(tree)]
        for function in ast.walk(tree)
        if isinstance(function, FUNCTION)
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in known
    }
    assert hidden == set()


def names_of_module(tree: ast.Module) -> set[str]:
    """Return the names of its imports, functions and classes, without fixtures."""
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    imported = {(alias.asname or alias.name).split(".")[0] for n in imports for alias in n.names}
    made = (node for node in tree.body if isinstance(node, FUNCTION | ast.ClassDef))
    return imported | {
        node.name for node in made if "pytest.fixture" not in map(decorator_of, node.decorator_list)
    }


def decorator_of(node: ast.expr) -> str:
    return ast.unparse(node.func if isinstance(node, ast.Call) else node)


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


def test_variables_are_named_after_what_they_are() -> None:
    vague = {
        f"{path}:{node.lineno}: {name}"
        for path, node in nodes_of("app", "benchmarks", "clients", "tests")
        if (name := name_made_by(node)) in VAGUE
        or (name in VAGUE_IN_APP and path.startswith("app/"))
    }
    assert vague == set()


def test_variables_of_page_scripts_are_named_after_what_they_are() -> None:
    names = "|".join(VAGUE)
    vague = re.compile(rf"\b(?:const|let) (?:{names})\b|(?<![\w`])\(?(?:{names})\)? =>")
    scripts = [line for line in lines() if line[0].startswith("app/web/pages/static/")]
    assert len(scripts) > 5_000  # the search finds what there is
    assert [line for line in scripts if vague.search(line[1])] == []
