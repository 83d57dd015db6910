"""The choices that a response offers to a question."""

from marshmallow import Schema, fields

from app.tables.results import Question


class ChoiceSchema(Schema):
    """An answer that may be sent."""

    value = fields.String(required=True, metadata={"description": "What to send."})
    meaning = fields.String(required=True, metadata={"description": "What it means."})
    example = fields.String(
        required=True, metadata={"description": "What it makes of something in the table."}
    )


def choice_bodies(question: Question) -> list[dict[str, str]]:
    return [vars(choice) for choice in question.choices]
