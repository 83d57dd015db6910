"""The encoding of text that is not UTF-8, by the letters that stand beside each other."""

import numpy as np
import pytest

from app.tables.text.encodings import guess_encoding
from tests.tables.kinds.case import days
from tests.tables.tables import notes_of, read_bytes, rejection_of

DAYS = days("2026-04-13", 60)
WEEK = ["Δευ", "Τρι", "Τετ", "Πεμ", "Παρ", "Σαβ", "Κυρ"]
# Headers by encoding.
HEADERS = {
    "cp1252": (
        "Année;Chiffre d’affaires réalisé en août, où dès le très même œuvre",
        "janvier 2024;février 2024;août 2024;décembre 2024;août 2025",
        "Création;première;théâtre;maître à bord naïf Noël dû",
        "Año;Ventas netas facturación mañana",
        "período;vendas líquidas ações milhões São José",
        "Monat;Umsätze für Größe Straße",
        "Måned;Omsætning på løn køer søer for øer",
        "Antal køer;søer;døre",
        "Päev;Külastajad kõik jõulud õun sõit",
        "così è più però perché già città caffè",
        "història però això què més l’any català",
        "Ár;Sala mánaðar þjónusta að ræða",
    ),
    "cp1250": (
        "Datum;Počet objednávek;Průměrná objednávka Kč",
        "Měsíc;Tržby za období;příjem",
        "Období;Množství;Částka;účet",
        "Mjesec;Broj računa;Promet kuća;čekanje većina",
        "Dátum;Érték;Összesen;idő;hőmérséklet",
        "Nap;Bruttó forgalom;Vevők száma;fő;Időszak",
        "Datum;Število računov;Količina;čas",
        "Miesiąc;Sprzedaż;ilość",
        "Data;Sprzedaż",
        "Datum;Částka",
        "Dátum;Množstvo;Košice;Žilina",
        "Data;Vânzări;Preţ",
    ),
    "iso8859_2": (
        "Data;Wartość",
        "Data;Sprzedaż;Zużycie energii;Gdańsk",
        "Datum;Spotřeba;Částka;Tržby",
    ),
    "cp1257": (
        "Data;Pardavimų kiekis;rugsėjis;Šiauliai;įmonė",
        "Datums;Pārdošana;Mēnesis;Rīga",
        "Kuupäev;Müük;Käive;Jõhvi;tšekk",
    ),
    "cp1253": (
        "Εβδομάδα;Πωλήσεις;ΦΠΑ;Μέση απόδειξη",
        "Ημερομηνία;Τζίρος;Επισκέπτες",
        "Ημερομηνία;Έσοδα",
        "ημερομηνια;εσοδα",
        "ΗΜΕΡΟΜΗΝΙΑ;ΤΖΙΡΟΣ",
        "Ημ/νία;Άφιξη",
        "Τιμή",
    ),
    "iso8859_7": ("Ημέρα;Άφιξη", "Ημερομηνία;Άθροισμα;€"),
    "cp1251": (
        "дата;количество;сумма",
        "магазин;выручка",
        "НАИМЕНОВАНИЕ ТОВАРА;КОЛИЧЕСТВО",
        "Юг;Эксперт;Яблоки",
        "Дата;Виторг;Кількість",
        "Дата;Выручка;Количество",
        "Месяц;Сумма, руб.;НДС",
        "Дата;Продажби;Оборот лв.",
        "ДАТА;ВЫРУЧКА;СУММА",
    ),
    "cp1256": (
        "الشهر;الاستهلاك (م3);عدد المشتركين",
        "التاريخ;المبيعات",
        "يناير 2023;فبراير 2023;مارس 2023;أبريل 2023",
    ),
    "iso8859_6": ("التاريخ;الكمية;المبلغ", "الشهر;الإيرادات;عدد الزوار"),
    "cp874": (
        "เดือน;ยอดขาย (บาท)",
        "วันที่;จำนวนลูกค้า;รายได้",
        "ม.ค. 2567;ก.พ. 2567;มี.ค. 2567;เม.ย. 2567;พ.ค. 2567",
    ),
    "cp950": (
        "年（月）別,臺鐵,高鐵\n　1月\n　2月\n　3月\n　4月\n　5月\n　6月",
        "日期,成交股數,成交金額,開盤價,最高價",
        "月份,營業額,客數",
        "年月,銷售量(台),金額",
    ),
    "gb18030": ("日期,成交股数,成交金额,开盘价", "月份,营业额,客数"),
    "cp949": ("날짜,매출액,수량,지점", "연월,판매량"),
    "cp932": ("日付,売上高,数量", "年月,売上,客数,気温"),
    "cp1255": ("תאריך;סכום;כמות",),
    "cp1254": ("Tarih;Satış;Günlük müşteri sayısı", "Tarih;Satış", "Tarih;Şubat;Ağustos;Kâr"),
}


@pytest.mark.parametrize(
    ("codec", "header"),
    [(codec, header) for codec, headers in HEADERS.items() for header in headers],
)
def test_the_letters_of_a_header_show_its_encoding(codec: str, header: str) -> None:
    text = header + "\n" + "2024-01-01;1\n" * 20
    content = text.encode(codec)
    assert content.decode(guess_encoding(content).codec) == text


def test_marks_of_the_direction_of_writing_are_left_out() -> None:
    rows = [f"\u200f{day}\u200f,\u200e{n}\u200f" for n, day in enumerate(days("2024-01-01", 9))]
    [series] = read_bytes("\n".join(["\u200edate,sales", *rows]).encode()).series
    assert (series.name, series.values) == ("sales", [*range(9)])


def test_names_show_the_encoding_despite_a_currency_in_each_row() -> None:
    rows = [
        f"{day};{name};{i},20 €" for i, (day, name) in enumerate(zip(DAYS, WEEK * 20, strict=False))
    ]
    text = "\n".join(["Ημερομηνία;Ημέρα;Έσοδα δωματίων", *rows])
    reading = read_bytes(text.encode("cp1253"))
    assert [series.name for series in reading.series] == ["Έσοδα δωματίων"]
    assert "were read as Windows-1253, of Greek" in notes_of(reading)


@pytest.mark.parametrize("codec", ["gb18030", "cp949"])
def test_short_chinese_and_korean_headers_do_not_name_a_language(codec: str) -> None:
    first, last = (0xB0, 0xD7) if codec == "gb18030" else (0xB0, 0xC8)
    rng = np.random.default_rng(1)
    guessed = []
    for _ in range(300):
        leads, trails = rng.integers(first, last + 1, 8), rng.integers(0xA1, 0xFF, 8)
        names = [bytes(map(int, pair)) for pair in zip(leads, trails, strict=True)]
        guessed.append(guess_encoding(b",".join([b"".join(names[:3]), *names[3:]])).codec)
    alphabets = {"cp1251", "cp1253", "cp1255", "cp1256", "cp874", "iso8859_6", "iso8859_7"}
    assert sum(codec in alphabets for codec in guessed) <= 1


def test_a_rejection_of_guessed_letters_says_how_to_have_them_right() -> None:
    rejection = rejection_of("Tháng;Doanh thu\nx;1\ny;2\nz;3".encode("cp1258"))
    assert rejection.issue.endswith("2024-01-31, 112. If its letters are wrong, save it as UTF-8")
