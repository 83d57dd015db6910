"""Words that tables use for one thing, in many languages: a new language begins here.

Each constant has alternatives of a regular expression that ignores case. Names of months, weekdays
and quarters are in ``dates.languages``, those of keys in ``codes.key_names``, and words for money
that comes in or goes out in ``amounts.direction_words``.
"""

# Names of columns with a part of a date.
YEAR = (
    r"years?|yr|jahre?|ann[ée]e|exercice|mill[ée]sime|an|anul|a[ñn]o|anno|ejercicio|exerc[ií]cio"
    "|esercizio|jaar|år|rok|lata|leto|yıl|vuosi|év|ár|aasta|gads|metai|godina|tahun|năm|год|година"
    "|рік|έτος|سنة|السنة|שנה|ปี|年|年份|年度|년도?|연도"
)
MONTH = (
    "months?|mon|monat|mois|mes|mês|mese|maand|månad|måned|miesiąc|měsíc|mesiac|mjesec|mesec|hónap"
    "|kuukausi|kuu|lună|mėnuo|ay|bulan|tháng|μήνας|месяц|місяць|месец|เดือน|الشهر|חודש|月|月份|월"
)
# The periods of bookings, which are mostly months.
PERIOD = (
    r"period|periode?|p[ée]riode|per[ií]odo|per\.|období|okres|dönem|compet[êe]ncia|период"
    "|(?:会计)?期间|기간"
)
WEEK = (
    "weeks?|wk|cw|kw|(?:kalender)?woche|semaines?|semanas?|sem|settimana|vecka|veckor|tydzień|týden"
    "|týždeň|hafta|uker?|uger?|hét|viikko|săptămân[aă]|sedmica|tjedan|teden|nädal|savaitė|nedēļa"
    "|εβδομάδα|неделя|тиждень|tuần|minggu|שבוע|周|週|周次|주"
)
QUARTER = (
    "quarter|qtr|quartal|trimestre|kwartał|kwartaal|kvartal|çeyrek|čtvrtletí|štvrťrok|negyedév"
    "|kvartaali|neljännes|trimestru|tromjesečje|četrtletje|kvartāls|ketvirtis|τρίμηνο|квартал|季度"
    "|四半期|분기|quý|triwulan|kuartal|רבעון"
)
DAY = "days?|tag|jour|d[ií]a|dag|dzień|gün|giorno|日"
HOUR = (
    "hours?(?:[ _]ending)?|he|hr|hh|stunde|heure|hora|ora|uur|timme|godzina|saat|hodina|óra|tunti"
    "|time|oră|sat|ura|ώρα|час|година|小时|時|時間|시간|giờ|jam|שעה"
)
DATE = "date|datum|dátum|fecha|tgl|tanggal|pvm|ngày"

# Rows and columns that are totals; languages that write no spaces join theirs to other words.
TOTAL = (
    "totals?|tota(?:les?|li|is|ux|al|lt)|i ?alt|sums?|summe|somme|summa|suma"
    "|gesamt|insgesamt|razem|celkem|spolu|skupaj|ukupno|укупно|вкупно|ogółem|toplam|yhteensä|összesen"
    "|kokku|kopā|(?:iš )?viso|jumlah|tổng cộng|tổng|итого|всего|разом|всього|усього|общо|всичко"
    '|σύνολο|барлығы|cəmi|guztira|المجموع|الإجمالي|סך הכל|סה״כ|סה"כ|รวม|รวมทั้งหมด|कुल|कुल योग'
)
JOINED_TOTAL = "合计|合計|总计|總計|小计|小計|합계|총계|소계"
AVERAGE = "average|mean|mittelwert|durchschnitt|moyenne|promedio|média|gemiddelde|średnia|среднее"

# Names of columns with values.
VALUE = (
    "values?|werte?|valeurs?|valor(?:es)?|valor[ei]|waarden?|wartość|hodnota|érték|värde|verdi|værdi"
    "|arvo|değer|значение|значення|値|数値|값"
)
AMOUNT = (
    r"amount|betr[aä]g|bedrag|importe?\b|importo|mont[oa]nt|monto|belopp|bel[øo]e?b|beløp|kwota"
    "|tutar|[čc][áa]stka|[öo]sszeg|сумма|сума|金[额額]|금액|المبلغ|סכום|ποσό"
)
# Quantities that are forecast more often than other numbers of the same table.
LIKELY_VALUE = (
    "sales|revenue|demand|quantity|qty|count|close|price|load|consumption|turnover|umsatz|menge"
    "|anzahl|absatz|preis|ventes?|prix|ventas?|precio"
)

# Kinds and titles of rows.
PLANNED = (
    r"(?:forecasts?|fcst|plan|planned|budget|projections?|projected|outlook|prognose|vorschau|soll"
    r"|hochrechnung|planwerte|pr[ée]vision\w{0,2}|previsioni|predicci[oó]n|proyecci[oó]n|projeção"
    r"|presupuesto|orçamento|pron[oó]stico|previsto|estimated?|begroting|prognoza|budżet|bütçe"
    r"|tahmin|ennuste)"
    "|予測|見込み?|計画|予算|预测|计划|预算|예측|계획|예산|план|прогноз|бюджет"
)
ACTUAL = (
    "actuals?|history|historical|ist(?:-?(?:werte|daten))?|r[ée]alis[ée]s?|reale?s?|realizado"
    "|consuntivo|histori(?:e|que|co|al)|realisatie|gerçekleşen|wykonanie|実績|实际|實際|실적|факт"
)
# Beginnings of words for payments and orders that did not happen or were paid back.
VOID = (
    r"\b(?:fail|refund|cancel|declin|void|revers|chargeback|disput|expired|reject|uncaptured|storn"
    r"|abgelehnt|fehlgeschlagen|erstatt|retour|annul|rembours|anulad|reembols|devuelt|devolu|estorn"
    r"|zwr[oó]|anulowan|iade|iptal|отмен|возврат)|退款|取消|失败|キャンセル|返品|취소|환불"
)
