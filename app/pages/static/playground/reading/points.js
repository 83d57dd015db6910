// Points brought into one order and one offset, and those of the same moment made one.

/** Daylight saving changes offsets within a series; the service wants one offset. */
export function bringToUtc(points) {
  const suffixes = new Set(points.map((point) => point.suffix));
  if (suffixes.size < 2 || suffixes.has("")) return false;
  for (const point of points) {
    point.seconds -= offsetSeconds(point.suffix);
    point.suffix = "Z";
  }
  return true;
}

function offsetSeconds(suffix) {
  if (suffix === "Z") return 0;
  const [hours, minutes] = suffix.slice(1).split(":").map(Number);
  return (suffix[0] === "-" ? -1 : 1) * (3600 * hours + 60 * minutes);
}

/** Sort points; tells whether they were in disorder. */
export function putInOrder(points) {
  const isOrdered = (compare) =>
    points.every((point, i) => i === 0 || compare(points[i - 1].seconds, point.seconds));
  if (isOrdered((before, here) => before <= here)) return null;
  const reversed = isOrdered((before, here) => before >= here);
  points.sort((a, b) => a.seconds - b.seconds || a.line - b.line);
  return reversed ? "reversed" : "sorted";
}

/** Points of the same moment, in groups of two or more. */
export function findRepeats(points) {
  const groups = [];
  for (let i = 1; i < points.length; i += 1) {
    if (points[i].seconds !== points[i - 1].seconds) continue;
    const group = groups.at(-1);
    if (group?.[0].seconds === points[i].seconds) group.push(points[i]);
    else groups.push([points[i - 1], points[i]]);
  }
  return groups;
}

const COMBINED = {
  sum: (values) => rounded(values.reduce((a, b) => a + b, 0)),
  mean: (values) => rounded(values.reduce((a, b) => a + b, 0) / values.length),
  last: (values) => values.at(-1),
};

/** Make one point of those of the same moment: their sum, their mean or the last of them. */
export function combine(points, how) {
  const combined = [];
  for (let i = 0; i < points.length; ) {
    let end = i + 1;
    while (end < points.length && points[end].seconds === points[i].seconds) end += 1;
    const same = points.slice(i, end);
    const value = COMBINED[how](same.map((point) => point.value));
    combined.push(same.length === 1 ? points[i] : { ...same.at(-1), value });
    i = end;
  }
  return combined;
}

/** Without what adding binary fractions leaves behind. */
function rounded(value) {
  return Number(value.toPrecision(15));
}
