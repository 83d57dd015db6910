"""The errors of a change at the fields of its form."""

from app.identity.accounts.errors import NameTakenError
from app.web.dashboard.change_errors import collect_field_errors
from app.web.dashboard.forms import Form


class OtherNameTakenError(NameTakenError):
    """A kind of error that the table of fields does not name."""


def test_an_error_of_a_subclass_is_at_the_field_of_its_class() -> None:
    form = Form({})
    with collect_field_errors(form):
        raise OtherNameTakenError("webhook")
    assert list(form.errors) == ["name"]
