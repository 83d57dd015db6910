"""Caches that the applications of one process share: thousands are created, with the same pages."""

from typing import Any, ClassVar

import sqlalchemy
from jinja2.bccache import Bucket, BytecodeCache
from sqlalchemy import Dialect, Engine
from werkzeug.routing import Rule


class SharedTemplates(BytecodeCache):
    """Templates, compiled once for all applications."""

    def __init__(self) -> None:
        self._compiled: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load the compiled template, if any."""
        if bytecode := self._compiled.get(bucket.key + bucket.checksum):
            bucket.bytecode_from_string(bytecode)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store the compiled template."""
        self._compiled[bucket.key + bucket.checksum] = bucket.bytecode_to_string()


class SharedRule(Rule):
    """A path whose compiled form is shared with other applications."""

    _compiled: ClassVar[dict[tuple[Any, ...], tuple[set[str], dict[str, Any]]]] = {}

    def compile(self) -> None:
        """Compile the path, unless another application has compiled it."""
        of_others = (repr(self.defaults), self.subdomain, self.host, self.merge_slashes)
        cache_key = (self.rule, *of_others, *self.map.converters.items())
        if cache_key not in self._compiled:
            before = dict(vars(self))
            super().compile()
            new = {
                name: value for name, value in vars(self).items() if value is not before.get(name)
            }
            self._compiled[cache_key] = {*self.arguments}, new
        arguments, new = self._compiled[cache_key]
        self.arguments |= arguments
        vars(self).update(new)


class SharedStatements(dict[tuple[Any, ...], Any]):
    """Compiled statements by the kind of dialect: SQLAlchemy's keys begin with an engine's own."""

    def get(self, key: tuple[Dialect, *tuple[Any, ...]], default: Any = None) -> Any:
        return super().get((type(key[0]), *key[1:]), default)

    def __setitem__(self, key: tuple[Dialect, *tuple[Any, ...]], compiled: Any) -> None:
        super().__setitem__((type(key[0]), *key[1:]), compiled)


_statements = SharedStatements()


def create_engine(*args: Any, **options: Any) -> Engine:
    """Create an engine as SQLAlchemy does, whose compiled statements are those of all others."""
    engine = sqlalchemy.create_engine(*args, **options)
    engine.update_execution_options(compiled_cache=_statements)
    return engine
