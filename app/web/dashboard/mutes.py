"""The form that mutes the alerts of a monitor or a query."""

import datetime as dt
from typing import Any

from marshmallow import fields, validates_schema

from app.core.database import utcnow
from app.web.dashboard.forms import (
    FormSchema,
    FormValues,
    check_future_day,
    choice_field,
    end_of_day,
)

_UNMUTED, _CUSTOM_DATE = "now", "date"
_MUTE_HOURS = {"1h": 1, "24h": 24}
# The choices for how long a query or a monitor is muted, by form value.
MUTE_CHOICES = {
    "1h": "For 1 hour",
    "24h": "Until this time tomorrow",
    _CUSTOM_DATE: "Until the end of a day",
}
_MUTE_EFFECT = "nothing is sent"


class MuteSchema(FormSchema):
    mute = choice_field([_UNMUTED, *MUTE_CHOICES], default="1h")
    mute_date = fields.String(load_default="")

    @validates_schema(skip_on_field_errors=False)
    def check_date(self, data: FormValues, **_options: Any) -> None:
        if data.get("mute") == _CUSTOM_DATE:
            check_future_day(data.get("mute_date", ""), "mute_date", _MUTE_EFFECT)


def muted_until(values: FormValues) -> dt.datetime | None:
    """Return when the mute of a form ends; None: no mute."""
    chosen = values["mute"]
    if chosen == _CUSTOM_DATE:
        return end_of_day(values["mute_date"], "mute_date", _MUTE_EFFECT)
    return None if chosen == _UNMUTED else utcnow() + dt.timedelta(hours=_MUTE_HOURS[chosen])
