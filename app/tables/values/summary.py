"""Decide whether sums of a series are meaningful, by its name, its unit and its values."""

import re

import numpy as np

from app.tables.answers import Summary
from app.tables.dates.month_names import fold_text
from app.tables.reading import cut_name
from app.tables.words import JOINED_TOTAL, TOTAL
from app.timeseries.types import FloatArray

# Words and prefixes of words without accents; those of Chinese, Japanese and Korean anywhere.
_SUMS = rf"\b(?:total|sum|gesamt|ukup|(?:{fold_text(TOTAL)})\b)|{JOINED_TOTAL}"
_LEVELS = (
    r"\b(?:temp\b|temperat|prices?\b|preis|prix\b|precio|rates?\b|quote|taux\b|tasa\b|ratio|share"
    r"|anteil|percent|prozent|pct\b|avg\b|average|mean\b|mittel|median|moyen|promedio|population"
    r"|einwohner|poblacion|stock|bestand|inventory|levels?\b|pegel|niveau|nivel|balance|saldo"
    r"|headcount|employees|members|subscribers|followers?\b|abonne|open\b|high\b|low\b|close\b|index|score"
    r"|rating|cpu|memory|utili[sz]|auslastung|latency|duration|speed|humidity|pressure|wind\b"
    r"|voltage|(?:power|leistung|load\b|active|yield)(?!.*wh\b)|co2|margin|unemploy|inflation|interest"
    r"|zins|age\b|alter\b|celsius|fahrenheit|depth|height|weight|adr\b|rev ?par\b|medel|snitt\b"
    r"|ø\b|maxim(?:um|al|ale|o|a)?\b|minim(?:um|al|ale|o|a)?\b|quartil|percentil|quantil|decil"
    r"|herzfreq|puls\b|bpm\b|census|beds?\b|betten|on hand\b|occupan|belegung|nav\b|net asset"
    r"|glucose|per (?:visit|session|user|customer|visitor|order|capita|unit|employee|click)\b"
    r"|t(?:max|min|avg|mean)\b|w(?:dir|spd)\b|rhum\b|dew ?p"
    r"|genomsnitt|keskim|gemiddeld|sredn|ort\b|ortalama|rata rata|prumer|atlag|preco|prezzo|prijs"
    r"|pris\b|hinta|fiyat|harga|cena\b|taxa\b|fator\b|средн|ср\b|скорост|цена|ціна|курс\b)"
    r"|\b(?:aht|acw|asa|bearbeitungszeit|wartezeit)\b"
    r"|\b(?:handl(?:e|ing)|talk|hold|wait(?:ing)?|answer|queue|cycle|lead|response) time\b"
    r"|temperatur|durchschnitt|preis\b|kurs\b|平均|[单單単][价價価]|[价價価]格|率|[温溫]度|[気氣气]温|水位"
    r"|[库庫]存|在[库庫]|[余餘][额額]|残高|단가|평균|가격|재고|기온"
)
_FLOWS = (
    r"\b(?:sales|visit|besuch|count|anzahl|order|bestell|revenue|umsatz|turnover|absatz|menge"
    r"|units?\b|qty|quantit|amount|betrag|passenger|request|calls?\b|clicks?\b|views?\b|download"
    r"|k wh\b|belopp|antal|forsaljning|omsattning|kostnad|myynti|maara\b|liikevaihto|bedrag|aantal"
    r"|omzet|kwota|ilosc|sprzedaz|przychod|quantidade|vendas?\b|faturamento|receitas?\b|despesas?\b"
    r"|importo|vendite|ricavi|fatturato|ingresos|gastos|unidades|recettes?\b|depenses?\b|chiffre"
    r"|satis|adet|adedi|tutar|ciro\b|gelir|gider|penjualan|pendapatan|omset|consumo|tax\b|taxes\b"
    r"|salar|wages?\b|fees?\b|refunds?\b|returns?\b|discounts?\b|tips?\b|purchases?\b|charges?\b"
    r"|сумма|количество|продаж|выручка|доход|расход|сума|кількість"
    r"|signups?\b|births?\b|deaths?\b|cases?\b|arrival|trips?\b|rides?\b|tickets?\b|transaction"
    r"|ventes?\b|ventas?\b|importe|montant|cantidad|pedido|commande|rain|precipitation"
    r"|consumption|verbrauch|production|energ|[kmg]wh\b|spend|costs?\b|kosten|expense|profit"
    r"|income|volume|errors?\b|events?\b|bytes|debit|credit|money|paid\b|payment|withdraw|deposit"
    r"|net\b|gross\b|netto|brutto|distan[cz]|calor|kalorien|schritte"
    r"|soll\b|haben\b|gutschrift|lastschrift|belastung|debe\b|haber\b)"
    r"|(?:kosten|umsatz|erlose?|ertrage?|aufwand|betrag|menge)\b"
    r"|[数數]量|金[额額]|[销銷]|売上|販売|收入|支出|[税稅][额額]|人[数數次]|件[数數]|[订訂][单單]|매출|수량"
    r"|금액|판매|건수"
)
# Units whose sums mean nothing: after a name, in brackets, or of cells; also ratios such as km/h.
_LEVEL_UNIT = re.compile(
    r"(?<!\d)(?<!\d )[%‰]"  # but not in "with 19 % tax"
    r"|(?:°|\bdeg) ?[CF]\b|(?<!\w)[kMG]W(?:p|el|th)?\b|[\[(](?:W|K|[kmM]?V|m?A|Hz)[\])]"
    r"|(?<!\w)(?:hPa|kPa|m?bar|ppm|ppb|dB[Am]?|[kMG]Hz|rpm|mph|bpm)\b"
    r"|\w ?/ ?(?:h|hr|s|sec|min|kg|t|d?[lL]|m[²³23]?|km|[kMG]?Wh)\b"
)
_CURRENCY = re.compile(r"[$€£¥₹₽₩]")


def choose_summary(name: str, unit: str, has_counts: bool, row_name: str = "") -> Summary:
    """Return the meaningful summary of a column, or of the rows of a name in it.

    Names and units decide, or else whether it has counts.
    """
    if named_summary := summary_by_name(name, unit, row_name):
        return named_summary
    return Summary.TOTAL if unit.strip() or has_counts else Summary.AVERAGE


def are_counts(values: FloatArray) -> bool:
    """Return whether values may be counts: they are whole, and none is below zero."""
    return bool((values >= 0).all() and (values == np.round(values)).all())


def summary_by_name(name: str, unit: str, row_name: str = "") -> Summary | None:
    """Return the summary that the unit or the words of a name show, if they show one.

    The words of the column's name decide, or else the name in its rows. Words of levels come first:
    a sales price is a price. Any other name with the sign of a currency has amounts.
    """
    whole_name = f"{cut_name(name)} ({unit.strip()})"
    if _LEVEL_UNIT.search(whole_name):
        return Summary.AVERAGE
    for words in map(_words_of, (whole_name, row_name)):
        for pattern, summary in (
            (_SUMS, Summary.TOTAL),
            (_LEVELS, Summary.AVERAGE),
            (_FLOWS, Summary.TOTAL),
        ):
            if re.search(pattern, words):
                return summary
    return Summary.TOTAL if _CURRENCY.search(cut_name(name)) else None


def _words_of(name: str) -> str:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", cut_name(name))
    return fold_text(re.sub(r"[_\W]+", " ", spaced))
