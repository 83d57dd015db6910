"""Whether a series is added up or averaged over periods, by its name, unit and values."""

import numpy as np
import pytest

from app.tables.summary import summarize
from tests.tables.tables import read_text

WHOLE, FRACTIONS = np.arange(20.0), np.arange(20.0) + 0.5


@pytest.mark.parametrize(
    "name",
    [
        *("temperature", "Temp (°C)", "price", "Sales price", "conversion rate", "share of sales"),
        *("population", "load [MW]", "power_kw", "Auslastung in %", "cpu", "stock level", "Preis"),
        *("Durchschnittstemperatur", "avg visits", "avgPrice", "unemployment rate", "Bestand"),
        *(
            "latency_ms",
            "interest",
            "Close",
            "température",
            "prix",
            "RevPAR",
            "含税单价",
            "平均気温",
        ),
        *("AHT (s)", "Call handling time", "Wartezeit [s]"),
        *("Ort. Maliyet (TL)", "Medelpris", "Средняя цена", "단가"),
        *("ICU Census", "Staffed Beds", "On Hand", "Ø Herzfrequenz", "Maximale Herzfrequenz"),
        *("Lower Quartile Rent", "Wechselkurs", "Share price ($)", "Net margin", "Rel Hum (%)"),
        *("BIP gesamt Veränderung in % p. a.", "Ср. скорость", "Dividend yield"),
    ],
)
def test_levels_are_averaged(name: str) -> None:
    assert summarize(name, "", WHOLE) == "average"


@pytest.mark.parametrize(
    "name",
    [
        *("sales", "Unit sales", "visits", "count", "orders", "Umsatz", "Bestellungen", "ventes"),
        *("revenue", "passengers", "requests", "energy (kWh)", "consumption", "rainfall mm"),
        *("page views", "Anzahl", "ventas", "units sold", "total_amount", "price_total"),
        *("Consumo (kWh)", "Belopp", "Toplam Desi", "价税合计", "売上", "Продажи", "매출액", "Tax"),
        *("Net", "Brutto", "Personalkosten", "valor (R$)", "S3($)", "EC2-Instances($)", "Distanz"),
        *("Amount with 19 % tax", "PV Yield (kWh)"),
    ],
)
def test_flows_are_added_up(name: str) -> None:
    assert summarize(name, "", FRACTIONS) == "total"


@pytest.mark.parametrize(
    ("unit", "values", "summary"),
    [
        ("", WHOLE, "total"),
        ("", FRACTIONS, "average"),
        ("", -WHOLE, "average"),
        (" €", FRACTIONS, "total"),
        ("%", WHOLE, "average"),
        (" °C", WHOLE, "average"),
    ],
)
def test_without_a_clear_name_units_and_values_decide(unit, values, summary) -> None:
    assert summarize("Column 2", unit, values) == summary


def test_amounts_with_a_currency_before_them_are_added_up() -> None:
    rows = [f"2025-01-{day:02},$ {day}.25,{day}.25" for day in range(1, 31)]
    signed, plain = read_text(["day,A,B", *rows]).series
    assert (signed.summary, plain.summary) == ("total", "average")


def test_the_name_in_the_rows_decides_where_that_of_the_column_says_nothing() -> None:
    assert summarize("value", "", FRACTIONS, "Gross Sales") == "total"
    assert summarize("value", "", WHOLE, "Unit price") == "average"
    assert summarize("sales", "", FRACTIONS, "Open market") == "total"
