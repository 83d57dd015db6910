// A column of numbers without dates: a person says when they start and how far they are apart.

import { civilSeconds, lastDayOfMonth } from "../civil.js";
import { readNumbers } from "./numbers.js";

const PROBLEM =
  "These are numbers without dates. Say below when the first one is and how far they are apart.";
const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;

/** @param {{body: import("./csv.js").Row[], name: string}} alone of `numbersAlone` */
export function readNumbersAlone({ body, name }, units, { start = "", every = "", mark }) {
  const cells = body.map((row) => row.cells[0]);
  const { numbers, ...form } = readNumbers(cells, { likely: ".", chosen: mark });
  const unit = units.find(({ frequency }) => frequency === every);
  const first = DAY.exec(start)?.slice(1).map(Number);
  const alone = { start, every, frequencies: units.map(({ frequency }) => frequency) };
  const unclear = form.unclear && { cell: form.unclear.cell, line: body[form.unclear.row].line };
  const found = { ...form, unclear, valueName: name, alone };
  if (!unit || !first || civilSeconds(...first) === null) return { ...found, problem: PROBLEM };
  const rows = body.map(({ line }, i) => ({
    line, given: null, seconds: momentOf(first, unit, i), suffix: "", value: numbers[i],
  }));
  return {
    ...found,
    points: rows.filter(({ value }) => value !== null),
    empty: rows.filter(({ value }) => value === null),
  };
}

function momentOf([year, month, day], unit, count) {
  if (unit.seconds) return civilSeconds(year, month, day) + count * unit.seconds;
  const months = 12 * year + month - 1 + count * unit.months;
  const [y, m] = [Math.floor(months / 12), (months % 12) + 1];
  return civilSeconds(y, m, Math.min(day, lastDayOfMonth(y, m)));
}
