"""What both clients have in common: each call is declared once, and sent or awaited."""

import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, Generic, ParamSpec, TypeVar, overload

from forecast_client.calls import Call, Paged
from forecast_client.retries import Plan
from forecast_client.transport import AsyncTransport, Transport

P = ParamSpec("P")
T = TypeVar("T")
AnyTransport = TypeVar("AnyTransport", bound=Transport | AsyncTransport)


class Resource(Generic[AnyTransport]):
    """Methods that send what they build by ``transport``. Each raises ``ForecastError``."""

    def __init__(self, transport: AnyTransport) -> None:
        self.transport = transport


class Method(Generic[P, T]):
    """A method by the function that builds what it sends; it returns the result, or awaits it."""

    def __init__(self, build: Callable[P, Call[T] | Plan[T]]) -> None:
        self._build = build
        self.__doc__ = build.__doc__

    @overload
    def __get__(self, resource: Resource[Transport], kind: type) -> Callable[P, T]: ...
    @overload
    def __get__(
        self, resource: Resource[AsyncTransport], kind: type
    ) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, resource: Any, kind: type) -> Any:
        if resource is None:
            return self._build
        transport, build = resource.transport, self._build

        @functools.wraps(build)
        def blocking(*args: P.args, **options: P.kwargs) -> Any:
            return transport.send(build(*args, **options))

        @functools.wraps(build)
        async def awaited(*args: P.args, **options: P.kwargs) -> Any:
            return await transport.send(build(*args, **options))

        return awaited if isinstance(transport, AsyncTransport) else blocking


class Pages(Generic[P, T]):
    """A method that iterates over items, by the function that says how their pages are got."""

    def __init__(self, build: Callable[P, Paged[T]]) -> None:
        self._build = build
        self.__doc__ = build.__doc__

    @overload
    def __get__(self, resource: Resource[Transport], kind: type) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(
        self, resource: Resource[AsyncTransport], kind: type
    ) -> Callable[P, AsyncIterator[T]]: ...
    def __get__(self, resource: Any, kind: type) -> Any:
        if resource is None:
            return self._build

        @functools.wraps(self._build)
        def iterated(*args: P.args, **options: P.kwargs) -> Any:
            return resource.transport.pages(self._build(*args, **options))

        return iterated
