"""Files and typed input: what the page reads, rejects and reports."""

import ast
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import xlsxwriter
from playwright.sync_api import Page, Route, expect

from tests.support.machine_speed import slowness
from tests.support.server import ROOT
from tests.tables.tables import date_cell, workbook
from tests.web.pages.playing import MARKED, STORES, choose_file, expect_values, paste, submit

pytestmark = pytest.mark.services

SALES = [["Month", "Sales"], *([date_cell(45292 + i), 2.5 * i] for i in range(4))]
TIMED = """async text => {
    const {Reader} = await import(at("reader.js"));
    const {parseReading} = await import(at("reading.js"));
    const started = performance.now();
    const {body} = await new Reader("/read").read(text, []);
    const {points} = parseReading(body, "");
    return [performance.now() - started, points.length];
}"""
# A file whose bytes come only when the test says so, once.
_SLOW_FILE = """() => {
    const {arrayBuffer} = Blob.prototype;
    Blob.prototype.arrayBuffer = async function () {
        Blob.prototype.arrayBuffer = arrayBuffer;
        await new Promise(done => { window.release = done; });
        return arrayBuffer.call(this);
    };
}"""
_LOST_FILE = """() => {
    const {arrayBuffer} = Blob.prototype;
    Blob.prototype.arrayBuffer = () => {
        Blob.prototype.arrayBuffer = arrayBuffer;
        return Promise.reject(new DOMException("gone", "NotFoundError"));
    };
}"""


def test_remarks_about_a_table_that_is_read_right_are_quiet(playground: Page) -> None:
    paste(playground, "Datum;Umsatz\n12.02.2024;1.480,50\n13.02.2024;980,00\nSumme;2.460,50")
    expect(playground.locator("#remarks")).to_contain_text("Commas read as decimal marks.")
    expect(playground.locator("#remarks")).to_contain_text("Left out line 4: a total.")
    expect(playground.locator("#notes li, .question.asks")).to_have_count(0)


def test_a_text_that_is_not_a_table_is_reported_and_its_line_marked(playground, watch) -> None:
    paste(playground, "Shop,Sales\nNorth,12\nSouth,14")
    expect(playground.locator("#notes")).to_contain_text("No column of dates was found; line 2")
    expect(playground.locator("#chart")).to_be_hidden()
    playground.click("#notes button")
    assert playground.locator("#text").evaluate(MARKED) == "North,12"
    watch.expect_rejections(422)


def test_a_workbook_is_read_and_a_sheet_asked_for(playground, live_key, tmp_path: Path) -> None:
    file = tmp_path / "sales.xlsx"
    file.write_bytes(workbook({"North": SALES, "South": SALES[:3]}))
    playground.set_input_files("#file", file)
    playground.get_by_label("Sheet").select_option("South")
    expect_values(playground, 0, 2.5)
    playground.get_by_label("Sheet").select_option("North")
    expect_values(playground, 0, 2.5, 5, 7.5)
    expect(playground.locator("#chart-title")).to_have_text("sales.xlsx")
    expect(playground.locator("#text")).to_have_value("")
    expect(playground.locator("#text")).to_have_attribute("placeholder", "sales.xlsx")
    paste(playground, "2024-01-01,1\n2024-01-02,2")
    expect_values(playground, 1, 2)


def test_a_percentage_of_a_workbook_is_shown_as_one(playground, live_key, tmp_path: Path) -> None:
    choose_file(playground, occupancy(tmp_path, ["North"]))
    playground.fill("#horizon", "1")
    submit(playground, live_key)
    expect(playground.locator("#sentence")).to_contain_text("77.6%")


def test_percentages_of_all_series_of_a_workbook_are_shown_as_such(
    playground: Page, live_key: str, tmp_path: Path
) -> None:
    choose_file(playground, occupancy(tmp_path, ["North", "South"]))
    playground.fill("#horizon", "1")
    playground.fill("#key", live_key)
    playground.click("#forecast-all")
    expect(playground.locator("#several-list li").last).to_contain_text("77.6%, between 77.")
    expect(playground.locator("#sentence")).to_contain_text("77.6%")


def occupancy(folder: Path, names: list[str]) -> Path:
    """Return a workbook with percentages of two years by month, which it stores as fractions."""
    file = folder / "occupancy.xlsx"
    with xlsxwriter.Workbook(file) as book:
        sheet, percent = book.add_worksheet(), book.add_format({"num_format": "0.0%"})
        sheet.write_row(0, 0, ["Month", *names])
        for n in range(24):
            sheet.write(n + 1, 0, f"{2022 + n // 12}-{1 + n % 12:02}")
            for column in range(len(names)):
                sheet.write(n + 1, 1 + column, 0.776 + n % 12 / 1000, percent)
    return file


def test_a_broken_workbook_is_rejected_in_sight_and_clears_the_data(
    playground, tmp_path: Path, watch
) -> None:
    file = tmp_path / "sales.xlsx"
    file.write_bytes(b"PK\x03\x04 and so on")
    playground.set_input_files("#file", file)
    expect(playground.locator("#text-error")).to_contain_text("sales.xlsx: The workbook is broken")
    expect(playground.locator("#text-error")).to_be_in_viewport(ratio=1)
    expect(playground.locator("#text")).to_have_value("")
    expect(playground.locator("#facts")).to_be_hidden()
    watch.expect_rejections(422)


@pytest.mark.parametrize("encoding", ["windows-1252", "utf-16", "utf-8-sig", "utf-32"])
def test_a_file_is_shown_with_its_umlauts(playground: Page, tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "zahlen.csv"
    file.write_bytes("Monat;Größe\nMärz 2024;1\nApril 2024;2\nMai 2024;3".encode(encoding))
    playground.set_input_files("#file", file)
    expect(playground.locator("#fact-first")).to_have_text("2024-03-01")
    is_known = encoding != "utf-32"  # which browsers do not decode
    expect(playground.locator("#text")).to_have_value(
        "Monat;Größe\nMärz 2024;1\nApril 2024;2\nMai 2024;3" if is_known else ""
    )


def _codecs() -> set[str]:
    """Return the encodings that the service reads: the names of codecs in its modules on text."""
    constants = {
        node.value
        for path in (ROOT / "app" / "tables" / "text").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return {name for name in constants if _is_codec(name)}


def _is_codec(name: str) -> bool:
    try:
        return name.islower() and name.encode(name).decode(name) == name
    except (LookupError, ValueError):
        return False


def test_the_browser_decodes_the_encodings_that_the_service_recognizes(script_page: Page) -> None:
    codecs = _codecs()
    assert {"cp1251", "cp932", "iso8859_7", "gb18030", "latin-1", "utf-16-be"} <= codecs
    letters = "Größe Łódź Αθήνα Продажи İzmir Šiauliai מכירות مبيعات ยอดขาย 売上 판매 銷售"
    contents = {name: letters.encode(name, "ignore") for name in codecs}
    # The browsers' Big5 has letters of Cyrillic elsewhere.
    contents["cp950"] = "銷售 Größe".encode("cp950", "ignore")
    decoded = script_page.evaluate(
        """async contents => {
            const {decodeText} = await import(at("data-input.js"));
            const decode = ([name, bytes]) => [name, decodeText(new Uint8Array(bytes), name)];
            return Object.fromEntries(Object.entries(contents).map(decode));
        }""",
        {name: [*content] for name, content in contents.items()},
    )
    assert decoded == {
        name: "" if name.startswith("utf-32") else content.decode(name)
        for name, content in contents.items()
    }


def test_newer_input_is_not_replaced_by_an_older_file(playground: Page, tmp_path: Path) -> None:
    file = tmp_path / "sales.csv"
    file.write_text("2024-01-01,8\n2024-01-02,9")
    playground.evaluate(_SLOW_FILE)
    playground.set_input_files("#file", file)
    paste(playground, "2024-01-01,1\n2024-01-02,2")
    expect_values(playground, 1, 2)
    playground.evaluate("() => { release(); return new Promise(requestAnimationFrame); }")
    expect(playground.locator("#text")).to_have_value("2024-01-01,1\n2024-01-02,2")
    expect_values(playground, 1, 2)


def test_text_being_typed_is_not_replaced_by_an_older_file(
    playground: Page, tmp_path: Path
) -> None:
    file = tmp_path / "sales.csv"
    file.write_text("2024-01-01,8\n2024-01-02,9")
    playground.evaluate(_SLOW_FILE)
    with playground.expect_response("**/read?**"):
        playground.set_input_files("#file", file)
        playground.evaluate(
            """() => {
                const text = document.getElementById("text");
                text.value = "2024-01-01,1\\n2024-01-02,2";
                text.dispatchEvent(new Event("input"));
                release();
            }"""
        )
    expect_values(playground, 1, 2)
    expect(playground.locator("#text")).to_have_value("2024-01-01,1\n2024-01-02,2")


def test_a_request_waits_for_the_bytes_of_a_file(
    playground: Page, live_key: str, tmp_path: Path
) -> None:
    file = tmp_path / "stores.csv"
    file.write_text(STORES)
    playground.evaluate(_SLOW_FILE)
    playground.fill("#key", live_key)
    playground.set_input_files("#file", file)
    playground.fill("#horizon", "2")
    playground.click("#go")
    playground.evaluate("() => release()")
    expect(playground.locator("#sentence")).to_contain_text("next 2 days")


def test_a_file_that_cannot_be_read_is_reported_and_can_be_chosen_again(
    playground: Page, tmp_path: Path
) -> None:
    file = tmp_path / "sales.csv"
    file.write_text("2024-01-01,8\n2024-01-02,9")
    playground.evaluate(_LOST_FILE)
    playground.set_input_files("#file", file)
    problem = "sales.csv: The file cannot be read. Choose it again."
    expect(playground.locator("#text-error")).to_contain_text(problem)
    playground.set_input_files("#file", file)
    expect_values(playground, 8, 9)


def test_a_horizon_is_kept_while_a_file_is_read_again(
    playground: Page, live_key: str, tmp_path: Path
) -> None:
    file = tmp_path / "sales.csv"
    file.write_text("\n".join(f"2024-01-{day:02},{day % 7}" for day in range(1, 32)))
    playground.evaluate(_LOST_FILE)
    playground.set_input_files("#file", file)
    expect(playground.locator("#text-error")).to_contain_text("The file cannot be read.")
    playground.fill("#horizon", "2")
    submit(playground, live_key)
    expect(playground.locator("#sentence")).to_contain_text("next 2 days")


def test_the_newest_of_several_pastes_wins_whatever_comes_back_first(playground: Page) -> None:
    held: list[Route] = []
    playground.route("**/read?**", lambda route: held.append(route))  # noqa: PLW0108 - not a builtin
    paste(playground, "2024-01-01,1\n2024-01-02,2")
    _wait_until(lambda: len(held) == 1, playground)
    paste(playground, "2024-01-01,8\n2024-01-02,9")
    _wait_until(lambda: len(held) == 2, playground)
    held[1].continue_()
    expect_values(playground, 8, 9)
    playground.unroute_all()
    expect_values(playground, 8, 9)


def _wait_until(is_so: Callable[[], bool], page: Page) -> None:
    while not is_so():
        page.evaluate("() => new Promise(requestAnimationFrame)")


def test_a_request_waits_for_what_was_typed_last(playground: Page, live_key: str) -> None:
    held: list[Route] = []
    playground.route("**/read?**", lambda route: held.append(route))  # noqa: PLW0108 - not a builtin
    playground.fill("#key", live_key)
    playground.fill("#text", STORES)
    _wait_until(lambda: len(held) == 1, playground)
    playground.fill("#horizon", "2")  # before the text is read, which it is for
    playground.click("#go")
    held.pop().continue_()
    expect(playground.locator("#sentence")).to_contain_text("next 2 days")


def test_a_service_that_cannot_read_is_reported(playground, watch) -> None:
    playground.route("**/read?**", lambda route: route.abort())
    paste(playground, "2024-01-01,1\n2024-01-02,2")
    expect(playground.locator("#notes")).to_contain_text("The service cannot be reached.")
    watch.problems.clear()


@pytest.mark.timing
@pytest.mark.alone  # a browser and the service share the time that is measured
def test_twenty_thousand_points_are_read_in_a_second(script_page: Page) -> None:
    hours = (datetime(2020, 1, 1) + timedelta(hours=i) for i in range(20_000))
    text = "\n".join(f"{hour:%d.%m.%Y %H:%M};{i % 97},5 €" for i, hour in enumerate(hours))
    milliseconds, points = min(script_page.evaluate(TIMED, text) for _ in range(3))
    assert points == 20_000
    assert milliseconds < 1000 * slowness()


@pytest.mark.parametrize("way", ["paste", "file"])
def test_a_rejected_table_is_reported_once(
    playground, live_key, watch, tmp_path: Path, way: str
) -> None:
    text = "Shop,Sales\nNorth,12\nSouth,14"
    rejection = playground.get_by_text("No column of dates was found").locator("visible=true")
    if way == "paste":
        paste(playground, text)
    else:
        path = tmp_path / "shops.csv"
        path.write_text(text)
        playground.set_input_files("#file", path)
    expect(playground.locator("#facts")).to_be_hidden()
    expect(rejection).to_have_count(1)
    submit(playground, live_key)
    expect(playground.locator("#text-error button")).to_have_text("line 2")
    expect(rejection).to_have_count(1)
    playground.fill("#horizon", "3")  # takes the error away
    expect(playground.locator("#notes")).to_be_visible()
    expect(rejection).to_have_count(1)
    watch.expect_rejections(422, 422)
