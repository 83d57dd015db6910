// Which columns have the dates: one, or several that make them together.

import { isDate, isWrittenDate, isYearless, readSerial } from "./dates.js";
import { looksLikeNumber } from "./numbers.js";

const SAMPLE = 200;
const YEAR = /^(?:1[6-9]|2[01])\d{2}$/;
const SEASON = /^((?:19|20)\d{2})[/-](\d{2})$/;
const TIME_OF_DAY = /^\d{1,2}[:h]\d{2}(?::\d{2})?(?: ?[ap]\.?m\.?)?$/i;
const HAS_CLOCK = /\d[:h]\d{2}/;
const NAMES = {
  year: /^(?:year|yr|jahr|ann[ée]e|an|a[ñn]o)$/i,
  month: /^(?:months?|mon|monat|mois|mes)$/i,
  week: /^(?:weeks?|kw|woche|kalenderwoche|semaine|semana)$/i,
  quarter: /^(?:quarter|qtr|quartal|trimestre)$/i,
  day: /^(?:days?|tag|jour|d[ií]a)$/i,
  hour: /^(?:hours?|hr|stunde|heure|hora)$/i,
  date: /date|datum|fecha|time|zeit|day|tag|month|monat|mois|mes|year|jahr|an|week|period/i,
};
const RANGES = { month: [1, 12], week: [1, 53], quarter: [1, 4], day: [1, 31], hour: [0, 24] };

/**
 * @typedef {object} DateColumns
 * @property {number[]} columns
 * @property {(cells: string[]) => string} dateIn the date in a row
 * @property {"full"|"serial"|"yearless"} kind
 */

/**
 * Find the columns of dates.
 *
 * @param {import("./csv.js").Row[]} rows
 * @returns {DateColumns|null}
 */
export function findDates(rows) {
  const columns = new Columns(rows);
  return seasons(columns)
    ?? single(columns, "full", isWrittenDate)
    ?? fromParts(columns)
    ?? pair(columns)
    ?? numeric(columns)
    ?? single(columns, "yearless", isYearless);
}

/** A sample of the cells by columns, and what they are called. */
class Columns {
  constructor(rows) {
    const body = rows.length > 1 ? rows.slice(1) : rows; // The first row may be a header.
    const stride = Math.ceil(body.length / SAMPLE);
    this.sample = body.filter((_, i) => i % stride === 0).map((row) => row.cells);
    this.near = body.slice(0, SAMPLE).map((row) => row.cells);
    this.names = rows[0]?.cells ?? [];
    const width = this.sample.reduce((most, cells) => Math.max(most, cells.length), 0);
    this.indices = [...Array(width).keys()];
  }

  mostly(fits, share = 0.5) {
    return this.sample.filter(fits).length > share * this.sample.length;
  }

  isNamed(index, part) {
    return NAMES[part].test(this.names[index] ?? "");
  }

  isWithin(index, [low, high]) {
    const fits = ({ [index]: cell }) => /^\d{1,2}$/.test(cell) && cell >= low && cell <= high;
    return this.mostly(fits, 0.9);
  }

  /** The column that is called a part of a date and could be it. */
  called(part) {
    return this.indices.find((i) => this.isNamed(i, part) && this.isWithin(i, RANGES[part]));
  }

  hasNumbersBeside(...taken) {
    return this.indices.some(
      (i) => !taken.includes(i) && this.sample.some((cells) => looksLikeNumber(cells[i] ?? "")),
    );
  }

  isSteady(index) {
    const values = this.near
      .map((cells) => Number((cells[index] ?? "").replace(",", ".")))
      .filter(Number.isFinite);
    const rises = values.filter((value, i) => i && value > values[i - 1]).length;
    const falls = values.filter((value, i) => i && value < values[i - 1]).length;
    return Math.min(rises, falls) <= 0.1 * values.length;
  }
}

function single(columns, kind, isDate, isNumber = false) {
  const index = columns.indices.find((i) => {
    if (!columns.mostly((cells) => isDate(cells[i] ?? ""))) return false;
    const isSafe = columns.isSteady(i) || columns.isNamed(i, "date");
    return !isNumber || (isSafe && columns.hasNumbersBeside(i));
  });
  if (index === undefined) return null;
  const alone = { columns: [index], dateIn: (cells) => cells[index] ?? "", kind };
  return kind === "full" ? withTime(columns, alone, index) : alone;
}

/**
 * Dates that look like numbers. Values can look like years, and like serial numbers: of two such
 * columns the one that is called a date has the dates, or else the first.
 */
function numeric(columns) {
  const kinds = [["full", isDate], ["serial", readSerial]];
  const found = kinds.map(([kind, isOne]) => single(columns, kind, isOne, true)).filter(Boolean);
  const isCalled = ({ columns: [index] }) => columns.isNamed(index, "date");
  found.sort((a, b) => isCalled(b) - isCalled(a) || a.columns[0] - b.columns[0]);
  return found[0] ?? null;
}

/** Years that begin within a year, such as 2019/20 and 2020/21. */
function seasons(columns) {
  const isSeason = (cell) => {
    const [, year, next] = SEASON.exec(cell) ?? [];
    return year !== undefined && (Number(year) + 1) % 100 === Number(next);
  };
  const index = columns.indices.find(
    (i) => columns.sample.length > 1 && columns.mostly((cells) => isSeason(cells[i] ?? ""), 0.9),
  );
  if (index === undefined) return null;
  const dateIn = ({ [index]: cell = "" }) => (isSeason(cell) ? cell.slice(0, 4) : cell);
  return together([index], dateIn);
}

/** A time of day, or an hour, beside the date. */
function withTime(columns, alone, date) {
  if (columns.mostly((cells) => HAS_CLOCK.test(cells[date] ?? ""))) return alone;
  const others = columns.indices.filter((i) => i !== date);
  const time = others.find((i) => columns.mostly((cells) => TIME_OF_DAY.test(cells[i] ?? "")));
  if (time !== undefined) {
    return together([date, time], (cells) => join(" ", cells[date], cells[time]));
  }
  const hour = columns.called("hour");
  if (hour === undefined) return alone;
  const clock = (cells) => cells[hour] && `${cells[hour]}:00`;
  return together([date, hour], (cells) => join(" ", cells[date], clock(cells)));
}

/** Numbers for year and month, quarter or week in columns of their own; perhaps a day. */
function fromParts(columns) {
  const isYears = (i) => columns.mostly((cells) => YEAR.test(cells[i] ?? ""), 0.9);
  const year = columns.indices.find(isYears);
  if (year === undefined) return null;
  for (const [part, mark] of [["month", "-"], ["quarter", "-Q"], ["week", "-W"]]) {
    const isMonth = part === "month";
    const index = columns.called(part) ?? (isMonth ? unnamedMonth(columns, year) : undefined);
    if (index === undefined || !columns.hasNumbersBeside(year, index)) continue;
    const day = isMonth ? columns.called("day") : undefined;
    const width = part === "quarter" ? 1 : 2;
    const hasDay = day !== undefined && columns.hasNumbersBeside(year, index, day);
    const used = hasDay ? [year, index, day] : [year, index];
    const dateIn = (cells) => {
      const [first, ...rest] = used.map((i) => (cells[i] ?? "").padStart(width, "0"));
      return used.every((i) => cells[i]) ? `${first}${mark}${rest.join("-")}` : "";
    };
    return withHour(columns, together(used, dateIn));
  }
  return null;
}

function withHour(columns, date) {
  const hour = date.columns.length === 3 ? columns.called("hour") : undefined;
  if (hour === undefined) return date;
  return together([...date.columns, hour], (cells) => `${date.dateIn(cells)} ${cells[hour]}:00`);
}

/** A column that counts months: each is one more than the one before, or starts anew. */
function unnamedMonth(columns, year) {
  const steps = (i) =>
    columns.near.filter((cells, row) => {
      const before = Number(columns.near[row - 1]?.[i]);
      return row && (Number(cells[i]) - before + 12) % 12 === 1;
    }).length;
  const years = new Set(columns.near.map((cells) => cells[year])).size;
  return columns.indices.find(
    (i) =>
      i !== year && columns.isWithin(i, RANGES.month) &&
      columns.near.length > years && steps(i) > 0.8 * (columns.near.length - 1),
  );
}

/** Two columns side by side that make a date when read together, such as `Jan 5` and `2024`. */
function pair(columns) {
  for (const i of columns.indices) {
    for (const [first, second] of [[i, i + 1], [i + 1, i]]) {
      const dateIn = (cells) => join(" ", cells[first], cells[second]);
      const isDate = (cells) => cells[second] && isWrittenDate(dateIn(cells));
      if (columns.mostly(isDate) && columns.hasNumbersBeside(first, second)) {
        return together([first, second], dateIn);
      }
    }
  }
  return null;
}

function together(columns, dateIn) {
  return { columns, dateIn, kind: "full" };
}

function join(mark, ...cells) {
  return cells.every(Boolean) ? cells.join(mark) : "";
}
