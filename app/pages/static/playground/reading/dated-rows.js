// The dates of the rows, and what had to be decided to read them.

import { findSpacing } from "../spacing.js";
import { dateReader, haveShortYears, possibleOrders, readSerial, readYearless } from "./dates.js";

const YEARS_OFFERED = 12;

/**
 * @typedef {object} DatedRows
 * @property {(import("./dates.js").Moment|null)[]} moments one a row
 * @property {{chosen: import("./dates.js").Order, orders: import("./dates.js").Order[],
 *   example: string}|null} order of day, month and year
 * @property {{chosen: number, offered: number[], example: string}|null} year of the first date,
 *   where dates have none
 * @property {boolean[]} tooCoarse dates such as 2024 among months: totals
 */

/**
 * Read the dates of rows.
 *
 * @param {string[]} cells
 * @param {"full"|"serial"|"yearless"} kind
 * @param {import("../spacing.js").Unit[]} units
 * @param {import("../reading.js").Choices} choices
 * @returns {DatedRows}
 */
export function readDates(cells, kind, units, choices) {
  if (kind === "serial") return dated(cells.map(readSerial));
  const { orders, example } = possibleOrders(cells);
  const read = (order) =>
    kind === "full" ? cells.map(dateReader(order)) : readYearless(cells, order, 2000);
  const ranked = rank(orders, read, units);
  const chosen = ranked.includes(choices.order) ? choices.order : ranked[0];
  const order = orders.length > 0 ? { chosen, orders: ranked, example } : null;
  if (kind === "full" || haveShortYears(cells)) return dated(read(chosen), order);
  return withYears(cells, chosen, order, choices);
}

/** The orders that are possible, the most regular first; a year in front needs to be regular. */
function rank(orders, read, units) {
  if (orders.length < 2) return orders;
  const defects = new Map(orders.map((order) => [order, defectsOf(read(order), units)]));
  const ranked = orders.toSorted((a, b) => defects.get(a) - defects.get(b));
  const isClear = orders.includes("year") && defects.get(ranked[0]) === 0;
  return isClear ? ranked.filter((order) => defects.get(order) === 0) : ranked;
}

function defectsOf(moments, units) {
  const seconds = new Set(moments.map((moment) => moment?.seconds).filter(Number.isFinite));
  const spacing = findSpacing([...seconds].sort((a, b) => a - b), units);
  return spacing ? spacing.holes.length + spacing.strays.length : Infinity;
}

/** The year is that of the last date unless it is chosen. */
function withYears(cells, order, isOpen, { year: wanted, thisYear }) {
  const years = readYearless(cells, order, 2000).filter(Boolean).map(({ seconds }) =>
    new Date(seconds * 1000).getUTCFullYear(),
  );
  const first = thisYear - (Math.max(...years, 2000) - 2000);
  const chosen = Number(wanted ?? first);
  const offered = Array.from({ length: YEARS_OFFERED }, (_, i) => thisYear - i);
  const moments = readYearless(cells, order, chosen);
  const example = cells.find((_, i) => moments[i]) ?? "";
  return { ...dated(moments, isOpen), year: { chosen, offered, example } };
}

function dated(moments, order = null) {
  const counts = [0, 0, 0, 0];
  for (const moment of moments) if (moment) counts[moment.coarseness] += 1;
  const usual = counts.indexOf(Math.max(...counts));
  return {
    moments,
    order,
    year: null,
    tooCoarse: moments.map((moment) => moment !== null && moment.coarseness > usual),
  };
}
