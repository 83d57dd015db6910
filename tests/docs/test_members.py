"""The table of members in the documentation is that of the recipes."""

from docs.list_members import PAGE, page_with, table


def test_the_page_lists_the_members_that_take_part() -> None:
    assert PAGE.read_text() == page_with(table()), "run `make members`"
