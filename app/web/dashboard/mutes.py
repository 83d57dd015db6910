"""The form that mutes the alerts of a monitor or a query."""

from typing import Any

from marshmallow import fields, validates_schema

from app.web.dashboard.forms import CUSTOM_DAY, DayOrPreset, FormSchema, FormValues, choice_field

# The choices for how long a query or a monitor is muted, by form value.
MUTE_CHOICES = {
    "1h": "For 1 hour",
    "24h": "Until this time tomorrow",
    CUSTOM_DAY: "Until the end of a day",
}
MUTE = DayOrPreset("mute", "mute_date", none="now", effect="nothing is sent")


class MuteSchema(FormSchema):
    mute = choice_field([MUTE.none, *MUTE_CHOICES], default="1h")
    mute_date = fields.String(load_default="")

    @validates_schema(skip_on_field_errors=False)
    def check_date(self, data: FormValues, **_options: Any) -> None:
        MUTE.check(data)
