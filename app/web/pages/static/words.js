// Formats numbers, counts and times.

const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 15 });

/** A value to six significant digits, or others, as `short_number` of the service writes it. */
export function formatNumber(value, digits = 6) {
  const rounded = Number(value.toPrecision(digits));
  const size = Math.abs(rounded);
  if (size === 0 || (size >= 1e-4 && size < 1e15)) return number.format(rounded);
  return rounded.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}

/** `1 event`, `2 events`. */
export function countOf(count, noun) {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : `${noun}s`}`;
}

/** `24 months`, `month` for one, `8 periods of 5 minutes`. */
export function periodsOf(count, { step, noun }) {
  if (step !== 1) return count === 1 ? countOf(step, noun) : `${count} periods of ${countOf(step, noun)}`;
  return count === 1 ? noun : `${count} ${noun}s`;
}

/** `95 %` of 0.95. */
export function percent(fraction, digits = 3) {
  return `${Number((100 * fraction).toPrecision(digits))} %`;
}

/** A probability in words: `12 %`, `1 in 1,200`, less than `1 in 1,000,000`. */
export function chanceText(p) {
  if (p >= 0.01) return percent(p, 2);
  return p < 1e-6 ? "< 1 in 1,000,000" : `1 in ${formatNumber(1 / p, 2)}`;
}

/** A false alarm rate: `1 in 1,000 points`. */
export function describeRate(rate) {
  return `1 in ${formatNumber(1 / rate)} points`;
}

export function capitalize(text) {
  return text[0].toUpperCase() + text.slice(1);
}

/** A text as a sentence, with a capital letter and a full stop. */
export function sentenceOf(text) {
  return `${capitalize(text)}${/[.?]$/.test(text) ? "" : "."}`;
}

/** A duration in its largest two units: `1 d 17 h`, cut after the second. */
export function shortDuration(seconds) {
  const units = /** @type {[number, string][]} */ ([[86_400, "d"], [3_600, "h"], [60, "min"], [1, "s"]]);
  const first = units.findIndex(([length]) => seconds >= length);
  if (first < 0) return "0 s";
  const counts = units.slice(first, first + 2).map(([length, unit], i) => {
    const rest = i === 0 ? seconds : seconds % units[first][0];
    return [Math.floor(rest / length), unit];
  });
  return counts.filter(([count]) => count).map((pair) => pair.join(" ")).join(" ");
}

/** A timestamp without seconds that are 0; at midnight only the date. */
export function shortenTimestamp(timestamp) {
  return timestamp.replace(/T00:00:00.*|(?<=T\d\d:\d\d):00/, "").replace("T", " ");
}

/** The time of day of a moment by this browser's clock; with its date where that is not today. */
export function clockTime(moment) {
  const date = new Date(moment);
  const pad = (part) => String(part).padStart(2, "0");
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(pad).join(":");
  const day = [date.getFullYear(), pad(date.getMonth() + 1), pad(date.getDate())].join("-");
  return date.toDateString() === new Date().toDateString() ? time : `${day} ${time.slice(0, 5)}`;
}
