"""Web pages and XML workbooks, which programs save as ``.xls``, are read as a spreadsheet would."""

import pytest

from tests.tables.tables import notes_of, read_text, requirements

MONTHS = [f"{month:02}/{year}" for year in (2023, 2024) for month in range(1, 13)][:14]


def test_a_report_of_a_web_program_keeps_its_columns_below_merged_names() -> None:
    rows = "".join(
        f"<tr>{f'<td rowspan=14 class=a>{place}</td>' if n == 0 else ''}<td>{month}"
        f"<TD ALIGN=right>{1_000 + n + extra},50</td>\n<td>-</tr>"
        for place, extra in (("Norte", 0), ("S&uuml;d&nbsp;Ost", 500))
        for n, month in enumerate(MONTHS)
    )
    reading = read_text(
        "<html><head><title>1/2/2024</title><style>td {x: <tr> 1}</style></head><body>"
        "<!-- <tr><td>2020-01-01<td>5 --><h2>Ventas</h2><table border=1><tr><th rowspan=2>Región"
        f"<th rowspan=2>Mes<th colspan=2>Importe</tr><tr><th>Ventas<th>Notas</tr>{rows}</table>"
        "<p>Fin del informe</p><script>if (1 < 2) {}</script></body></html>",
        layout="long",
    )
    assert reading.chosen.columns == ["Importe Ventas"]
    assert {series.name: series.values[:2] for series in reading.series} == {
        "Norte": [1000.5, 1001.5],
        "Süd Ost": [1500.5, 1501.5],
    }
    assert reading.series[0].timestamps[0].startswith("2023-01")


def test_an_xml_workbook_keeps_numbers_and_the_places_of_cells() -> None:
    rows = "".join(
        f'<Row ss:Index="{n + 5}"><Cell ss:StyleID="d"><Data ss:Type="DateTime">'
        f'{month[3:]}-{month[:2]}-01T00:00:00.000</Data></Cell><Cell ss:Index="4">'
        f'<Data ss:Type="Number">{n}1.234</Data></Cell></Row>'
        for n, month in enumerate(MONTHS)
    )
    reading = read_text(
        '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook xmlns:ss='
        '"urn:schemas-microsoft-com:office:spreadsheet"><DocumentProperties><Created>'
        '2020-01-01T00:00:00Z</Created></DocumentProperties><Styles><Style ss:ID="d"/></Styles>'
        '<Worksheet ss:Name="a"><Table><Column ss:Width="9"/><Row ss:Index="4"><Cell><Data>Month'
        f'</Data></Cell><Cell ss:Index="4"><Data>Sales</Data></Cell></Row>{rows}</Table>'
        "<WorksheetOptions><Zoom>100</Zoom></WorksheetOptions></Worksheet></Workbook>"
    )
    assert [series.values[:3] for series in reading.series] == [[1.234, 11.234, 21.234]]
    assert (reading.chosen.header, requirements(reading)) == (4, [])


def test_remarks_count_rows_as_a_spreadsheet_does() -> None:
    rows = "".join(f"<tr><td>{m}<td>{'x' if n == 4 else n}" for n, m in enumerate(MONTHS))
    reading = read_text(f"<h1>Report</h1><table><tr><th>month<th>n{rows}</table>")
    assert "Left out row 7: “x” is not a number." in notes_of(reading)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<!doctype html><head><title>2020-01-01</title><body>", ""),  # </head> left out
        ("<html><script>if (a<b) { x('</p>') }</script>", ""),
        ("<table><tr><td rowspan=9>About</table>", ""),
        ("<!-- made by a program -->", ""),
        ("<div>Report</div>", "<p>The end"),
    ],
)
def test_what_is_around_a_table_does_not_change_it(before: str, after: str) -> None:
    rows = "".join(f"<tr><td>{month}<td>{n}" for n, month in enumerate(MONTHS))
    reading = read_text(f"{before}<table><tr><th>month<th>n{rows}</table>{after}")
    assert [(series.name, series.values) for series in reading.series] == [("n", [*range(14)])]


@pytest.mark.parametrize("start", ["<!-- a comment -->", "<h1>Report</h1>"])
def test_markdown_may_begin_with_markup(start: str) -> None:
    rows = "\n".join(f"| {month} | {n} |" for n, month in enumerate(MONTHS))
    reading = read_text(f"{start}\n\n| month | n |\n|---|---|\n{rows}")
    assert [series.values for series in reading.series] == [[*range(14)]]


def test_a_comment_on_a_cell_is_no_part_of_its_number() -> None:
    rows = "".join(
        f"<Row><Cell><Data>{month}</Data></Cell><Cell><Data ss:Type='Number'>{n}</Data>"
        "<Comment ss:Author='A'><ss:Data>50</ss:Data></Comment></Cell></Row>"
        for n, month in enumerate(MONTHS)
    )
    reading = read_text(
        '<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">'
        f"<Table><Row><Cell>month</Cell><Cell>n</Cell></Row>{rows}</Table></Workbook>"
    )
    assert [series.values for series in reading.series] == [[*range(14)]]
