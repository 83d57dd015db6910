// Timestamps written as the dates of a table are, by the form that the service found.

import { DAY, civilSeconds, weekday } from "../civil.js";

const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(.*)$/;
const PLACE = /\{(\w+):(\d+)\}/g;
/** Days from Excel's day 0 to 1970-01-01. */
const EXCEL_EPOCH = 25_569;

/** @typedef {Record<string, any> & {seconds: number}} Parts of a timestamp, as forms name them */

/**
 * What has to be 0 for a form that says no shorter unit; of a week the day that it begins on.
 *
 * @type {Record<string, (parts: Parts) => number>}
 */
const REMAINDERS = {
  second: () => 0,
  minute: ({ second }) => second,
  hour: ({ minute, second }) => minute + second,
  day: ({ seconds }) => seconds % DAY,
  week: ({ seconds, nth }) => (seconds % DAY) + nth - 1,
  month: ({ seconds, day }) => (seconds % DAY) + day - 1,
  quarter: (parts) => REMAINDERS.month(parts) + ((parts.month - 1) % 3),
  half: (parts) => REMAINDERS.month(parts) + ((parts.month - 1) % 6),
  year: (parts) => REMAINDERS.month(parts) + parts.month - 1,
};

/**
 * Make a function that writes timestamps in a form. What the form cannot say, such as an hour where
 * dates have no time, is written as it came.
 *
 * @param {object|null} form `date_form` of POST /read
 * @returns {(timestamp: string) => string}
 */
export function dateWriter(form) {
  return (timestamp) => {
    const match = form && TIMESTAMP.exec(timestamp);
    if (!match || match[7] !== form.suffix) return timestamp;
    const parts = timestampParts(civilSeconds(...match.slice(1, 7).map(Number)), form);
    const isNameless = (form.names && !(parts.name && parts.last_name)) || (form.weekdays && !parts.weekday);
    if (REMAINDERS[form.unit](parts) !== 0 || isNameless) return timestamp;
    return form.pattern.replace(PLACE, (_, name, digits) => formatPart(parts[name], name, Number(digits), form));
  };
}

function formatPart(part, name, digits, { mark = "." }) {
  if (name === "serial") return String(Number(part.toFixed(digits))).replace(".", mark);
  if (name === "next") return String(part).slice(-digits);
  return ["name", "last_name", "weekday", "ordinal"].includes(name) ? part : String(part).padStart(digits, "0");
}

function timestampParts(seconds, { pattern, names, weekdays, halves, months = 1, months_later: later = 0 }) {
  const date = new Date(seconds * 1000);
  if (later) date.setUTCMonth(date.getUTCMonth() - later, Math.min(date.getUTCDate(), 2));
  const [month, hour] = [date.getUTCMonth() + 1, date.getUTCHours()];
  const nth = ((weekday(seconds) + 6) % 7) + 1;
  const thursday = new Date((seconds + (4 - nth) * DAY) * 1000);
  const year = (pattern.includes("{week") ? thursday : date).getUTCFullYear();
  const day = date.getUTCDate();
  const ending = (day > 10 && day < 14 ? "" : ["", "st", "nd", "rd"][day % 10]) || "th";
  const yearStart = civilSeconds(year, 1, 1);
  return {
    seconds, year, month, nth, short: String(year).slice(2),
    short_buddhist: String(year + 543).slice(2), next: year + 1, name: names?.[month - 1],
    last_name: names?.[(month + months - 2) % 12],
    weekday: weekdays?.[nth - 1], day, ordinal: `${day}${ending}`,
    minute: date.getUTCMinutes(), second: date.getUTCSeconds(),
    hour: halves ? hour % 12 || 12 : hour, half: halves?.[hour < 12 ? 0 : 1],
    week: Math.ceil((thursday.getTime() / 1000 - yearStart + 1) / DAY / 7),
    buddhist: year + 543, roman: ["I", "II", "III", "IV"][Math.ceil(month / 3) - 1],
    last_month: ((month + months - 2) % 12) + 1, quarter_sign: "〇一二三四"[Math.ceil(month / 3)],
    quarter: Math.ceil(month / 3), term: Math.ceil(month / 6),
    epoch: seconds, serial: seconds / DAY + EXCEL_EPOCH,
  };
}
