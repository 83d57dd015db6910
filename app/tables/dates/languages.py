"""Names of months in 65 languages, of days of the week in 18.

The names of months are those of Unicode's CLDR 47, on their own and as in dates (Polish "styczeń",
"1 stycznia").
"""

# ruff: noqa: E501

# Twelve names a line; an abbreviation of three letters belongs to these languages, if they have it.
FIRST_LANGUAGES = """\
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
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık"""
OTHER_LANGUAGES = """\
januar februar mars april mai juni juli august september oktober november desember
januar februar marts april maj juni juli august september oktober november december
tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu marraskuu joulukuu
tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta
janúar febrúar mars apríl maí júní júlí ágúst september október nóvember desember
jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember
janvāris februāris marts aprīlis maijs jūnijs jūlijs augusts septembris oktobris novembris decembris
sausis vasaris kovas balandis gegužė birželis liepa rugpjūtis rugsėjis spalis lapkritis gruodis
sausio vasario kovo balandžio gegužės birželio liepos rugpjūčio rugsėjo spalio lapkričio gruodžio
leden únor březen duben květen červen červenec srpen září říjen listopad prosinec
ledna února března dubna května června července srpna září října listopadu prosince
január február marec apríl máj jún júl august september október november december
januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra
januar februar marec april maj junij julij avgust september oktober november december
јануар фебруар март април мај јун јул август септембар октобар новембар децембар
januar februar mart april maj jun jul avgust septembar oktobar novembar decembar
januar februar mart april maj juni juli august septembar oktobar novembar decembar
јануари февруари март април мај јуни јули август септември октомври ноември декември
януари февруари март април май юни юли август септември октомври ноември декември
январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
січень лютий березень квітень травень червень липень серпень вересень жовтень листопад грудень
січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
студзень люты сакавік красавік май чэрвень ліпень жнівень верасень кастрычнік лістапад снежань
студзеня лютага сакавіка красавіка мая чэрвеня ліпеня жніўня верасня кастрычніка лістапада снежня
ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
január február március április május június július augusztus szeptember október november december
ιανουάριος φεβρουάριος μάρτιος απρίλιος μάιος ιούνιος ιούλιος αύγουστος σεπτέμβριος οκτώβριος νοέμβριος δεκέμβριος
ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου
yanvar fevral mart aprel may iyun iyul avqust sentyabr oktyabr noyabr dekabr
јанвар феврал март апрел май ијун ијул август сентјабр октјабр нојабр декабр
қаңтар ақпан наурыз сәуір мамыр маусым шілде тамыз қыркүйек қазан қараша желтоқсан
yanvar fevral mart aprel may iyun iyul avgust sentabr oktabr noyabr dekabr
იანვარი თებერვალი მარტი აპრილი მაისი ივნისი ივლისი აგვისტო სექტემბერი ოქტომბერი ნოემბერი დეკემბერი
հունվար փետրվար մարտ ապրիլ մայիս հունիս հուլիս օգոստոս սեպտեմբեր հոկտեմբեր նոյեմբեր դեկտեմբեր
հունվարի փետրվարի մարտի ապրիլի մայիսի հունիսի հուլիսի օգոստոսի սեպտեմբերի հոկտեմբերի նոյեմբերի դեկտեմբերի
ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר
يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
ژانویه فوریه مارس آوریل مه ژوئن ژوئیه اوت سپتامبر اکتبر نوامبر دسامبر
جنوري فېبروري مارچ اپریل مۍ جون جولای اګست سپتمبر اکتوبر نومبر دسمبر
جنوري فبروري مارچ اپریل مۍ جون جولای اګست سېپتمبر اکتوبر نومبر دسمبر
جنوری فروری مارچ اپریل مئی جون جولائی اگست ستمبر اکتوبر نومبر دسمبر
जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर
জানুয়ারি ফেব্রুয়ারি মার্চ এপ্রিল মে জুন জুলাই আগস্ট সেপ্টেম্বর অক্টোবর নভেম্বর ডিসেম্বর
ஜனவரி பிப்ரவரி மார்ச் ஏப்ரல் மே ஜூன் ஜூலை ஆகஸ்ட் செப்டம்பர் அக்டோபர் நவம்பர் டிசம்பர்
జనవరి ఫిబ్రవరి మార్చి ఏప్రిల్ మే జూన్ జులై ఆగస్టు సెప్టెంబర్ అక్టోబర్ నవంబర్ డిసెంబర్
มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม
ມັງກອນ ກຸມພາ ມີນາ ເມສາ ພຶດສະພາ ມິຖຸນາ ກໍລະກົດ ສິງຫາ ກັນຍາ ຕຸລາ ພະຈິກ ທັນວາ
មករា កុម្ភៈ មីនា មេសា ឧសភា មិថុនា កក្កដា សីហា កញ្ញា តុលា វិច្ឆិកា ធ្នូ
ဇန်နဝါရီ ဖေဖော်ဝါရီ မတ် ဧပြီ မေ ဇွန် ဇူလိုင် ဩဂုတ် စက်တင်ဘာ အောက်တိုဘာ နိုဝင်ဘာ ဒီဇင်ဘာ
januari februari maret april mei juni juli agustus september oktober november desember
januari februari mac april mei jun julai ogos september oktober november disember
enero pebrero marso abril mayo hunyo hulyo agosto setyembre oktubre nobyembre disyembre
januari februari machi aprili mei juni julai agosti septemba oktoba novemba desemba
januarie februarie maart april mei junie julie augustus september oktober november desember
janar shkurt mars prill maj qershor korrik gusht shtator tetor nëntor dhjetor
urtarrila otsaila martxoa apirila maiatza ekaina uztaila abuztua iraila urria azaroa abendua
gener febrer març abril maig juny juliol agost setembre octubre novembre desembre
xaneiro febreiro marzo abril maio xuño xullo agosto setembro outubro novembro decembro
ionawr chwefror mawrth ebrill mai mehefin gorffennaf awst medi hydref tachwedd rhagfyr
jannar frar marzu april mejju ġunju lulju awwissu settembru ottubru novembru diċembru
ጃንዋሪ ፌብሩዋሪ ማርች ኤፕሪል ሜይ ጁን ጁላይ ኦገስት ሴፕቴምበር ኦክቶበር ኖቬምበር ዲሴምበር
जनवरी फेब्रुअरी मार्च अप्रिल मे जुन जुलाई अगस्ट सेप्टेम्बर अक्टोबर नोभेम्बर डिसेम्बर"""
# Abbreviations that are not the first three letters of the names, or are of other countries.
ABBREVIATIONS = """\
jan feb märz apr mai juni juli aug sept okt nov dez
janv févr mars avr mai juin juil août sept oct nov déc
ene feb mar abr may jun jul ago sept oct nov dic
jan feb mrt apr mei jun jul aug sep okt nov dec
jan feb mars apr maj juni juli aug sep okt nov dec
jan feb mars apr mai juni juli aug sep okt nov des
tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu
jaan veebr märts apr mai juuni juuli aug sept okt nov dets
janv febr marts apr maijs jūn jūl aug sept okt nov dec
saus vas kov bal geg birž liep rugp rugs spal lapkr gruod
led úno bře dub kvě čvn čvc srp zář říj lis pro
яну фев март апр май юни юли авг сеп окт ное дек
янв февр март апр май июнь июль авг сент окт нояб дек
янв февр мар апр мая июн июл авг сент окт нояб дек
січ лют бер квіт трав черв лип серп вер жовт лист груд
ian feb mar apr mai iun iul aug sept oct nov dec
jan febr márc ápr máj jún júl aug szept okt nov dec
ιαν φεβ μάρ απρ μάι ιούν ιούλ αύγ σεπ οκτ νοέ δεκ
yan fev mar apr may iyn iyl avq sen okt noy dek
јан фев мар апр май ијн ијл авг сен окт ној дек
yan fev mar apr may iyn iyl avg sen okt noy dek
հնվ փտվ մրտ ապր մյս հնս հլս օգս սեպ հոկ նոյ դեկ
ינו פבר מרץ אפר מאי יוני יולי אוג ספט אוק נוב דצמ
جنوري فبروري مارچ اپریل مۍ جون جولای اګست سپتمبر اکتوبر نومبر دسمبر
जन फ़र मार्च अप्रैल मई जून जुल अग सित अक्टू नव दिस
জানু ফেব মার্চ এপ্রিল মে জুন জুলাই আগস্ট সেপ্ট অক্টো নভে ডিসে
জানু ফেব মার্চ এপ্রি মে জুন জুল আগ সেপ অক্টো নভে ডিসে
ஜன பிப் மார் ஏப் மே ஜூன் ஜூலை ஆக செப் அக் நவ டிச
జన ఫిబ్ర మార్చి ఏప్రి మే జూన్ జులై ఆగ సెప్టెం అక్టో నవం డిసెం
ม.ค. ก.พ. มี.ค. เม.ย. พ.ค. มิ.ย. ก.ค. ส.ค. ก.ย. ต.ค. พ.ย. ธ.ค.
ມ.ກ. ກ.ພ. ມ.ນ. ມ.ສ. ພ.ພ. ມິ.ຖ. ກ.ລ. ສ.ຫ. ກ.ຍ. ຕ.ລ. ພ.ຈ. ທ.ວ.
ဇန် ဖေ မတ် ဧ မေ ဇွန် ဇူ ဩ စက် အောက် နို ဒီ
jan feb mrt apr mei jun jul aug sep okt nov des
jan shk mar pri maj qer korr gush sht tet nën dhj
gen febr març abr maig juny jul ag set oct nov des
xan feb mar abr maio xuño xul ago set out nov dec
ion chw maw ebr mai meh gor awst medi hyd tach rhag
ion chwef maw ebr mai meh gorff awst medi hyd tach rhag
ጃን ፌብ ማርች ኤፕሪ ሜይ ጁን ጁላይ ኦገስ ሴፕቴ ኦክቶ ኖቬም ዲሴም"""
# Lipanj, srpanj and listopad are, or begin like, names of later months in Polish and Czech.
CROATIAN = """\
siječanj veljača ožujak travanj svibanj lipanj srpanj kolovoz rujan listopad studeni prosinac
siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca"""
CROATIAN_ABBREVIATIONS = "sij velj ožu tra svi lip srp kol ruj lis stu pro"
# More names by month: Arabic of the Levant, Iraq, Algeria, Tunisia and Morocco, Irish, and others.
OTHER_NAMES = {
    1: "كانون الثاني, جانفي, eanáir, janner, jan",
    2: "شباط, فيفري, feabhra, feber",
    3: "آذار, márta, mrt, mrz, maerz",
    4: "نيسان, أفريل, aibreán",
    5: "أيار, ماي, bealtaine",
    6: "حزيران, جوان, meitheamh",
    7: "تموز, جويلية, يوليوز, iúil, juil",
    8: "آب, أوت, غشت, lúnasa",
    9: "أيلول, شتنبر, meán fómhair, setiembre, set, sept",
    10: "تشرين الأول, deireadh fómhair",
    11: "تشرين الثاني, نونبر, samhain",
    12: "كانون الأول, دجنبر, nollaig",
}
# Words for a quarter before its number and after it, without accents.
QUARTERS_BEFORE = "qtr|quarter|trim|trimestre|triwulan|tw|quy|kv|τριμηνο|ไตรมาส"
QUARTERS_AFTER = (
    "q|qtr|quarter|quartal|vj|vierteljahr|kwartaal|kwarta[lł]|kvartal|kvartaali|kvartali|kw|кв|квартал"
    "|ctvrtleti|stvrtrok|ceyrek|tri|trim|trimestre|trimestru|trimester|τριμηνο|negyedev|ceturksnis"
    "|ketvirtis|ketv"
)
# The names of the days of the week from Monday on, a language on each line.
WEEKS = """\
monday tuesday wednesday thursday friday saturday sunday
montag dienstag mittwoch donnerstag freitag samstag sonntag
lundi mardi mercredi jeudi vendredi samedi dimanche
lunes martes miercoles jueves viernes sabado domingo
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
