"""The fields of forms, derived from the records that declare them.

A form has the fields of its record that have a label, and those of nested records, such as the
limit of a monitor.
"""

import dataclasses
from typing import Any, get_args, get_origin, get_type_hints

from marshmallow import ValidationError

from app.api.keys.schemas import KeyRotationRequest, NewKeyRequest
from app.api.monitors.blueprint import MONITOR_NAME
from app.api.requests.names import check_new_name
from app.api.sources.blueprint import QUERY_NAME, SOURCE_NAME
from app.api.sources.fields import AuthorizationFields
from app.api.webhooks.blueprint import WEBHOOK_NAME
from app.delivery.webhook_records import WebhookRecord
from app.watching.monitors.settings.monitor_settings import MonitorSettings
from app.watching.sources.source_records import QuerySettings, SourceSettings
from app.web.dashboard.blueprint import blueprint
from app.web.dashboard.filters import sentence
from app.web.dashboard.forms import FormValues, to_number

_NAMES = {name.noun: name for name in (MONITOR_NAME, QUERY_NAME, SOURCE_NAME, WEBHOOK_NAME)}


@dataclasses.dataclass(frozen=True)
class FormField:
    """An input of a form: its ``kind`` is int or float for a number, dict for labels.

    ``record_field`` is the name of the nested record that it belongs to, empty if none.
    """

    name: str
    label: str
    hint: str
    kind: Any
    default: Any
    record_field: str

    @property
    def is_number(self) -> bool:
        return self.kind in (int, float)

    @property
    def has_fraction(self) -> bool:
        return self.kind is float

    def to_value(self, text: str) -> Any:
        """Return the value of the form's ``text`` in the body of a request."""
        if self.kind is dict:
            return labels_of(text)
        return to_number(text) if self.is_number else text

    def to_text(self, value: Any) -> str:
        if value is None:
            return ""
        if self.kind is dict:
            return "\n".join(f"{name}={text}" for name, text in value.items())
        return f"{value:.12g}" if self.is_number else str(value)


def _fields_of(record: type[Any], part: str = "") -> dict[str, FormField]:
    kinds = get_type_hints(record)
    form_fields: dict[str, FormField] = {}
    for field in dataclasses.fields(record):
        declared = kinds[field.name]
        kind = dict if get_origin(declared) is dict else (get_args(declared) or (declared,))[0]
        if dataclasses.is_dataclass(kind) and not part:
            form_fields |= _fields_of(kind, field.name)
        elif label := field.metadata.get("label"):
            hint = field.metadata.get("hint", "")
            default = {} if kind is dict else field.default
            form_fields[field.name] = FormField(field.name, label, hint, kind, default, part)
    return form_fields


def labels_of(text: str) -> dict[str, str]:
    """Return labels from lines ``name=value``; one without a value is rejected by its schema."""
    pairs = (line.partition("=") for line in text.splitlines() if line.strip())
    return {name.strip(): value.strip() for name, _, value in pairs}


# The fields of each form by name, in the order of its record.
FIELDS = {
    form: _fields_of(record)
    for form, record in {
        "credentials": AuthorizationFields,
        "key": NewKeyRequest,
        "monitor": MonitorSettings,
        "query": QuerySettings,
        "rotation": KeyRotationRequest,
        "source": SourceSettings,
        "webhook": WebhookRecord,
    }.items()
}


@blueprint.app_template_global()
def form_field(path: str) -> FormField:
    """Return the field at ``path``: the names of the form and the field, with a dot between."""
    form, _, name = path.partition(".")
    return FIELDS[form][name]


@blueprint.app_template_global()
def name_hint(noun: str) -> str:
    return f"Such as {_NAMES[noun].example}: a-z, 0-9, hyphens, underscores and dots."


def name_errors(noun: str, name: str) -> dict[str, str]:
    """Return the error of an invalid name of a new ``noun``, if any."""
    try:
        check_new_name(name, noun, _NAMES[noun].max_length)
    except ValidationError as error:
        return {"name": sentence(error.messages[0])}
    return {}


def default_texts(form: str) -> FormValues:
    fields = FIELDS[form].values()
    return {
        field.name: field.to_text(field.default)
        for field in fields
        if field.default is not dataclasses.MISSING
    }


def texts_of(form: str, settings: object) -> FormValues:
    texts = {}
    for name, field in FIELDS[form].items():
        record = getattr(settings, field.record_field) if field.record_field else settings
        texts[name] = field.to_text(field.default if record is None else getattr(record, name))
    return texts


def body_of(form: str, texts: FormValues) -> FormValues:
    """Return the body of a request with ``texts``; empty ones are left out for their defaults.

    A nested record is left out if all of its fields that may be null are empty.
    """
    body: FormValues = {}
    parts: dict[str, FormValues] = {}
    for name, field in FIELDS[form].items():
        if text := texts.get(name):
            values = parts.setdefault(field.record_field, {}) if field.record_field else body
            values[name] = field.to_value(text)
    for part, values in parts.items():
        if any(FIELDS[form][name].default is None for name in values):
            body[part] = values
    return body
