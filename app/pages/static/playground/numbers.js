// Cells to numbers, with decimal points or decimal commas.

const ORNAMENTS = /[\s\u00a0\u202f'’_$€£¥%]/g;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const GROUPED_BY_COMMAS = /^[+-]?\d{1,3}(,\d{3})+$/;
const GROUPED_BY_POINTS = /^[+-]?\d{1,3}(\.\d{3}){2,}$/;

const NEGATIVE_IN_BOOKS = /^\((.+)\)$/;

/**
 * Read a column of numbers.
 *
 * @returns {{numbers: (number|null)[], decimalComma: boolean}} null where a cell is no number
 */
export function readNumbers(cells, delimiter) {
  const cleaned = cells.map(clean);
  const decimalComma = hasDecimalCommas(cleaned, delimiter);
  return { numbers: cleaned.map((cell) => readNumber(cell, decimalComma)), decimalComma };
}

/** Whether a cell looks like a number of either kind. */
export function looksLikeNumber(cell) {
  const cleaned = clean(cell);
  return readNumber(cleaned, false) !== null || readNumber(cleaned, true) !== null;
}

function clean(cell) {
  return cell.replace(ORNAMENTS, "").replace("−", "-").replace(NEGATIVE_IN_BOOKS, "-$1");
}

function hasDecimalCommas(cells, delimiter) {
  if (cells.some((cell) => GROUPED_BY_POINTS.test(cell))) return true;
  const marked = cells.filter((cell) => cell.includes(","));
  if (marked.length === 0) return false;
  const mixed = marked.find((cell) => cell.includes("."));
  if (mixed) return mixed.lastIndexOf(",") > mixed.lastIndexOf(".");
  // 1,234 is a thousand where commas are at home, and one and a bit where semicolons separate.
  return delimiter === ";" || !marked.every((cell) => GROUPED_BY_COMMAS.test(cell));
}

function readNumber(cell, decimalComma) {
  const [group, mark] = decimalComma ? [/\./g, ","] : [/,/g, "."];
  const plain = cell.replace(group, "").replace(mark, ".");
  const number = NUMBER.test(plain) ? Number(plain) : NaN;
  return Number.isFinite(number) ? number : null;
}
