"""Declare the endpoints of a resource of accounts: list, get, put and delete."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

from flask import Blueprint, Response, request
from marshmallow import Schema, ValidationError, fields, post_load, validates_schema

from app.api.callers.current_caller import current_caller
from app.api.endpoints.endpoint import (
    PATH_VARIABLE,
    Endpoint,
    EndpointOptions,
    Success,
    Tag,
    openapi_path,
)
from app.api.endpoints.record_schemas import MarshmallowFields, list_schema
from app.api.errors.api_error import not_found_error
from app.api.errors.validation import describe_value
from app.api.requests.names import check_new_name
from app.api.responses.json import Json
from app.api.serving.decorator import View, endpoint
from app.api.serving.error_response import error_response
from app.core.record_fields import MAX_NAME_LENGTH, NAME_METADATA, is_valid_name
from app.identity.accounts.permissions import Permission
from app.timeseries.words import plural_of

_PERMISSIONS = {
    "GET": Permission.READ,
    "PUT": Permission.WRITE,
    "POST": Permission.WRITE,
    "PATCH": Permission.WRITE,
    "DELETE": Permission.DELETE,
}
# The end of the endpoints' descriptions.
_PERMISSION_NOTE = """

Needs the permission `{permission}`; counts as one request of the limits, also when the
response is 400, 403, 404, 409, 413, 415 or 422."""


@dataclass(frozen=True)
class PathName:
    """A variable of a path that is the name of a ``noun``; ``missing`` is the error if unknown."""

    variable: str
    noun: str
    example: str
    missing: Callable[[str], Exception]
    max_length: int = MAX_NAME_LENGTH


class NamesSchema(Schema):
    """The names in a path; an invalid one is rejected if it is new, else it is unknown."""

    path_names: ClassVar[tuple[PathName, ...]] = ()
    is_new: ClassVar = False

    @validates_schema
    def check_last_name(self, data: dict[str, str], **_kwargs: Any) -> None:
        new = self.path_names[-1]
        if self.is_new and new.variable in data:
            try:
                check_new_name(data[new.variable], new.noun, new.max_length)
            except ValidationError as error:
                raise ValidationError({new.variable: error.messages}) from None

    @post_load
    def reject_impossible_names(self, data: dict[str, str], **_kwargs: Any) -> dict[str, str]:
        """Reject an invalid name without a query: nothing can have it."""
        for path_name in self.path_names:
            if not is_valid_name(data[path_name.variable], path_name.max_length):
                raise path_name.missing(data[path_name.variable])
        return data


def names_schema(*names: PathName, is_new: bool = False) -> Schema:
    """Return the schema of the ``names`` in a path; ``is_new``: the last one may be created."""
    declared: MarshmallowFields = {}
    for path_name in names:
        described = {
            "description": f"Name of the {path_name.noun}.",
            "examples": [path_name.example],
        }
        metadata = NAME_METADATA | described | {"maxLength": path_name.max_length}
        declared[path_name.variable] = fields.String(required=True, metadata=metadata)
    base = NamesSchema.from_dict(declared)
    schema: type[Schema] = type("NameSchema", (base,), {"path_names": names, "is_new": is_new})
    return schema()


@dataclass(frozen=True)
class Resource:
    """A resource of an account, such as its webhooks, whose endpoints it declares alike.

    Attributes:
        blueprint: Where they are declared.
        tag: Their group in the documents.
        noun: Singular noun in messages.
        path: The path of one: ``/webhooks/<name>``.
        schema: The schema of one in responses.
        variables: The schema of the variables of ``path``.
        new_variables: The schema of the variables in PUT; None: none is created by its name.
        missing: The exception for an unknown one, which becomes the 404.
        collection: The path that lists them.
        owner: The owner in messages: ``account`` or ``source``.
        permission: The permission for all endpoints; None: read, write or delete.
    """

    blueprint: Blueprint
    tag: Tag
    noun: str
    path: str
    schema: type[Schema]
    variables: Schema
    missing: type[Exception]
    collection: str
    new_variables: Schema | None = None
    owner: str = "account"
    permission: Permission | None = None

    def __post_init__(self) -> None:
        self.blueprint.register_error_handler(self.missing, self._respond_not_found)

    @property
    def _plural(self) -> str:
        return plural_of(self.noun)

    def _respond_not_found(self, _error: Exception) -> Response:
        """Return 404, the same whether it belongs to another account or does not exist."""
        *_, variable = PATH_VARIABLE.findall(self.path)
        sent = describe_value((request.view_args or {})[variable])
        remedy = f"GET {openapi_path(self.collection)} lists the {self._plural} of the {self.owner}"
        if self.new_variables is not None:
            sent = repr(sent)
            remedy += f", PUT {openapi_path(self.path)} creates one"
        return error_response(not_found_error(f"{self.noun} {sent}", remedy))

    def endpoint(
        self,
        method: str,
        path: str,
        errors: Iterable[int] = (),
        **declared: Unpack[EndpointOptions],
    ) -> Callable[[View], View]:
        """Declare the decorated view under ``path``, which may continue the path of one resource.

        ``errors`` are those in addition to the 404 of one.
        """
        permission = self.permission or _PERMISSIONS[method]
        declared["description"] += _PERMISSION_NOTE.format(permission=permission)
        statuses = {*errors}
        if path.startswith(self.path):
            statuses.add(404)
            declared.setdefault("variables", self.variables)
        described = Endpoint(
            method,
            path,
            permission=permission,
            tag=self.tag,
            other_errors=frozenset(statuses),
            **declared,
        )
        return endpoint(self.blueprint, described)

    def put_endpoint(
        self,
        *,
        schema: Schema | None = None,
        success_headers: Json | None = None,
        errors: Iterable[int] = (),
        **declared: Unpack[EndpointOptions],
    ) -> Callable[[View], View]:
        """Declare the decorated view, which creates or changes one.

        Another request may delete it at the same time: 404.
        """
        shown, headers = schema or self.schema(), success_headers or {}
        declared["successes"] = {
            201: Success(f"The {self.noun} was created.", shown, headers),
            200: Success(f"The {self.noun} was changed, or is unchanged.", shown, headers),
        }
        declared["variables"] = self.new_variables
        return self.endpoint("PUT", self.path, errors, **declared)

    def declare_list(
        self,
        read: Callable[[int], Sequence[Any]],
        order: str = "Ordered by name.",
        **declared: Unpack[EndpointOptions],
    ) -> None:
        """Declare the list of all that ``read`` returns for an account."""

        def list_all() -> Json:
            return {self._plural: read(current_caller().account_id)}

        list_all.__name__ = f"list_{self._plural}"
        collection_schema = list_schema(self.schema, self._plural, order)
        defaults: EndpointOptions = {
            "summary": f"List the {self._plural} of the account",
            "description": f"Lists the {self._plural} of the key's account.",
            "successes": {200: Success(f"The {self._plural}.", collection_schema())},
        }
        self.endpoint("GET", self.collection, **(defaults | declared))(list_all)

    def declare_get(self, read: Callable[..., Any], description: str, shown: str = "") -> None:
        """Declare the view of the one that ``read`` returns for an account and the names.

        ``shown`` is what the documents call it in place of its noun.
        """

        def get_one(**names: Any) -> Any:
            return read(current_caller().account_id, *names.values())

        get_one.__name__ = f"get_{self.noun}"
        self.endpoint(
            "GET",
            self.path,
            summary=f"Show a {shown or self.noun}",
            description=description,
            successes={200: Success(f"The {shown or self.noun}.", self.schema())},
        )(get_one)

    def declare_delete(
        self,
        delete: Callable[..., None],
        description: str,
        effect: str = "",
        errors: Iterable[int] = (),
    ) -> None:
        """Declare the deletion of one by ``delete``, which gets the account and the names."""

        def delete_one(**names: Any) -> None:
            delete(current_caller().account_id, *names.values())

        delete_one.__name__ = f"delete_{self.noun}"
        self.endpoint(
            "DELETE",
            self.path,
            errors,
            summary=f"Delete a {self.noun}{effect}",
            description=description,
            successes={204: Success(f"The {self.noun} is deleted.")},
        )(delete_one)
