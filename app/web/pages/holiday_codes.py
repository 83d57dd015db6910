"""The codes that the playground's field for holidays offers: those of ``country_codes()``.

They are stored here because asking for them imports a large library; a test compares them. Other
codes can be entered too: the service validates them by the library.
"""

# Countries, each before its parts: ``AU -ACT -NSW`` are AU, AU-ACT and AU-NSW.
HOLIDAY_CODES = """\
AD -02 -03 -04 -05 -06 -07 -08 AE AF AG AI AL AM -AG -AR -AV -ER -GR -KT -LO -SH -SU -TV -VD AO AQ
AR -A -B -C -D -E -F -G -H -J -K -L -M -N -P -Q -R -S -T -U -V -W -X -Y -Z AS AT -1 -2 -3 -4 -5 -6
-7 -8 -9 AU -ACT -NSW -NT -QLD -SA -TAS -VIC -WA AW AX AZ BA -BIH -BRC -SRP BB BD BE BF BG BH BI
BJ BL BM BN BO -B -C -H -L -N -O -P -S -T BQ -BON -SAB -STA BR -AC -AL -AM -AP -BA -CE -DF -ES -GO
-MA -MG -MS -MT -PA -PB -PE -PI -PR -RJ -RN -RO -RR -RS -SC -SE -SP -TO BS BT -11 -12 -13 -14 -15
-21 -22 -23 -24 -31 -32 -33 -34 -41 -42 -43 -44 -45 -GA -TY BV BW BY BZ CA -AB -BC -MB -NB -NL -NS
-NT -NU -ON -PE -QC -SK -YT CC CD CF CG CH -AG -AI -AR -BE -BL -BS -FR -GE -GL -GR -JU -LU -NE -NW
-OW -SG -SH -SO -SZ -TG -TI -UR -VD -VS -ZG -ZH CI CK CL -AI -AN -AP -AR -AT -BI -CO -LI -LL -LR
-MA -ML -NB -RM -TA -VS CM CN CO CR CU CV -BR -BV -CA -CF -CR -MA -MO -PA -PN -PR -RB -RG -RS -SD
-SF -SL -SM -SO -SS -SV -TA -TS CW CX CY CZ DE -BB -BE -BW -BY -HB -HE -HH -MV -NI -NW -RP -SH -SL
-SN -ST -TH DJ DK DM DO DZ EC EE EG EH ER ES -AN -AR -AS -CB -CE -CL -CM -CN -CT -EX -GA -IB -MC
-MD -ML -NC -PV -RI -VC ET FI -01 -02 -03 -04 -05 -06 -07 -08 -09 -10 -11 -12 -13 -14 -15 -16 -17
-18 -19 FJ FK FM -KSA -PNI -TRK -YAP FO FR -57 -6AE -971 -972 -973 -974 -976 -BL -MF -NC -PF -PM
-TF -WF GA GB -ENG -NIR -SCT -WLS GD GE GF GG GH GI GL GM GN GP GQ -AN -BN -BS -CS -DJ -KN -LI -WN
GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN -AN -AP -AR -AS -BR -CG -CH -DH -DL -GA -GJ -HP
-HR -JH -JK -KA -KL -LA -LD -MH -ML -MN -MP -MZ -NL -OD -PB -PY -RJ -SK -TN -TR -TS -UK -UP -WB IO
IQ IR IS IT -AG -AL -AN -AO -AP -AQ -AR -AT -AV -BA -BG -BI -BL -BN -BO -BR -BS -BT -BZ -CA -CB
-CE -CH -CL -CN -CO -CR -CS -CT -CZ -EN -FC -FE -FG -FI -FM -FR -GE -GO -GR -IM -IS -KR -LC -LE
-LI -LO -LT -LU -MB -MC -ME -MI -MN -MO -MS -MT -NA -NO -NU -OR -PA -PC -PD -PE -PG -PI -PN -PO
-PR -PT -PU -PV -PZ -RA -RC -RE -RG -RI -RM -RN -RO -SA -SI -SO -SP -SR -SS -SU -SV -TA -TE -TN
-TO -TP -TR -TS -TV -UD -VA -VB -VC -VE -VI -VR -VT -VV JE JM JO JP KE KG KH KI KM KN KP KR KW KY
KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO -I -M MP MQ MR MS MT MU MV
MW MX MY -01 -02 -03 -04 -05 -06 -07 -08 -09 -10 -11 -12 -13 -14 -15 -16 MZ NA NC NE NF NG NI -AN
-AS -BO -CA -CI -CO -ES -GR -JI -LE -MD -MN -MS -MT -NS -RI -SJ NL NO -03 -11 -15 -18 -21 -22 -31
-32 -33 -34 -39 -40 -42 -46 -50 -55 -56 NP NR NU NZ -AUK -BOP -CAN -CIT -GIS -HKB -MBH -MWT -NSN
-NTL -OTA -STL -TAS -TKI -WGN -WKO -WTC OM PA PE PF PG PH PK PL -02 -04 -06 -08 -10 -12 -14 -16
-18 -20 -22 -24 -26 -28 -30 -32 PM PN PR PS PT -01 -02 -03 -04 -05 -06 -07 -08 -09 -10 -11 -12 -13
-14 -15 -16 -17 -18 -20 -30 PW PY QA RE RO RS RU RW SA SB -CE -CH -CT -GU -IS -MK -ML -RB -TE -WE
SC SD SE SG SH -AC -HL -TA SI SJ SK SL SM SN SO SR SS ST -01 -02 -03 -04 -05 -06 -P SV -AH -CA -CH
-CU -LI -MO -PA -SA -SM -SO -SS -SV -UN -US SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV
-FUN -NIT -NKF -NKL -NMA -NMG -NUI -VAI TW TZ UA UG UM US -AK -AL -AR -AS -AZ -CA -CO -CT -DC -DE
-FL -GA -GU -HI -IA -ID -IL -IN -KS -KY -LA -MA -MD -ME -MI -MN -MO -MP -MS -MT -NC -ND -NE -NH
-NJ -NM -NV -NY -OH -OK -OR -PA -PR -RI -SC -SD -TN -TX -UM -UT -VA -VI -VT -WA -WI -WV -WY UY UZ
VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW
"""
