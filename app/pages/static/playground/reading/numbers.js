// Cells to numbers: decimal points or commas, thousands, units, and what stands for no value.

const SPACES = /[\s\u00a0\u2007-\u200b\u202f_]/g;
const APOSTROPHES = /(?<=\d)['’ʼ´`](?=\d{3})/g;
const HOLES = [
  String.raw`n\.?/?a\.?|n\.?d\.?|k\.?a\.?|nan|null|nil|none|void|missing|\\n`,
  String.raw`#(?:n/?a|ref|div/0|value|name|num|null|wert|bezug)[!?]?`,
  String.raw`[-–—?.…*]{1,3}`,
];
const HOLE = new RegExp(`^(?:${HOLES.join("|")})?$`, "i");
const CURRENCY = [
  String.raw`\p{Sc}|R\$|US\$|Rs\.?|kr\.?|zł|Kč|Ft|Fr\.|lei`,
  "CHF|EUR|USD|GBP|JPY|SEK|NOK|DKK|PLN|CZK|HUF|CAD|AUD|INR",
].join("|");
const AFTER = String.raw`%|‰|°C|°F`;
const BEFORE_NUMBER = new RegExp(`^([-+(]*)(${CURRENCY})(?=[-+(.\\d])`, "iu");
const AFTER_NUMBER = new RegExp(`(?<=[\\d.)-])(${CURRENCY}|${AFTER}|,--?|\\.--?)(\\)?)$`, "iu");
const MULTIPLIERS = {
  ...{ k: 1e3, tsd: 1e3 },
  ...{ m: 1e6, mm: 1e6, mn: 1e6, mio: 1e6, mln: 1e6 },
  ...{ b: 1e9, bn: 1e9, mrd: 1e9, md: 1e9 },
};
const MULTIPLIER = /(?<=\d)(k|tsd|mm?|mn|mio|mln|bn?|mrd|md)\.?(\)?)$/i;
const BRACKETS = /^\((.+)\)$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const SAMPLE = 200;

/** What can stand between thousands: three digits each, or two before the last three. */
const grouped = (mark) =>
  new RegExp(`^[+-]?(?:[1-9]\\d{0,2}(?:${mark}\\d{3})+|[1-9]\\d?(?:${mark}\\d{2})+${mark}\\d{3})$`);
const GROUPED = { ".": grouped("\\."), ",": grouped(",") };

/**
 * @typedef {object} Numbers
 * @property {(number|null)[]} numbers null where a cell is not a number
 * @property {"."|","} mark before decimals
 * @property {{cell: string, row: number}|null} unclear a cell that reads well with either mark,
 *   where nothing decides
 * @property {number} decimals digits after the mark
 * @property {string} unitBefore
 * @property {string} unitAfter
 */

/**
 * Read a column of numbers.
 *
 * @param {string[]} cells
 * @param {{likely: "."|",", chosen?: "."|","|null}} marks what is taken where the cells leave it open
 * @returns {Numbers}
 */
export function readNumbers(cells, { likely, chosen }) {
  const cleaned = cells.map(clean);
  const { decided, unclear, usual } = weighMarks(cleaned, likely);
  const mark = decided ?? chosen ?? usual;
  const isUnclear = ({ number }) => number === unclear;
  const first = cleaned.find(({ number, before, after }) => number !== "" && (before || after));
  return {
    numbers: cleaned.map((cell) => readNumber(cell, mark)),
    mark,
    unclear: unclear ? { cell: unclear, row: cleaned.findIndex(isUnclear) } : null,
    decimals: decimalsOf(cleaned, mark),
    unitBefore: first?.before ?? "",
    unitAfter: first?.after ?? "",
  };
}

/** Whether a cell looks like a number with either mark. */
export function looksLikeNumber(cell) {
  const cleaned = clean(cell);
  return readNumber(cleaned, ".") !== null || readNumber(cleaned, ",") !== null;
}

/** Whether a cell says that there is no value. */
export function isHole(cell) {
  return HOLE.test(cell);
}

/** The value of one cell where `mark` stands before decimals, or null. */
export function valueOf(cell, mark) {
  return readNumber(clean(cell), mark);
}

function clean(cell) {
  let number = cell.replace(SPACES, "").replace(/[−–‒]/g, "-").replace(APOSTROPHES, "");
  if (/^[+-]?[\d.,]*$/.test(number)) return { number, before: "", after: "", times: 1 };
  const before = BEFORE_NUMBER.exec(number)?.[2] ?? "";
  number = number.replace(BEFORE_NUMBER, "$1");
  const after = AFTER_NUMBER.exec(number)?.[1] ?? "";
  number = number.replace(AFTER_NUMBER, "$2");
  const times = MULTIPLIERS[MULTIPLIER.exec(number)?.[1].toLowerCase()] ?? 1;
  number = number.replace(MULTIPLIER, "$2").replace(BRACKETS, "-$1").replace(/^([\d.,]+)-$/, "-$1");
  const spaced = /\s/.test(cell.trim()) ? " " : "";
  return {
    number: number.replace(BEFORE_NUMBER, "$1"),
    before: before && before + (/^\p{Sc}$/u.test(before) ? "" : spaced),
    after: /^[,.]/.test(after) ? "" : after && spaced + after,
    times,
  };
}

/** Which mark the cells show, and what is usual where none shows it. */
function weighMarks(cells, likely) {
  const votes = { ".": 0, ",": 0 };
  const unclear = { ".": null, ",": null };
  let short = true; // no number of four digits without a mark
  for (const { number } of cells) {
    const vote = voteOf(number);
    if (vote === "?") unclear[number.includes(",") ? "," : "."] ??= number;
    else if (vote) votes[vote] += 1;
    else if (/^[+-]?\d{4,}$/.test(number)) short = false;
  }
  if (votes["."] !== votes[","]) return { decided: votes["."] > votes[","] ? "." : "," };
  if (unclear["."] && unclear[","]) return { decided: null, unclear: unclear["."], usual: likely };
  const example = unclear["."] ?? unclear[","];
  if (!example) return { decided: null, unclear: null, usual: likely };
  return { decided: null, unclear: example, usual: usualMark(cells, example, likely, short) };
}

/** Numbers below 1000 without a mark say that the mark is between thousands. */
function usualMark(cells, example, likely, short) {
  const here = example.includes(",") ? "," : ".";
  const other = here === "," ? "." : ",";
  const whole = cells.some(({ number }) => /^[+-]?\d{2,3}$/.test(number));
  if (!short) return here;
  return whole ? other : likely;
}

/** The decimal mark that a number shows, "?" for one that reads either way. */
function voteOf(number) {
  const [point, comma] = [number.lastIndexOf("."), number.lastIndexOf(",")];
  if (point < 0 && comma < 0) return null;
  if (point >= 0 && comma >= 0) return point > comma ? "." : ",";
  const here = point >= 0 ? "." : ",";
  const other = here === "." ? "," : ".";
  if (!/\d/.test(number)) return null;
  if (!GROUPED[here].test(number)) return number.split(here).length === 2 ? here : null;
  return number.split(here).length > 2 ? other : "?";
}

function readNumber({ number, times }, mark) {
  const group = mark === "," ? "." : ",";
  const [whole, ...rest] = number.split(mark);
  if (rest.length > 1 || rest[0]?.includes(group)) return null;
  let digits = whole;
  if (whole.includes(group)) {
    if (!GROUPED[group].test(whole)) return null;
    digits = whole.replaceAll(group, "");
  }
  const plain = rest.length ? `${digits}.${rest[0]}` : digits;
  const value = NUMBER.test(plain) ? times * Number(plain) : NaN;
  if (!Number.isFinite(value)) return null;
  return times === 1 ? value : Number(value.toPrecision(15));
}

function decimalsOf(cells, mark) {
  let most = 0;
  for (const { number, times } of cells.slice(-SAMPLE)) {
    const written = /e/i.test(number) ? String(Number(number.replace(mark, "."))) : number;
    const digits = written.split(/e/i).length > 1 ? 0 : (written.split(mark)[1]?.length ?? 0);
    if (Number.isFinite(readNumber({ number, times }, mark))) {
      most = Math.max(most, digits - Math.round(Math.log10(times)));
    }
  }
  return most;
}
