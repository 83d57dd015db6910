// A column of numbers without dates: a person says when the first one is, and how far they are apart.

import { civilSeconds, lastDayOfMonth } from "../civil.js";
import { readNumbers } from "./numbers.js";

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;

/** @param {{body: import("./csv.js").Row[], name: string}} alone of `numbersAlone` */
export function readNumbersAlone({ body, name }, units, { start = "", every = "", mark }) {
  const { numbers, ...form } = readNumbers(body.map(({ cells }) => cells[0]), { likely: ".", chosen: mark });
  const unit = units.find(({ frequency }) => frequency === every);
  const first = DAY.exec(start)?.slice(1).map(Number);
  const found = { ...form, valueName: name, alone: { start, every, frequencies: units.map(({ frequency }) => frequency) } };
  if (!unit || !first || civilSeconds(...first) === null) {
    const problem = "These are numbers without dates. Say below when the first one is and how far they are apart.";
    return { ...found, problem };
  }
  const points = body.flatMap(({ line }, i) =>
    numbers[i] === null ? [] : [{ line, given: null, seconds: momentOf(first, unit, i), suffix: "", value: numbers[i] }],
  );
  const empty = body.flatMap(({ line }, i) =>
    numbers[i] === null ? [{ line, seconds: momentOf(first, unit, i) }] : [],
  );
  return { ...found, points, empty };
}

function momentOf([year, month, day], unit, count) {
  if (unit.seconds) return civilSeconds(year, month, day) + count * unit.seconds;
  const months = 12 * year + month - 1 + count * unit.months;
  const [y, m] = [Math.floor(months / 12), (months % 12) + 1];
  return civilSeconds(y, m, Math.min(day, lastDayOfMonth(y, m)));
}
