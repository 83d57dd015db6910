"""The page of the audit trail: its events, filters, pages and CSV."""

import csv
import datetime as dt
import io

import pytest
from sqlalchemy import delete, insert
from sqlalchemy.orm import Session

from app.core.database import db, utcnow
from app.identity.accounts.audit import AuditEvent
from app.identity.accounts.models import DEFAULT_ACCOUNT
from app.web.dashboard.account.audit import AUDIT_PAGE_ROWS, CSV_ROWS
from tests.support.keys import make_account
from tests.support.members import EMAIL, sign_in, text_of

NOW = dt.datetime(2126, 11, 22, 16, 30, 15, tzinfo=dt.UTC)
FORMULA = '=HYPERLINK("http://evil.example")'


@pytest.fixture
def trail(app, make_key):
    """Replace the stored events: ``trail({"detail": …}, …)``, oldest first."""

    def write(*events, account=DEFAULT_ACCOUNT) -> None:
        usual = {"at": NOW, "os_user": "", "host": "", "action": "signed in", "account": account}
        optional = ("sudo_user", "member", "by_key_id", "by_prefix", "address", "key_id", "prefix")
        usual |= dict.fromkeys(optional) | {"detail": ""}
        with app.app_context(), db.engine.begin() as connection:
            connection.execute(delete(AuditEvent))
            connection.execute(insert(AuditEvent), [usual | event for event in events])

    return write


def prefix_of(key: str) -> tuple[int, str]:
    from app.identity.accounts.models import ApiKey

    with Session(db.engine) as session:
        result = session.query(ApiKey).filter(ApiKey.prefix == key[:11]).one()
        return result.id, result.prefix


def details(page) -> list[str]:
    """Return the last column of the table."""
    cells = page.get_data(as_text=True).split('<td class="words">')
    return [cell.split("</td>")[0] for cell in cells if "<small>" not in cell.split("</td>")[0]][1:]


def rows_of(response) -> list[list[str]]:
    return list(csv.reader(io.StringIO(response.get_data().decode())))


def test_each_kind_of_actor_is_named_with_where_it_came_from(viewer, trail) -> None:
    trail(
        {"member": EMAIL, "address": "192.0.2.7", "action": "role changed", "detail": "to viewer"},
        {"by_key_id": 7, "by_prefix": "ak_0badcafe", "address": "2001:db8::1", "key_id": 8,
         "prefix": "ak_12345678", "action": "key created"},
        {"os_user": "root", "sudo_user": "alice", "host": "node-1", "action": "tier changed"},
    )  # fmt: skip
    text = text_of(viewer.get("/account/audit"))
    operator = "22 Nov 2126, 16:30 UTC alice operator node-1 Tier changed"
    key = "22 Nov 2126, 16:30 UTC ak_0badcafe key 2001:db8::1 Key created ak_12345678…"
    who = f"22 Nov 2126, 16:30 UTC {EMAIL} member 192.0.2.7 Role changed to viewer"
    assert text.index(operator) < text.index(key) < text.index(who)


def test_another_account_and_one_before_of_the_same_name_are_not_shown(app, viewer, trail) -> None:
    make_account(app, "acme", None)
    other = sign_in(app, "eve@example.com", account="acme")
    trail({"detail": "ours"}, {"detail": "before", "at": utcnow() - dt.timedelta(days=9_000)},
          {"detail": "theirs", "account": "acme"})  # fmt: skip
    assert details(viewer.get("/account/audit")) == ["ours"]
    assert details(other.get("/account/audit")) == ["theirs"]
    assert [row[-1] for row in rows_of(other.get("/account/audit.csv"))] == ["detail", "theirs"]


def test_events_are_filtered_by_action_actor_and_day(viewer, trail) -> None:
    yesterday = NOW - dt.timedelta(days=1)
    trail(
        {"detail": "a", "action": "key created", "os_user": "root", "sudo_user": "alice"},
        {"detail": "b", "action": "key revoked", "member": EMAIL, "at": yesterday},
        {"detail": "c", "action": "key revoked", "by_key_id": 1, "by_prefix": "ak_0badcafe"},
    )
    for query, actions in {
        "action=key+revoked": ["c", "b"],
        "actor=alice": ["a"],
        "actor=root": ["a"],
        f"actor={EMAIL.upper()}": ["b"],
        "actor=ak_0badcafe…": ["c"],
        "since=2126-11-22": ["c", "a"],
        "until=2126-11-21": ["b"],
        "since=2126-11-21&until=2126-11-22": ["c", "b", "a"],
        "action=key+revoked&since=2126-11-22": ["c"],
        "action=&actor=&key=&since=&until=": ["c", "b", "a"],
        "since=0001-01-01&until=9999-12-31": ["c", "b", "a"],
        "actor=nobody": [],
    }.items():
        assert details(viewer.get(f"/account/audit?{query}")) == actions, query
        written = rows_of(viewer.get(f"/account/audit.csv?{query}"))[1:]
        assert [row[-1] for row in written] == actions, query


def test_a_key_finds_what_was_done_to_it_and_by_it(app, viewer, trail, make_key) -> None:
    with app.app_context():
        key_id, prefix = prefix_of(make_key())
    trail(
        {"detail": "to it", "key_id": key_id, "prefix": prefix},
        {"detail": "by it", "by_key_id": key_id, "by_prefix": prefix},
        {"detail": "another", "key_id": key_id + 1, "prefix": "ak_12345678"},
    )
    page = viewer.get(f"/account/audit?key={prefix}…")
    assert details(page) == ["by it", "to it"]
    assert f'value="{prefix}…"' in page.get_data(as_text=True)


def test_another_accounts_key_is_as_one_that_is_not(app, viewer, trail, make_key) -> None:
    make_account(app, "acme", None)
    with app.app_context():
        _id, theirs = prefix_of(make_key(account_name="acme"))
    for prefix in (theirs, "ak_ffffffff"):
        page = viewer.get(f"/account/audit?key={prefix}")
        assert page.status_code == 400
        assert "No key of this account starts with this" in text_of(page)
        assert viewer.get(f"/account/audit.csv?key={prefix}").status_code == 400


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("action=drop+table", "Choose one from the list."),
        ("since=yesterday", "Choose a day, such as 2026-11-22."),
        ("until=2026-02-30", "Choose a day, such as 2026-11-22."),
        ("before=x", ""),
        ("before=99999999999999999999", ""),
    ],
)
def test_a_filter_that_is_not_valid_is_reported_and_shows_nothing(
    viewer, trail, query, expected
) -> None:
    trail({"detail": "hidden"})
    page = viewer.get(f"/account/audit?{query}")
    assert page.status_code == 400
    assert expected in text_of(page)
    assert "hidden" not in text_of(page)
    assert viewer.get(f"/account/audit.csv?{query}").status_code == 400


def test_pages_hold_each_event_once(viewer, trail) -> None:
    number = 2 * AUDIT_PAGE_ROWS + 1
    trail(*({"detail": f"n{i}", "action": "key created"} for i in range(number)))
    path, seen, pages = "/account/audit?action=key+created", [], 0
    while path:
        page = viewer.get(path)
        seen, pages = seen + details(page), pages + 1
        text = page.get_data(as_text=True)
        path = next(
            (
                part.split('"')[0].replace("&amp;", "&")
                for part in text.split('href="')[1:]
                if part.split(">")[1].startswith("Older<")
            ),
            None,
        )
        assert ("Newest</a>" in text) == (pages > 1)
    assert seen == [f"n{i}" for i in range(number)][::-1]
    assert pages == 3


def test_the_file_has_a_header_each_event_and_no_formula(viewer, trail) -> None:
    number = CSV_ROWS + 1
    starts = (FORMULA, "+1", "-1", "@SUM(A1)", "\t=1", 'a "quoted", ü cell', "")
    trail(*({"detail": starts[i] if i < len(starts) else f"n{i}"} for i in range(number)))
    response = viewer.get("/account/audit.csv")
    assert response.content_type == "text/csv; charset=utf-8"
    assert response.headers["Content-Disposition"] == 'attachment; filename="audit.csv"'
    header, *rows = rows_of(response)
    assert header == ["time", "actor", "actor_kind", "from", "action", "key", "detail"]
    assert len(rows) == number
    assert rows[0][0] == "2126-11-22T16:30:15Z"
    written = [row[-1] for row in reversed(rows)][: len(starts)]
    assert written == [*(f"'{start}" for start in starts[:5]), *starts[5:]]
