// Holes filled.

const FILLERS = {
  linear: (from, to, share) => from + share * (to - from),
  previous: (from) => from,
  zero: () => 0,
};

/** A value between two, at a share of the way. */
export function filled(how, from, to, share) {
  return FILLERS[how](from, to, share);
}

/** How many entries are missing from a series. */
export function countMissing(spacing) {
  return (spacing?.holes ?? []).reduce((sum, hole) => sum + hole.count, 0);
}

/**
 * Put points into the holes of a series.
 *
 * @param {import("../reading.js").Point[]} points one a moment
 * @param {import("../spacing.js").Spacing} spacing
 * @param {"linear"|"previous"|"zero"} how
 * @returns {import("../reading.js").Point[]}
 */
export function fillHoles(points, spacing, how) {
  const holes = new Map(spacing.holes.map((hole) => [hole.after, hole]));
  return points.flatMap((point, i) => {
    const hole = holes.get(i);
    if (!hole) return [point];
    const added = Array.from({ length: hole.count }, (_, index) => ({
      line: null,
      given: null,
      seconds: hole.moment(index),
      suffix: point.suffix,
      value: filled(how, point.value, points[i + 1].value, (index + 1) / (hole.count + 1)),
    }));
    return [point, ...added];
  });
}
