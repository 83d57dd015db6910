"""The form that mutes a query or a monitor: for an hour, until tomorrow or to the end of a day."""

import datetime as dt
from typing import Any

from marshmallow import EXCLUDE, Schema, fields, validates_schema
from marshmallow.validate import OneOf

from app.core.database import utcnow
from app.web.dashboard.forms import FormValues, check_future_day, end_of_day

_UNMUTED, _CUSTOM_DATE = "now", "date"
HOURS = {"1h": 1, "24h": 24}
# The choices for how long, by form value.
CHOICES = {
    "1h": "For 1 hour",
    "24h": "Until this time tomorrow",
    _CUSTOM_DATE: "Until the end of a day",
}
_EFFECT = "nothing is sent"


class MuteSchema(Schema):
    class Meta:
        unknown = EXCLUDE

    mute = fields.String(
        load_default="1h", validate=OneOf([_UNMUTED, *CHOICES], error="Choose one from the list.")
    )
    mute_date = fields.String(load_default="")

    @validates_schema(skip_on_field_errors=False)
    def check_date(self, data: FormValues, **_options: Any) -> None:
        if data.get("mute") == _CUSTOM_DATE:
            check_future_day(data.get("mute_date", ""), "mute_date", _EFFECT)


def muted_until(values: FormValues) -> dt.datetime | None:
    """Return when the mute of a form's values ends; None: no mute."""
    chosen = values["mute"]
    if chosen == _CUSTOM_DATE:
        return end_of_day(values["mute_date"], "mute_date", _EFFECT)
    return None if chosen == _UNMUTED else utcnow() + dt.timedelta(hours=HOURS[chosen])
