"""Months and quarters by the names of many languages."""

import shlex

# ruff: noqa: E501
from tests.tables.kinds.case import Case, draw, months, to_text

SINCE = months(2023, 1, 24)
VALUES = draw(24, 4100, 0)
# Language, header, form of the date, the names from January on.
NAMES = """
Czech: nominative|měsíc|{} {y}|leden únor březen duben květen červen červenec srpen září říjen listopad prosinec
Czech: genitive with a day|datum|1. {} {y}|ledna února března dubna května června července srpna září října listopadu prosince
Polish: genitive with a day|data|1 {} {y} r.|stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
Polish: short|miesiąc|{} {y}|sty lut mar kwi maj cze lip sie wrz paź lis gru
Russian: nominative|месяц|{} {y} г.|Январь Февраль Март Апрель Май Июнь Июль Август Сентябрь Октябрь Ноябрь Декабрь
Russian: genitive with a day|дата|1 {} {y} года|января февраля марта апреля мая июня июля августа сентября октября ноября декабря
Russian: short|период|{} {y}|янв фев мар апр май июн июл авг сен окт ноя дек
Russian: short with points|период|{} {y} г.|янв. февр. март апр. май июнь июль авг. сент. окт. нояб. дек.
Ukrainian: nominative|місяць|{} {y}|січень лютий березень квітень травень червень липень серпень вересень жовтень листопад грудень
Ukrainian: genitive with a day|дата|1 {} {y} р.|січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
Ukrainian: short|період|{}.{y}|січ лют бер кві тра чер лип сер вер жов лис гру
Greek: nominative|μήνας|{} {y}|Ιανουάριος Φεβρουάριος Μάρτιος Απρίλιος Μάιος Ιούνιος Ιούλιος Αύγουστος Σεπτέμβριος Οκτώβριος Νοέμβριος Δεκέμβριος
Greek: genitive with a day|ημερομηνία|1 {} {y}|Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου Αυγούστου Σεπτεμβρίου Οκτωβρίου Νοεμβρίου Δεκεμβρίου
Greek: short|μήνας|{} {y}|Ιαν Φεβ Μαρ Απρ Μαΐ Ιουν Ιουλ Αυγ Σεπ Οκτ Νοε Δεκ
Turkish: short|ay|{} {y}|Oca Şub Mar Nis May Haz Tem Ağu Eyl Eki Kas Ara
Turkish: capitals|AY|{} {y}|OCAK ŞUBAT MART NİSAN MAYIS HAZİRAN TEMMUZ AĞUSTOS EYLÜL EKİM KASIM ARALIK
Hungarian: year first|hónap|{y}. {}|január február március április május június július augusztus szeptember október november december
Hungarian: short, year first|hónap|{y}. {}|jan. febr. márc. ápr. máj. jún. júl. aug. szept. okt. nov. dec.
Romanian|luna|{} {y}|ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
Finnish|kuukausi|{} {y}|tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu marraskuu joulukuu
Bulgarian|месец|{} {y} г.|януари февруари март април май юни юли август септември октомври ноември декември
Croatian|mjesec|{} {y}.|siječanj veljača ožujak travanj svibanj lipanj srpanj kolovoz rujan listopad studeni prosinac
Croatian: genitive with a day|datum|1. {} {y}.|siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca
Croatian: short|mjesec|{}-{y}|sij velj ožu tra svi lip srp kol ruj lis stu pro
Serbian|месец|{} {y}.|јануар фебруар март април мај јун јул август септембар октобар новембар децембар
Serbian in Latin letters|mesec|{} {y}.|januar februar mart april maj jun jul avgust septembar oktobar novembar decembar
Slovenian: short|mesec|{} {y}|jan. feb. mar. apr. maj jun. jul. avg. sep. okt. nov. dec.
Georgian|თვე|{} {y}|იანვარი თებერვალი მარტი აპრილი მაისი ივნისი ივლისი აგვისტო სექტემბერი ოქტომბერი ნოემბერი დეკემბერი
Armenian: genitive with a day|ամսաթիվ|1 {}, {y}|հունվարի փետրվարի մարտի ապրիլի մայիսի հունիսի հուլիսի օգոստոսի սեպտեմբերի հոկտեմբերի նոյեմբերի դեկտեմբերի
Hebrew|חודש|{} {y}|ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר
Hebrew: short|חודש|{} {y}|ינו׳ פבר׳ מרץ אפר׳ מאי יוני יולי אוג׳ ספט׳ אוק׳ נוב׳ דצמ׳
Persian: Gregorian names|ماه|{} {y}|ژانویه فوریه مارس آوریل مه ژوئن ژوئیه اوت سپتامبر اکتبر نوامبر دسامبر
Arabic: the Levant|الشهر|{} {y}|"كانون الثاني" شباط آذار نيسان أيار حزيران تموز آب أيلول "تشرين الأول" "تشرين الثاني" "كانون الأول"
Malay|bulan|{} {y}|Januari Februari Mac April Mei Jun Julai Ogos September Oktober November Disember
Kazakh: short|ай|{} {y}|қаң. ақп. нау. сәу. мам. мау. шіл. там. қыр. қаз. қар. жел.
Azerbaijani|ay|{} {y}|yanvar fevral mart aprel may iyun iyul avqust sentyabr oktyabr noyabr dekabr
Slovak: genitive with a day|dátum|1. {} {y}|januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra
Swedish: short|månad|{} {y}|jan feb mars apr maj juni juli aug sep okt nov dec
Arabic: Gregorian names|الشهر|{} {y}|يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
Indonesian|bulan|{} {y}|Januari Februari Maret April Mei Juni Juli Agustus September Oktober November Desember
Vietnamese|tháng|{} {y}|"Tháng 1" "Tháng 2" "Tháng 3" "Tháng 4" "Tháng 5" "Tháng 6" "Tháng 7" "Tháng 8" "Tháng 9" "Tháng 10" "Tháng 11" "Tháng 12"
"""
QUARTERS = """
Roman: slash|{q}/{y}
Roman: year first|{y}-{q}
Roman: Russian|{q} кв. {y}
Roman: Russian in full|{q} квартал {y} г.
Roman: Polish|{q} kw. {y}
Roman: Italian|{q} trim. {y}
Roman: Spanish|{q} trimestre {y}
Arabic: Russian|{n} кв. {y}
Arabic: Ukrainian|{n} квартал {y} р.
Arabic: Czech|{n}. čtvrtletí {y}
Arabic: Greek|{n}ο τρίμηνο {y}
Arabic: Turkish|{y} {n}. Çeyrek
Arabic: French|T{n} {y}
"""


def _months(line: str) -> Case:
    name, header, form, names = line.split("|")
    parts = shlex.split(names)
    rows = [
        f"{form.format(parts[d.month - 1], y=d.year)};{v:.0f}"
        for d, v in zip(SINCE, VALUES, strict=True)
    ]
    return Case(name, to_text(f"{header};x", rows), {"x": VALUES}, first="2023-01-01")


def _quarters(line: str) -> Case:
    name, form = line.split("|")
    rows = [
        f"{form.format(q=('I', 'II', 'III', 'IV')[i % 4], n=i % 4 + 1, y=2018 + i // 4)};{v:.0f}"
        for i, v in enumerate(VALUES)
    ]
    return Case(
        f"quarters, {name}",
        to_text("Период;x", rows),
        {"x": VALUES},
        first="2018-01-01",
        frequency="Quarterly",
    )


CASES = [*map(_months, NAMES.strip().splitlines()), *map(_quarters, QUARTERS.strip().splitlines())]
