"""Headers that several endpoints send."""

from app.api.responses.headers import NOTICE, notice_headers


def test_a_notice_with_the_separator_in_it_stays_one_notice() -> None:
    notices = ["the column “net; gross” was not read", "2 rows were set aside"]
    sent = notice_headers(notices)[NOTICE]
    assert sent.split("; ") == ["the column “net, gross” was not read", "2 rows were set aside"]


def test_without_notices_there_is_no_header() -> None:
    assert notice_headers([]) == {}
