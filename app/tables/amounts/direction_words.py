"""The words beside unsigned amounts that say whether money went out or came in."""

import re

from app.tables.dates.month_names import fold_text

# Values of columns that have credit cards and debit cards.
_CARDS = re.compile(
    r"card|kart|method|tender|zahlungs(?:art|weise|mittel)|forma de|m[eé]todo|betaal|mode de"
    "|カード",
    re.IGNORECASE,
)
# Names of columns whose values may be single letters or signs.
_NAMED = re.compile(
    r"soll|haben|debet|debit|d[eé]bito?|credit|cr[eé]dito?|kredit|cargo|abono|dare|avere|borç|alacak"
    r"|kennz|\bkz\b|indicat|\bsi(?:gn|nal)\b|sens\b|vorzeichen|[+] ?/ ?-|\b[dscw] ?/ ?[chkam]\b"
    r"|\bdr\b|\bdc\b|\bsh\b|\bt[iy]p|nature|natureza|richting|direction|направление|借|貸|贷|收|入",
    re.IGNORECASE,
)
# Words for neither direction, such as a transfer between two accounts of one person.
_NEITHER = "transfer|transfers|neutral|umbuchung|traspaso|virement|giroconto|/|不计收支|其他|振替"


def _word_signs(out: str, into: str) -> dict[str, int]:
    words = ((out, -1), (into, 1), (_NEITHER, 0))
    return {fold_text(word): sign for group, sign in words for word in group.split("|")}


_MONEY = _word_signs(
    "debit|debits|dr|dr.|db|debito|débit|debet|soll|lastschrift|belastung|af|afschrijving|cargo|dare"
    "|addebito|debe|withdrawal|withdrawals|withdraw|expense|expenses|spending|money out|paid out"
    "|outgoing|outflow|gasto|gastos|egreso|egresos|dépense|dépenses|ausgabe|ausgaben|uitgave"
    "|uitgaven|despesa|despesas|utgift|udgift|uttag|otto|meno|obciążenie|wydatek|wydatki|rozchód|wn"
    "|расход|списание|дебет|витрата|видаток|borç|gider|terhelés|kiadás|výdaj|výdaje|借|借方|支出|出金"
    "|支払|支払い|支|转出|출금|차변|지출|pengeluaran|ghi nợ|مدين|חובה|χρέωση|rc",
    "credit|credits|cr|cr.|kredit|credito|crédito|crédit|haben|gutschrift|bij|bijschrijving|abono"
    "|avere|accredito|haber|deposit|deposits|income|money in|paid in|incoming|inflow|ingreso"
    "|ingresos|recette|recettes|revenu|revenus|einnahme|einnahmen|inkomst|inkomsten|receita|receitas|intäkt"
    "|indtægt|insättning|pano|tulo|uznanie|przychód|przychody|wpływ|ma|приход|зачисление|кредит|доход"
    "|надходження|alacak|gelir|jóváírás|bevétel|příjem|příjmy|贷|貸|贷方|貸方|收入|収入|入金|受取|收|转入|입금"
    "|대변|수입|pemasukan|ghi có|دائن|זכות|πίστωση|rd",
)
_DOCUMENTS = _word_signs(
    "refund|refunds|credit note|credit memo|gutschrift|stornorechnung|avoir|remboursement"
    "|nota de crédito|nota di credito|reembolso|devolución|creditnota|kreditnota|kreditfaktura"
    "|退款|返金|возврат",
    "charge|charges|sale|sales|order|orders|payment|purchase|invoice|rechnung|facture|factura|fattura"
    "|fatura|factuur|faktura|verkauf|vente|venta|vendita|venda|zahlung|売上|支付|продажа",
)
# Words that are also used for people, goods and files.
_MOVES = _word_signs(
    "out|entnahme|ausgang|sortie|salida|uscita|uscite|saída|saida|ud|ut|uit|odchozí|出|isplata",
    "in|einlage|eingang|entrée|entrada|entrata|entrate|ind|inn|příchozí|入|uplata",
)
_LETTERS = _word_signs("d|s|t|b|-|−", "c|h|k|j|a|m|+")
_LETTER_PAIRS = {*map(frozenset, ("dc", "sh", "dk", "tj", "ba", "dh", "da", "-+", "−+"))}
_CLEAR_PAIRS = {*map(frozenset, ("sh", "-+", "−+"))}  # A and B may be branches


def signs_of_words(kinds: list[str], column_name: str, *, are_money: bool) -> list[int] | None:
    """Return the signs of the words in a column, 0 for neither; None if it has no directions.

    ``are_money``: whether the numbers beside them are amounts of money. Single letters need a
    column whose name says what they are; S and H, or signs, one without a name.
    """
    if _CARDS.search(column_name):
        return None
    folded = [fold_text(kind) for kind in kinds]
    groups = [_MONEY, _DOCUMENTS]
    if are_money:
        is_named = _NAMED.search(column_name) is not None
        pairs = _LETTER_PAIRS if is_named else set() if column_name else _CLEAR_PAIRS
        groups += [_MOVES, *([_LETTERS] if {*folded} - {""} in pairs else [])]
    for group in groups:
        signs = [group.get(word, None if word else 0) for word in folded]
        if None not in signs and {-1, 1} <= {*signs}:
            return [sign or 0 for sign in signs]
    return None
