"""Names of months in 30 languages, of days of the week in 18.

The names of months are those of Unicode's CLDR, on their own and as in dates (Polish "styczeń",
"1 stycznia").
"""

# ruff: noqa: E501

# Twelve names a line; an abbreviation of three letters belongs to the first languages that have it.
LANGUAGES = """\
january february march april may june july august september october november december
januar februar märz april mai juni juli august september oktober november dezember
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
januari februari maart april mei juni juli augustus september oktober november december
januari februari mars april maj juni juli augusti september oktober november december
styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
leden únor březen duben květen červen červenec srpen září říjen listopad prosinec
ledna února března dubna května června července srpna září října listopadu prosince
január február marec apríl máj jún júl august september október november december
januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra
január február március április május június július augusztus szeptember október november december
ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu marraskuu joulukuu
tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta
януари февруари март април май юни юли август септември октомври ноември декември
январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
січень лютий березень квітень травень червень липень серпень вересень жовтень листопад грудень
січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
ιανουάριος φεβρουάριος μάρτιος απρίλιος μάιος ιούνιος ιούλιος αύγουστος σεπτέμβριος οκτώβριος νοέμβριος δεκέμβριος
ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου
januar februar marts april maj juni juli august september oktober november december
gener febrer març abril maig juny juliol agost setembre octubre novembre desembre
jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember
janvāris februāris marts aprīlis maijs jūnijs jūlijs augusts septembris oktobris novembris decembris
sausis vasaris kovas balandis gegužė birželis liepa rugpjūtis rugsėjis spalis lapkritis gruodis
sausio vasario kovo balandžio gegužės birželio liepos rugpjūčio rugsėjo spalio lapkričio gruodžio
januari februari maret april mei juni juli agustus september oktober november desember
يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม
जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर"""
# Those that are not the first three letters of the names, or are of other countries.
ABBREVIATIONS = """\
janv févr mars avr mai juin juil août sept oct nov déc
led úno bře dub kvě čvn čvc srp zář říj lis pro
jan febr márc ápr máj jún júl aug szept okt nov dec
ian feb mar apr mai iun iul aug sept oct nov dec
tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu
яну фев март апр май юни юли авг сеп окт ное дек
янв февр март апр май июнь июль авг сент окт нояб дек
янв февр мар апр мая июн июл авг сент окт нояб дек
січ лют бер квіт трав черв лип серп вер жовт лист груд
ιαν φεβ μάρ απρ μάι ιούν ιούλ αύγ σεπ οκτ νοέ δεκ
jan feb mars apr mai juni juli aug sep okt nov des
gen febr març abr maig juny jul ag set oct nov des
jaan veebr märts apr mai juuni juuli aug sept okt nov dets
janv febr marts apr maijs jūn jūl aug sept okt nov dec
saus vas kov bal geg birž liep rugp rugs spal lapkr gruod
ม.ค. ก.พ. มี.ค. เม.ย. พ.ค. มิ.ย. ก.ค. ส.ค. ก.ย. ต.ค. พ.ย. ธ.ค."""
OTHER_NAMES = {
    # The Levant and Iraq, Algeria and Tunisia, Morocco.
    **{"كانون الثاني": 1, "شباط": 2, "آذار": 3, "نيسان": 4, "أيار": 5, "حزيران": 6, "تموز": 7},
    **{"آب": 8, "أيلول": 9, "تشرين الأول": 10, "تشرين الثاني": 11, "كانون الأول": 12},
    **{"جانفي": 1, "فيفري": 2, "أفريل": 4, "ماي": 5, "جوان": 6, "جويلية": 7, "أوت": 8},
    **{"يوليوز": 7, "غشت": 8, "شتنبر": 9, "نونبر": 11, "دجنبر": 12},
    "mrt": 3,
    "mrz": 3,
    "maerz": 3,
    "janner": 1,
    "feber": 2,
    "setiembre": 9,
    "set": 9,
    "jan": 1,
    "juil": 7,
    "sept": 9,
}
# Words for a quarter in front of its number and behind it, without accents.
QUARTERS_BEFORE = "qtr|quarter|trim|trimestre|triwulan|tw|quy|kv|τριμηνο|ไตรมาส"
QUARTERS_BEHIND = (
    "q|qtr|quarter|quartal|vj|vierteljahr|kwartaal|kwartal|kvartal|kvartaali|kvartali|kw|кв|квартал"
    "|ctvrtleti|stvrtrok|ceyrek|tri|trim|trimestre|trimestru|trimester|τριμηνο|negyedev|ceturksnis"
    "|ketvirtis|ketv"
)
WEEKDAYS = """\
monday tuesday wednesday thursday friday saturday sunday
montag dienstag mittwoch donnerstag freitag samstag sonntag
lundi mardi mercredi jeudi vendredi samedi dimanche
lunes martes miercoles jueves viernes sabado domingo"""

# Those of more languages, a line each from Monday on, where all of them are side by side.
WEEKS = f"""\
{WEEKDAYS}
lunedì martedì mercoledì giovedì venerdì sabato domenica
segunda terça quarta quinta sexta sábado domingo
maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
poniedziałek wtorek środa czwartek piątek sobota niedziela
pn wt śr czw pt sob ndz
måndag tisdag onsdag torsdag fredag lördag söndag
mandag tirsdag onsdag torsdag fredag lørdag søndag
maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai
pazartesi salı çarşamba perşembe cuma cumartesi pazar
pondělí úterý středa čtvrtek pátek sobota neděle
понедельник вторник среда четверг пятница суббота воскресенье
пн вт ср чт пт сб вс
senin selasa rabu kamis jumat sabtu minggu
ponedjeljak utorak srijeda četvrtak petak subota nedjelja
l m x j v s d"""
