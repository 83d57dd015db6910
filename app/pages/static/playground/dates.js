// Cells to moments: the forms of dates that spreadsheets and databases write.

import { civilSeconds, weekday, DAY as DAY_SECONDS } from "./civil.js";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const YEAR = String.raw`(?<year>\d{4})`;
/** What spreadsheets leave of a year: of 1969 to 2068. */
const SHORT = String.raw`(?<short>\d{2})`;
const MONTH = String.raw`(?<month>\d{1,2})`;
const DAY = String.raw`(?<day>\d{1,2})`;
const NAME = String.raw`(?<name>${MONTHS.join("|")})[a-z]*\.?`;
const CLOCK = String.raw`(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,]0+)?)?`;
const TIME = String.raw`(?:(?:T|,? +)${CLOCK}(?: ?(?<half>[ap])\.?m\.?)?)?`;
const ZONE = String.raw`(?: ?(?<zone>Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?))?`;

const form = (date) => new RegExp(`^${date}${TIME}${ZONE}$`, "i");

/** Two numbers and a year: which one is the month is not to be seen from one cell. */
const EITHER_ORDER = form(
  String.raw`(?<one>\d{1,2})[/-](?<two>\d{1,2})(?:[/-]${YEAR}|/${SHORT})`,
);
const FORMS = [
  form(String.raw`${YEAR}(?<mark>[-/.])${MONTH}\k<mark>${DAY}`),
  form(String.raw`${DAY}\. ?${MONTH}\. ?(?:${YEAR}|${SHORT})`),
  EITHER_ORDER,
  form(`${YEAR}(?<month>\\d{2})(?<day>\\d{2})`),
  form(`${YEAR}[-/.]${MONTH}`),
  form(`${MONTH}[-/.]${YEAR}`),
  form(`${YEAR}[- /]?Q(?<quarter>[1-4])`),
  form(`Q(?<quarter>[1-4])[- /]?${YEAR}`),
  form(`${YEAR}-?W(?<week>\\d{2})`),
  form(`${DAY}[- ]${NAME}[- ,]+(?:${YEAR}|${SHORT})`),
  form(`${NAME} ${DAY},? ${YEAR}`),
  form(`${NAME}[- ]${YEAR}`),
  form(`${NAME}(?:-| ?['’])${SHORT}`),
  form(`${YEAR}[- ]${NAME}`),
  form(YEAR),
];
const EPOCH = /^(\d{10})(?:\d{3})?$/;

/**
 * Which of day and month can come first in dates such as 3/4/2024 among `cells`.
 *
 * @returns {("day"|"month")[]} none where all cells read the same either way
 */
export function possibleOrders(cells) {
  const unclear = cells.map((cell) => EITHER_ORDER.exec(cell)?.groups).filter(Boolean);
  if (unclear.length === 0) return [];
  if (unclear.some(({ one }) => Number(one) > 12)) return ["day"];
  if (unclear.some(({ two }) => Number(two) > 12)) return ["month"];
  return ["month", "day"];
}

/**
 * Read one date.
 *
 * @param {string} cell
 * @param {"day"|"month"} order which comes first in 3/4/2024
 * @returns {{seconds: number, suffix: string}|null} null for what is no date
 */
export function readDate(cell, order = "month") {
  const epoch = EPOCH.exec(cell);
  if (epoch) return { seconds: Number(epoch[1]), suffix: "Z" };
  for (const pattern of FORMS) {
    const parts = pattern.exec(cell)?.groups;
    if (parts) return fromParts(parts, order);
  }
  return null;
}

function fromParts(parts, order) {
  const [year, month, day] = dateOf(parts, order);
  let hour = Number(parts.hour ?? 0);
  if (parts.half) {
    if (hour < 1 || hour > 12) return null;
    hour = (hour % 12) + (parts.half.toLowerCase() === "p" ? 12 : 0);
  }
  const seconds = civilSeconds(
    year, month, day, hour, Number(parts.minute ?? 0), Number(parts.second ?? 0),
  );
  if (seconds === null) return null;
  if (parts.week) return { seconds: mondayOfWeek(year, Number(parts.week)), suffix: "" };
  return { seconds, suffix: suffixOf(parts.zone) };
}

function dateOf(parts, order) {
  const year = Number(parts.year ?? (parts.short < "69" ? 20 : 19) + parts.short);
  if (parts.one) {
    const [one, two] = [Number(parts.one), Number(parts.two)];
    return order === "day" ? [year, two, one] : [year, one, two];
  }
  if (parts.quarter) return [year, 3 * Number(parts.quarter) - 2, 1];
  const month = parts.name ? MONTHS.indexOf(parts.name.toLowerCase()) + 1 : Number(parts.month ?? 1);
  return [year, month, Number(parts.day ?? 1)];
}

function suffixOf(zone) {
  if (!zone) return "";
  if (!/\d/.test(zone)) return "Z";
  const digits = zone.replace(":", "").padEnd(5, "0");
  return `${digits.slice(0, 3)}:${digits.slice(3)}`;
}

function mondayOfWeek(year, week) {
  const fourth = civilSeconds(year, 1, 4); // always in the first week of the year
  const sinceMonday = (weekday(fourth) + 6) % 7;
  return fourth + (7 * (week - 1) - sinceMonday) * DAY_SECONDS;
}
