"""Workbooks that were made to be slow or large to read: XML, cells, strings, formats."""

from collections.abc import Callable, Iterator, Mapping

from tests.tables.tables import Row, date_cell, workbook

Maker = Callable[[], bytes]
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SALES: list[Row] = [["day", "n"], ["2024-01-01", 1], ["2024-01-02", 2]]
SHEET = "xl/worksheets/sheet1.xml"
PARTS = {
    "sheet": (SHEET, "worksheet"),
    "strings": ("xl/sharedStrings.xml", "sst"),
    "styles": ("xl/styles.xml", "styleSheet"),
    "workbook": ("xl/workbook.xml", "workbook"),
    "relations": ("xl/_rels/workbook.xml.rels", "Relationships"),
    "types": ("[Content_Types].xml", "Types"),
}
LARGE = 40_000_000
# What a part has below its root.
XML: dict[str, Callable[[], str]] = {
    "a tag of 20,000 attributes that stays open": lambda: "<c" + ' r="A1"' * 20_000,
    "a tag of 20,000 attributes": lambda: "<c" + "".join(f' a{n}=""' for n in range(20_000)) + "/>",
    "a tag of a million attributes": lambda: (
        "<c" + "".join(f' a{n}=""' for n in range(1_000_000)) + "/>"
    ),
    "a million names of attributes": lambda: "".join(f'<c a{n}="" />' for n in range(1_000_000)),
    "a million names of elements": lambda: "".join(f"<a{n}/>" for n in range(1_000_000)),
    "a million namespaces": lambda: "".join(f'<c xmlns:a{n}="u"/>' for n in range(1_000_000)),
    "elements a million deep": lambda: "<a>" * 1_000_000 + "</a>" * 1_000_000,
    "elements that stay open": lambda: "<a>" * 5_000_000,
    "ten million elements": lambda: "<a/>" * 10_000_000,
    "a comment of 40 MB": lambda: f"<!--{' ' * LARGE}-->",
    "a million comments": lambda: "<!---->" * 1_000_000,
    "an instruction of 40 MB": lambda: f"<?a {' ' * LARGE}?>",
    "CDATA of 40 MB": lambda: f"<c r='A1' t='str'><v><![CDATA[{' ' * LARGE}]]></v></c>",
    "an attribute of 40 MB": lambda: f'<c r="{"A" * LARGE}"/>',
    "text of 40 MB": lambda: f"<c r='A1'><v>{'1' * LARGE}</v></c>",
    "a million references to characters": lambda: f"<c><v>{'&#65;' * 1_000_000}</v></c>",
    "an entity that nobody declared": lambda: "&lol;",
    "a tag that is not closed": lambda: "<a",
    "tags in the wrong order": lambda: "<a><b></a></b>",
    "a control character": lambda: "\x01",
}
DOCTYPES = {
    "a billion laughs": '<!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    + "]>",
    "an external entity": '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
    "an external document type": '<!DOCTYPE x SYSTEM "http://127.0.0.1/x.dtd">',
    "a long entity": f'<!DOCTYPE x [<!ENTITY a "{"a" * 100_000}">]>',
}
CORNERS = '<row r="1"><c r="A1"><v>1</v></c></row><row r="9000"><c r="LH9000"><v>1</v></c></row>'


def workbook_makers() -> Iterator[tuple[str, Maker]]:
    """Yield names and makers of the workbooks."""
    for title, body in XML.items():
        for part in PARTS if len(title) < 36 else ("sheet", "strings"):
            yield f"{part}: {title}", lambda part=part, body=body: _workbook_with(part, body())
    for title, doctype in DOCTYPES.items():
        for part in ("sheet", "strings", "workbook"):
            yield (
                f"{part}: {title}",
                lambda part=part, doctype=doctype: _workbook_with(part, "&a;" * 10_000, doctype),
            )
    for title, cells in CELLS.items():
        yield f"cells: {title}", lambda cells=cells: _rows_of(cells())
    yield from STRINGS.items()
    yield from SHEETS.items()


def _workbook_with(part: str, body: str, doctype: str = "") -> bytes:
    path, root = PARTS[part]
    return workbook(
        {"a": SALES}, **{path: f'{doctype}<{root} xmlns="{MAIN}">{body}</{root}>'.encode()}
    )


def _sheet(body: str, **parts: bytes) -> bytes:
    whole = f'<worksheet xmlns="{MAIN}"><sheetData>{body}</sheetData></worksheet>'
    return workbook({"a": SALES}, **{SHEET: whole.encode()}, **parts)


def _rows_of(rows: Iterator[str]) -> bytes:
    return _sheet("".join(f"<row>{row}</row>" for row in rows))


def _dated_rows(cell: str, rows: int = 1_000) -> Iterator[str]:
    """Return rows of a date and a cell."""
    return (f'<c s="1"><v>{45_000 + n}</v></c>{cell}' for n in range(rows))


def _far_cells(*places: str) -> Iterator[str]:
    return iter(["".join(f'<c r="{place}"><v>1</v></c>' for place in places)])


CELLS: dict[str, Callable[[], Iterator[str]]] = {
    **{
        f"at {place[:20]}": lambda place=place: _far_cells("A1", place)
        for place in (
            "XFD1048576", "A1048576", "XFD1", "ZZZ1", "AAAA1", "A9999999999", "A0", "1A", "A-1",
            "A1A1", "", "é1", "A١", "A" * 100_000, "1" * 100_000, "a1000000",
        )
    },
    "a diagonal": lambda: _far_cells(
        *(f"{chr(65 + n // 26)}{chr(65 + n % 26)}{n + 1}" for n in range(676))
    ),
    "rows of numbers far apart": lambda: (
        f'<c r="A{n * 1000}"><v>1</v></c>' for n in range(1, 1048)
    ),
    "inline strings of 30,000 characters": lambda: _dated_rows(
        f'<c t="inlineStr"><is><t>{"x" * 30_000}</t></is></c>'
    ),
    "an inline string of 1 MB": lambda: _dated_rows(
        f'<c t="inlineStr"><is><t>{"x" * 1_000_000}</t></is></c>', 30
    ),
    "rich text of many runs": lambda: _dated_rows(
        '<c t="inlineStr"><is>' + "<r><t>x</t></r>" * 300 + "</is></c>"
    ),
    "formulas of 8,000 characters": lambda: _dated_rows(
        f"<c><f>{'A1+' * 2_700}A1</f><v>1</v></c>", 4_000
    ),
    "formulas in every cell": lambda: _dated_rows("<c><f>A1+1</f><v>1</v></c>", 50_000),
    "formulas without values": lambda: _dated_rows("<c><f>1/0</f></c>", 50_000),
    "a million empty cells": lambda: iter(['<c s="1"/>' * 1_000] * 1_000),
    "half a million numbers": lambda: iter(["<c><v>1</v></c>" * 500] * 1_000),
    "a million numbers": lambda: iter(["<c><v>1</v></c>" * 1_000] * 1_000),
    "5,001 numbers in a row": lambda: iter(["<c><v>1</v></c>" * 5_001]),
    "half a million rows": lambda: iter(["<c><v>1</v></c>"] * 500_000),
    "values twice": lambda: _dated_rows("<c><v>1</v><v>2</v></c>"),
    "cells in cells": lambda: _dated_rows("<c><v>1<c><v>2</v></c></v></c>"),
    "strings in strings": lambda: _dated_rows('<c t="s"><v>0<is><t>x</t></is></v></c>'),
    **{
        f"{kind or 'numbers'} {value[:24]}": lambda kind=kind, value=value: _dated_rows(
            f'<c t="{kind}" s="1"><v>{value}</v></c>'
        )
        for kind, values in {
            "n": (
                "1e308",
                "-1e308",
                "1e999999",
                "nan",
                "inf",
                "9" * 30_000,
                "0." + "1" * 30_000,
                "x",
            ),
            "d": ("2024-01-01", "9999-99-99", "2024-01-01T" + "0" * 30_000, "1" * 30_000),
            "b": ("1", "2", "x" * 100_000),
            "e": ("#N/A", "#DIV/0!", "#" * 30_000),
            "s": ("0", "-1", "99999999", "18446744073709551616", "9" * 100_000, "x"),
            "str": ("x" * 32_000, "2024-01-01", "&#x1F600;" * 3_000),
            "unknown": ("1",),
        }.items()
        for value in values
    },
    **{
        f"serial number {number}": lambda number=number: (
            f'<c s="1"><v>{number}</v></c><c><v>{n}</v></c>' for n in range(1_000)
        )
        for number in ("2958466", "1e15", "-1", "-1e300", "0", "60", "73050.9999999999", "1e-300")
    },
}  # fmt: skip


def _strings(strings: str, references: int, index: int = 0) -> bytes:
    cell = f'<c t="s"><v>{index}</v></c>'
    table = f'<sst xmlns="{MAIN}">{strings}</sst>'.encode()
    body = "".join(f'<row><c s="1"><v>{45_000 + n}</v></c>{cell}</row>' for n in range(references))
    return _sheet(body, **{"xl/sharedStrings.xml": table})


STRINGS: dict[str, Maker] = {
    "a string of 1 MB, 1,500 times": lambda: _strings(f"<si><t>{'x' * 1_000_000}</t></si>", 1_500),
    "a string of 32,767 characters, 1,500 times": lambda: _strings(
        f"<si><t>{'x' * 32_767}</t></si>", 1_500
    ),
    "a string of 32,767 emoji, 400 times": lambda: _strings(
        f"<si><t>{'😀' * 32_767}</t></si>", 400
    ),
    "a string of 150 characters, 100,000 times": lambda: _strings(
        f"<si><t>{'x' * 150}</t></si>", 100_000
    ),
    "a string of many runs": lambda: _strings(
        "<si>" + "<r><t>xxxxxx</t></r>" * 100_000 + "</si>", 10
    ),
    "300,000 strings": lambda: _strings("<si><t>x</t></si>" * 300_000, 10),
    "300,000 empty strings, then a long one": lambda: _strings(
        "<si/>" * 300_000 + f"<si><t>{'x' * 30_000}</t></si>", 1_500, 300_000
    ),
    "strings in two parts": lambda: workbook(
        {"a": SALES},
        **{
            f"xl/{name}.xml": f"<sst><si><t>{text}</t></si></sst>".encode()
            for name, text in (("a", "x"), ("sharedStrings", "x" * 30_000))
        },
    ),
    "phonetic strings": lambda: _strings("<si><rPh><t>x</t></rPh></si>" * 100_000, 10),
}


def _listed_sheets(names: Mapping[str, str], rows: str = "") -> bytes:
    """Return a workbook whose sheets are as many names of parts."""
    sheets = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="{part}"/>'
        for n, (name, part) in enumerate(names.items(), 1)
    )
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    book = f'<workbook xmlns="{MAIN}" xmlns:r="{office}"><sheets>{sheets}</sheets></workbook>'
    return _sheet(rows, **{"xl/workbook.xml": book.encode()})


SHEETS: dict[str, Maker] = {
    "80 sheets": lambda: workbook({f"s{n}": SALES for n in range(80)}),
    "30 sheets of 200 columns": lambda: workbook(
        {f"s{n}": [["2024"] * 50] * 150 for n in range(30)}
    ),
    "5,000 sheets of one part": lambda: _listed_sheets(
        {f"s{n}": "rId1" for n in range(5_000)}, CORNERS
    ),
    "100,000 sheets of one part": lambda: _listed_sheets({f"s{n}": "rId1" for n in range(100_000)}),
    "a sheet without a part": lambda: _listed_sheets({"s": "rId77"}),
    "a sheet with a name of 100 kB": lambda: _listed_sheets({"s" * 100_000: "rId1"}, CORNERS),
    "a sheet with a name of 1 MB": lambda: _listed_sheets({"s" * 1_000_000: "rId1"}),
    "merged cells": lambda: _workbook_with(
        "sheet", "<mergeCells>" + '<mergeCell ref="A1:XFD1048576"/>' * 200_000 + "</mergeCells>"
    ),
    "a dimension that is false": lambda: _workbook_with(
        "sheet", '<dimension ref="A1:XFD1048576"/>'
    ),
    "columns": lambda: _workbook_with("sheet", '<col min="1" max="16384"/>' * 200_000),
    "links": lambda: _workbook_with("sheet", '<hyperlink ref="A1" r="x"/>' * 200_000),
    "200,000 styles": lambda: _workbook_with(
        "styles", "<cellXfs>" + '<xf numFmtId="14"/>' * 200_000 + "</cellXfs>"
    ),
    "200,000 formats": lambda: _workbook_with(
        "styles",
        "<numFmts>"
        + "".join(f'<numFmt numFmtId="{n}" formatCode="yyyy"/>' for n in range(200_000))
        + "</numFmts>",
    ),
    "a format of 200 kB": lambda: _workbook_with(
        "styles", f'<numFmts><numFmt numFmtId="165" formatCode="{"[$y]" * 50_000}"/></numFmts>'
    ),
    "a format of 10 MB": lambda: _workbook_with(
        "styles", f'<numFmts><numFmt numFmtId="165" formatCode="{"y" * 10_000_000}"/></numFmts>'
    ),
    "defined names": lambda: _workbook_with(
        "workbook", '<definedName name="x">A1</definedName>' * 200_000
    ),
    "relations": lambda: _workbook_with(
        "relations",
        "".join(f'<Relationship Id="r{n}" Type="t" Target="x"/>' for n in range(200_000)),
    ),
    "50,000 rows": lambda: workbook(
        {"a": [["d", "v"], *([date_cell(20_000 + n), n * 1.5] for n in range(50_000))]}
    ),
    "25,000 rows of 18 columns": lambda: workbook(
        {
            "a": [
                ["d", *(f"v{n}" for n in range(18))],
                *(
                    [date_cell(20_000 + n), *(n * k % 997 for k in range(18))]
                    for n in range(25_000)
                ),
            ]
        }
    ),
    "100,000 rows of three series": lambda: workbook(
        {"a": [[date_cell(20_000 + n // 3), "abc"[n % 3], n % 100] for n in range(100_000)]}
    ),
}
