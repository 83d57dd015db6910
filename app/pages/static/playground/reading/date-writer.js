// Timestamps written as the pasted dates are.

import { civilSeconds, weekday, DAY } from "../civil.js";
import { dateReader, readSerial, writeSerial } from "./dates.js";
import { plain, writeMonth } from "./month-names.js";

const SAMPLE = 400;
/** Both have zeros in front, or neither. */
const DAY_AND_MONTH = ["day", "month", "one", "two"];
const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(.*)$/;

/**
 * Make a function that writes timestamps in the form of the last of `points`.
 *
 * What that form cannot say, such as an hour where dates have no time, is written as it came.
 *
 * @param {{given: string|null, form: import("./date-forms.js").DateForm|null}[]} points
 * @param {import("./dates.js").Order} order
 * @returns {(timestamp: string) => string}
 */
export function dateWriter(points, order) {
  const last = points.findLast(({ given }) => given !== null);
  if (!last) return (timestamp) => timestamp;
  const read = last.form ? dateReader(order) : readSerial;
  const write = last.form ? formWriter(points, last, order) : serialWriter(last.given);
  return (timestamp) => {
    const parts = TIMESTAMP.exec(timestamp);
    if (!parts) return timestamp;
    const seconds = civilSeconds(...parts.slice(1, 7).map(Number));
    const written = write?.(seconds) ?? "";
    const back = read(written);
    return back?.seconds === seconds && back.suffix === parts[7] ? written : timestamp;
  };
}

function serialWriter(given) {
  const mark = given.includes(",") ? "," : ".";
  const digits = given.split(mark)[1]?.length ?? 0;
  return (seconds) => String(Number(writeSerial(seconds).toFixed(digits))).replace(".", mark);
}

function formWriter(points, { given, form }, order) {
  const pattern = new RegExp(form.pattern.source, "di");
  const cells = points
    .filter((point) => point.form === form && point.given !== null)
    .slice(-SAMPLE)
    .map((point) => point.given.normalize("NFC"));
  const matches = cells.map((cell) => pattern.exec(plain(cell)));
  const template = given.normalize("NFC");
  const match = pattern.exec(plain(template));
  if (!match || match.groups.weekday || match.groups.until) return null;
  const months = monthsIn(cells, matches);
  const shortest = (names) =>
    Math.min(...matches.flatMap((each) => names.map((name) => each?.groups[name]?.length ?? Infinity)));
  const width = (name) => shortest(DAY_AND_MONTH.includes(name) ? DAY_AND_MONTH : [name]);
  const places = Object.entries(match.indices.groups)
    .filter(([name, place]) => place && !["mark", "zone"].includes(name))
    .map(([name, [start, end]]) => ({ name, start, end, width: width(name) }))
    .sort((a, b) => a.start - b.start);
  return (seconds) => fillIn(template, places, partsOf(seconds, { template, match, order, months }));
}

function fillIn(template, places, parts) {
  let written = "";
  let from = 0;
  for (const { name, start, end, width } of places) {
    if (parts[name] === null) return null;
    const part = parts[name];
    const isCounted = typeof part === "number" || /^\d/.test(part);
    written += template.slice(from, start) + (isCounted ? String(part).padStart(width, "0") : part);
    // The month brings its own point.
    from = name === "name" && template[end] === "." ? end + 1 : end;
  }
  return written + template.slice(from);
}

function inCaseOf(sample, letter) {
  return sample === sample.toUpperCase() ? letter.toUpperCase() : letter;
}

function monthsIn(cells, matches) {
  const months = new Map();
  matches.forEach((match, i) => {
    const place = match?.indices.groups.name;
    if (!place) return;
    const end = cells[i][place[1]] === "." ? place[1] + 1 : place[1];
    const read = dateReader()(cells[i]);
    if (read) months.set(new Date(read.seconds * 1000).getUTCMonth() + 1, cells[i].slice(place[0], end));
  });
  return months;
}

function partsOf(seconds, { template, match, order, months }) {
  const { groups } = match;
  const date = new Date(seconds * 1000);
  const [month, day, hour] = [date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCHours()];
  const thursday = new Date((seconds + (3 - ((weekday(seconds) + 6) % 7)) * DAY) * 1000);
  const year = (groups.week ? thursday : date).getUTCFullYear();
  const short = String(year).slice(2);
  const [one, two, three] = {
    month: [month, day, short], day: [day, month, short], year: [short, month, day],
  }[order ?? "month"];
  return {
    year, short, month, day, one, two, three, epoch: seconds, fraction: 0,
    name: groups.name ? writeMonth(month, months) : null,
    hour: groups.half ? hour % 12 || 12 : hour,
    half: inCaseOf(template[match.indices.groups.half?.[0]] ?? "", hour < 12 ? "a" : "p"),
    minute: date.getUTCMinutes(), second: date.getUTCSeconds(),
    quarter: Math.ceil(month / 3), term: Math.ceil(month / 6),
    nth: ((weekday(seconds) + 6) % 7) + 1,
    week: Math.ceil((thursday.getTime() / 1000 - civilSeconds(year, 1, 1) + 1) / DAY / 7),
  };
}
