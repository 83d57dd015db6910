"""The choices that a response offers to a question."""

from marshmallow import Schema

from app.api.responses.fields import text_field
from app.tables.results import Question


class ChoiceSchema(Schema):
    value = text_field("What to send.")
    meaning = text_field("What it means.")
    example = text_field("What it makes of something in the table.")


def choice_bodies(question: Question) -> list[dict[str, str]]:
    return [vars(choice) for choice in question.choices]
