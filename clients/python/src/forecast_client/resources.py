"""Declare each call once for both clients, which send or await it."""

import builtins
import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, ClassVar, Concatenate, Generic, ParamSpec, TypeVar, cast, overload
from urllib.parse import quote

from forecast_client import calls
from forecast_client.calls import Call, Paged
from forecast_client.errors import DataError
from forecast_client.retries import Plan
from forecast_client.transport import AsyncTransport, Transport

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")
AnyTransport = TypeVar("AnyTransport", bound=Transport | AsyncTransport)


class Resource(Generic[AnyTransport]):
    """Methods that build calls and send them by ``transport``. Each raises ``ForecastError``."""

    def __init__(self, transport: AnyTransport) -> None:
        self.transport = transport


class Method(Generic[P, T]):
    """A method made of the function that builds its call; it returns or awaits the result."""

    def __init__(self, build: Callable[Concatenate[Any, P], Call[T] | Plan[T]]) -> None:
        self._build: Any = build
        self.__doc__ = build.__doc__

    @classmethod
    def of(cls, build: Callable[P, Call[T] | Plan[T]]) -> "Method[P, T]":
        """Make a method of a function without the argument ``self``."""
        return cls(cast("Any", staticmethod(build)))

    @overload
    def __get__(self, resource: Resource[Transport], kind: type) -> Callable[P, T]: ...
    @overload
    def __get__(
        self, resource: Resource[AsyncTransport], kind: type
    ) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, resource: Any, kind: type) -> Any:
        build = self._build.__get__(resource, kind)
        if resource is None:
            return build
        transport = resource.transport

        @functools.wraps(build)
        def send(*args: P.args, **options: P.kwargs) -> Any:
            return transport.send(build(*args, **options))

        @functools.wraps(build)
        async def send_async(*args: P.args, **options: P.kwargs) -> Any:
            return await transport.send(build(*args, **options))

        return send_async if isinstance(transport, AsyncTransport) else send


class Pages(Generic[P, T]):
    """A method that iterates over items, made of the function that builds the calls of pages."""

    def __init__(self, build: Callable[Concatenate[Any, P], Paged[T]]) -> None:
        self._build: Any = build
        self.__doc__ = build.__doc__

    @overload
    def __get__(self, resource: Resource[Transport], kind: type) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(
        self, resource: Resource[AsyncTransport], kind: type
    ) -> Callable[P, AsyncIterator[T]]: ...
    def __get__(self, resource: Any, kind: type) -> Any:
        build = self._build.__get__(resource, kind)
        if resource is None:
            return build

        @functools.wraps(build)
        def iterate(*args: P.args, **options: P.kwargs) -> Any:
            return resource.transport.pages(build(*args, **options))

        return iterate


class NamedResource(Resource[AnyTransport], Generic[AnyTransport, R]):
    """Records with names, under ``/{noun}s``."""

    noun: ClassVar[str]
    record: type[R]

    @Method
    def list(self) -> Call[builtins.list[R]]:
        """Return all, ordered by name."""
        return Call("GET", f"/{self.noun}s", calls.list_reader(self.record, f"{self.noun}s"))

    @Method
    def get(self, name: str) -> Call[R]:
        """Return the one with this name."""
        return Call("GET", self._path(name), calls.reader(self.record))

    @Method
    def delete(self, name: str) -> Call[None]:
        """Delete the one with this name, and everything that belongs to it."""
        return Call("DELETE", self._path(name), calls.read_nothing)

    def _put(self, name: str, body: calls.Json, *, is_repeatable: bool = True) -> Call[R]:
        """Return the call that creates a record or replaces its settings."""
        content = calls.json_content(body)
        read = calls.reader(self.record)
        return Call("PUT", self._path(name), read, content, is_repeatable=is_repeatable)

    def _path(self, name: str, *more: str) -> str:
        return "/".join((f"/{self.noun}s", segment(self.noun, name), *more))


def segment(noun: str, name: str) -> str:
    """Quote a name as one segment of a path; raise DataError if that is impossible."""
    if not name.strip("."):
        raise DataError(f"{name!r} is not a {noun} name: send 1 to 100 of a-z, 0-9, -, _ and .")
    return quote(name, safe="")
