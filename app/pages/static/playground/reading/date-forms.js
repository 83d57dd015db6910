// The forms of dates that spreadsheets, databases and people write.

import { WEEKDAY } from "./month-names.js";

const YEAR = String.raw`(?<year>\d{4})`;
/** What spreadsheets leave of a year: of 1969 to 2068. */
const SHORT = String.raw`['’]?(?<short>\d{2})`;
const LIKELY_YEAR = String.raw`(?<year>1[6-9]\d{2}|20\d{2}|21\d{2})`;
const MONTH = String.raw`(?<month>\d{1,2})`;
const DAY = String.raw`(?<day>\d{1,2})`;
const [MM, DD, HH, MI, SS] = ["month", "day", "hour", "minute", "second"].map(
  (name) => String.raw`(?<${name}>\d{2})`,
);
const NAME = String.raw`(?<name>[a-z]{3,11})\.?`;
const NTH = String.raw`(?:st|nd|rd|th|er|\.)?`;
const OF = String.raw`(?:[- ]|(?<=\.)) ?(?:de |of )?`;
const COUNTED = String.raw`(?<week>\d{1,2})`;
const CLOCK = String.raw`(?<hour>\d{1,2})(?::|h)(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,]\d+)?)?`;
const ZONE = String.raw`(?: ?(?<zone>Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?))?`;
/** The end of what a row is of, as in 06:00 - 07:00. */
const UNTIL = String.raw`(?<until> [-–] (?:\S+ )?\d{1,2}:\d{2}(?::\d{2})?)?`;
const HALF = String.raw`(?: ?(?<half>[ap])\.? ?m\.?)?`;
const TIME = String.raw`(?:(?:T|,? +)${CLOCK}${HALF}(?: uhr)?${ZONE}${UNTIL})?`;
const WEEK = "(?:week|woche|semaine|semana|kw|wk|w|s)";
const QUARTER = String.raw`(?:q|qtr\.? ?|t|trim\.? ?)(?<quarter>[1-4])`;

/**
 * @typedef {object} DateForm
 * @property {RegExp} pattern for a cell as `plain` gives it
 * @property {boolean} digitsAlone whether a number could look the same
 */
const form = (date, digitsAlone = false, time = TIME) => {
  const front = digitsAlone ? "" : `(?:(?<weekday>${WEEKDAY})\\.?,? +)?`;
  return { pattern: new RegExp(`^${front}${date}${time}$`, "i"), digitsAlone };
};

/** Which of these numbers is the month is not to be seen from one cell. */
const EITHER_ORDER = form(
  String.raw`(?<one>\d{1,2})(?<mark>[/-])(?<two>\d{1,2})\k<mark>(?:${YEAR}|(?<three>\d{2}))`,
);
const EITHER_ORDER_YEARLESS = form(String.raw`(?<one>\d{1,2})/(?<two>\d{1,2})`);
export const UNCLEAR_FORMS = [EITHER_ORDER, EITHER_ORDER_YEARLESS];

/** @type {DateForm[]} */
export const FORMS = [
  form(String.raw`${YEAR}(?<mark>[-/.])${MONTH}\k<mark>${DAY}`),
  form(String.raw`${DAY}\. ?${MONTH}\. ?(?:${YEAR}|${SHORT})`),
  EITHER_ORDER,
  form(`${YEAR}[-/.]${MONTH}`),
  form(`${MONTH}[-/.]${YEAR}`),
  form(`${YEAR}-?m${MM}`),
  form(`${YEAR}[- /.]?${QUARTER}`),
  form(`${QUARTER}[- /.]*(?:${YEAR}|${SHORT})`),
  form(`(?<quarter>[1-4])(?:q|\\. ?quartal|er? trimestre) ?(?:${YEAR}|${SHORT})`),
  form(`${YEAR}[- /]?h(?<term>[12])`),
  form(`h(?<term>[12])[- /]?${YEAR}`),
  form(`${YEAR}[- /]*w${COUNTED}(?:-(?<nth>[1-7]))?`),
  form(`${YEAR}[- /]*${WEEK}[ .]*${COUNTED}`),
  form(`${WEEK}[ .]*${COUNTED}[ ,/-]+${YEAR}`),
  form(`(?:le |el )?${DAY}${NTH}${OF}${NAME}[- ,./]+(?:del? )?(?:${YEAR}|${SHORT})`),
  form(`${NAME}[- ]${DAY}${NTH},? ${YEAR}`),
  form(`${NAME}[- ,./]*(?:del? )?${YEAR}`),
  form(`${NAME}(?:-|/| ?(?=['’]))${SHORT}`),
  form(`${YEAR}[- /]?${NAME}`),
  form(`(?<year>(?:19|20)\\d{2})${MM}${DD}`, true),
  form(`(?<year>(?:19|20)\\d{2})${MM}${DD}T?${HH}(?:${MI}${SS}?)?`, true, ZONE),
  form(`(?<year>(?:19|20)\\d{2})${MM}`, true),
  form(String.raw`(?<epoch>\d{10})(?<fraction>\d{3}|\d{6}|\d{9})?(?:\.0+)?`, true, ""),
  form(LIKELY_YEAR, true),
];

/** @type {DateForm[]} Without a year. */
export const YEARLESS_FORMS = [
  form(`${DAY}${NTH}${OF}${NAME}`),
  form(`${NAME}[- ]${DAY}${NTH}`),
  form(String.raw`${DAY}\. ?${MONTH}\.`),
  EITHER_ORDER_YEARLESS,
  form(NAME),
];

/** `Jan 24` and `1/24`, of a year where the month changes from row to row, else of a day. */
export const SHORT_YEARS = [
  form(`${NAME} ${SHORT}`),
  form(String.raw`${MONTH}/(?<short>1[3-9]|[2-9]\d)`),
];
